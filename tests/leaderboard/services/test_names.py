"""Names that people give: which are refused, and which are the same since no reader can tell them apart."""

import pytest

from leaderboard.models import System
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.publishing.system_facts import find_system, refuse_taken_name
from leaderboard.services.rows.same_name import is_same_name
from leaderboard.web.accounts.forms import TokenForm
from tests.support.factories import make_facts, parse_facts, send, with_wrong


@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "\u3164", "\u200d", "a\ue000", "a\u2028b"])
def test_names_that_hide_something_are_refused(name):
    with pytest.raises(FactsInvalid):
        parse_facts(make_facts(system=name))
    assert "name" in TokenForm({"name": name, "days": "30"}).errors


@pytest.mark.both_databases
def test_names_are_looked_up_as_the_constraint_compares_them(demo, user, good_file):
    # PostgreSQL writes the Kelvin sign as “k” in lower case, SQLite does not: neither may fail.
    for wrong, name in enumerate(("kbot", "\u212abot", "KBOT")):
        send(user, demo, with_wrong(good_file, wrong), system=name)
    assert System.objects.count() in (1, 2)


SAME = [
    ("Care agent", "CARE AGENT"),
    ("Care agent", "Care  agent"),
    ("Care agent", "Care\u00a0agent"),
    ("Care agent", "Care\u2800agent"),
    ("Care agent", "C\u0430r\u0435 ag\u0435nt"),
    ("Care agent", "Care agen\u03c4"),
    ("Care agent", "Care\u200c agent\ufe0f"),
    ("Care agent", "Ｃａｒｅ agent"),
    ("CARE BOT", "\u0421\u0410\u0420\u0415 \u0412\u041e\u0422".replace("\u0420", "R")),
    ("NEURON", "\u039dEURON"),
    ("vitals", "\u03bditals"),
    ("\u0412\u043e\u0440\u043e\u043d", "\u0432\u043e\u0440\u043e\u043d"),
    ("\u039d\u0395\u03a5\u03a1\u03a9\u039d", "\u03bd\u03b5\u03c5\u03c1\u03c9\u03bd"),
    ("Ward's bot", "Ward\u00b4s bot"),
    ("GPT-4", "GPT\u20114"),
    ("GPT-4", "GPT\u22124"),
    ("Ward’s bot", "Ward's bot"),
    ("Caf\u00e9", "Cafe\u0301"),
    ("Straße", "STRASSE"),
    ("ﬁre", "fire"),
]
DIFFERENT = [
    ("Care agent", "Careagent"),
    ("Care agent 1", "Care agent 2"),
    ("Care agent 1", "Care agent l"),
    ("Café", "Cafe"),
    ("查房助手", "查房助理"),
    ("GPT-4", "GPT 4"),
    ("GPT-4", "GPT_4"),
]


def test_names_are_the_same_that_look_the_same_and_no_others():
    assert [pair for pair in SAME if not is_same_name(*pair)] == []
    assert [pair for pair in DIFFERENT if is_same_name(*pair)] == []


def test_a_name_that_looks_the_same_finds_the_system_and_cannot_be_taken(team, db):
    latin, other = (System.objects.create(team=team, name=name) for name in ("Care agent", "Ward agent"))
    assert find_system(team=team, name="C\u0430re agent") == latin
    with pytest.raises(FactsInvalid) as refused:
        refuse_taken_name(other, "C\u0430re agent")
    assert "or one that looks the same" in refused.value.problems[0].message
    refuse_taken_name(latin, "C\u0430re agent")


def test_systems_that_earlier_releases_took_apart_stay_apart(team, db):
    names = ("Care agent", "C\u0430re agent")
    systems = [System.objects.create(team=team, name=name) for name in names]
    assert [find_system(team=team, name=name) for name in names] == systems
