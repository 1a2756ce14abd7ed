"""The kinds of events: what they hold, and their words."""

from html import unescape

import pytest
from django.core.management import call_command

from leaderboard.models import BoardAction, BoardEvent
from leaderboard.services.record.event_kinds import KINDS, words_of
from leaderboard.services.record.events import Change, record
from leaderboard.services.rows.lead_rules import LeadRules
from tests.support.factories import make_published
from tests.support.record import verify_log, whole_log

# A name with what JSON, HTML and patterns of words could trip over.
NAME = 'Ada “Quux”, 名 "x"\\y <b> 100% (by an organiser)'
RULES = dict.fromkeys(("rules", "was"), LeadRules(least_runs=3).as_json())
CHANGES = [["closes_at", "March", "April"], ["hides_names", "no", "yes"], ["zone", "–", "UTC"]]
FIGURES = {"number": 2, "digest": "0a1b2c3d4e5f", "set_aside": ["task1_1", "task2_2"], **RULES}
SEASON = {
    "changes": CHANGES,
    "conditions": RULES["rules"],
    "entries": 7,
    "named": [],
    "files": [],
    "sha256": "f00d",
}
# Kind -> what it says.
SAID = {
    "settings": "feedback level, ranking across judges",
    "model": f"“{NAME}” is the model “{NAME}”",
    "facts": "organisation, tools",
    "renamed": f"renamed from “{NAME}”, organisation, tools",
    "team-renamed": f"team renamed from “{NAME}”, organisation, tools",
    "account-deleted": "account of the team deleted, organisation, tools",
    "references": "Rev. 2",
    "references-set-aside": "Rev. 2; tasks set aside: task1_1, task2_2",
    "rules": "title, least number of runs to be ranked, most rounds of a task to be ranked",
    "season": "close: March → April, embargo of names: no → yes, time zone: UTC",
    "season-closed": "closed; sealed systems: 7; digest 0a1b2c3d4e5f",
    "season-file-opened": f"an organiser opened the sealed file f00d: {NAME}",
    "season-revealed": "revealed; systems: 7",
    "result-added": "",
    "result-added-without-rank": "without a rank",
    "result-corrected": "corrected",
    "result-removed": NAME,
    "result-not-ranked": f"now listed without a rank: {NAME}",
}


def data_of(kind, *, by_organiser=False):
    of_kind = {"settings": ["feedback", "mixes_judges"], "rules": ["title", "least_runs", "most_rounds"]}
    changed = of_kind.get(kind, ["organisation", "tools"])
    texts = dict.fromkeys(("from", "to", "reason"), NAME)
    values = {**texts, "changed": changed, "by_organiser": by_organiser, **FIGURES, **SEASON}
    return {"kind": kind, **{key: values[key] for key in KINDS[kind].keys}}


@pytest.fixture
def system(demo, user, good_file):
    return make_published(user, demo, good_file).system


def log_of_changes(visitor, language=""):
    return unescape(visitor.get(f"{language}/benchmarks/medagentbench-demo/changes/").text)


def record_each(demo, system, kinds=KINDS, **more):
    """Record an event of each kind; return kind -> event."""
    changes = [Change(action=KINDS[kind].action, system=system, data=data_of(kind, **more)) for kind in kinds]
    return dict(zip(kinds, record(*changes, board=demo), strict=True))


def test_an_event_of_each_kind_is_told_in_the_language_of_the_reader_and_chained(visitor, demo, system):
    events = record_each(demo, system)
    page = log_of_changes(visitor)
    for kind, event in events.items():
        event.refresh_from_db()
        assert (event.reason, words_of(event)) == ("", SAID[kind])
        assert SAID[kind] in page, kind
    assert f"原名「{NAME}」、機構、工具" in log_of_changes(visitor, "/zh-hant")
    assert verify_log()


def test_a_change_by_an_organiser_is_told_as_one(demo, system):
    kinds = [kind for kind in KINDS if "by_organiser" in KINDS[kind].keys]
    for kind, event in record_each(demo, system, kinds, by_organiser=True).items():
        assert words_of(event) == f"{SAID[kind]} (by an organiser)".strip()


@pytest.mark.both_databases
def test_the_words_of_people_in_each_kind_can_be_erased(visitor, demo, system):
    kinds = [kind for kind in KINDS if {"from", "reason"} & {*KINDS[kind].keys}]
    assert len(kinds) == 6
    events = record_each(demo, system, kinds)
    assert log_of_changes(visitor).count(NAME) >= len(kinds)
    call_command("erase_name", NAME.lower(), yes=True)
    for event in BoardEvent.objects.filter(pk__in=[event.pk for event in events.values()]):
        assert (event.reason, event.data) == ("[erased]", None)
        assert words_of(event) == "[erased]"
    assert b"Quux" not in whole_log()
    assert verify_log()


def test_data_that_no_kind_has_are_refused(demo):
    for action, data in (
        (BoardAction.SETTINGS, {"kind": "unheard-of"}),
        (BoardAction.SETTINGS, data_of("facts")),
        (BoardAction.FACTS, {"kind": "facts", "changed": []}),
        (BoardAction.FACTS, {**data_of("facts"), "from": NAME}),
    ):
        with pytest.raises(ValueError, match="cannot hold"):
            record(Change(action=action, data=data), board=demo)
