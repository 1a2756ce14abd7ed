"""The log of a board."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.models import BoardAction, BoardEvent, System
from leaderboard.services.publishing.disqualify import disqualify, reinstate
from leaderboard.services.publishing.publish import withdraw
from leaderboard.services.record.log import NAMED, PAGE_SIZE, changelog
from leaderboard.services.submissions.rescore import rescore
from tests.support.factories import correct_references, make_published, make_user, with_wrong

pytestmark = pytest.mark.both_databases


@pytest.fixture
def published(demo, user, good_file):
    """Publish the result file with `wrong` answers made wrong."""

    def publish_(wrong, system="Careful agent"):
        return make_published(user, demo, with_wrong(good_file, wrong), system=system)

    return publish_


def test_the_log_is_newest_first_and_rescorings_are_one_line(demo, user, team, published):
    for wrong, system in enumerate("ABCDEFG"):
        published(wrong, system)
    correct_references(demo)
    rescore(board=demo)
    published(9, "H")
    log = changelog(board=demo, page=1)
    newest, rescored, *others = log.object_list
    assert (newest.first.action, newest.count) == (BoardAction.PUBLISHED, 1)
    assert [entry.system_name for entry in newest.entries] == ["H"]
    names = [entry.system_name for entry in rescored.entries]
    assert (rescored.first.action, rescored.count) == (BoardAction.RESCORED, 7)
    assert (len(names), len(set(names)), rescored.unnamed) == (NAMED, NAMED, 2)
    assert [group.first.action for group in others] == [
        BoardAction.ACTIVATED,
        *["published"] * 7,
        "activated",
    ]
    assert others[0].first.reason.startswith("Rev. 2, commitment ")
    assert {round(entry.score_before - entry.score, 6) for entry in rescored.entries} == {0.02}


def test_a_removed_result_is_struck_through_with_the_reason(demo, user, team, published):
    withdrawn, cheat, back = published(0, "A"), published(1, "B"), published(2, "C")
    withdraw(submission_id=withdrawn.pk, team=team, by=user, reason="wrong model")
    boss = make_user("boss@example.org")
    for submission in (cheat, back):
        disqualify(submission_id=submission.pk, by=boss, reason="trained on the tasks")
    reinstate(submission_id=back.pk, by=boss)
    entries = [group.first for group in changelog(board=demo).object_list]
    then = ["reinstated", "disqualified", "disqualified", "withdrawn", *["published"] * 3, "activated"]
    assert [entry.action for entry in entries] == then
    removals = [(entry.removal.action, entry.removal.reason) if entry.removal else None for entry in entries]
    struck = [("disqualified", "trained on the tasks"), ("withdrawn", "wrong model")]
    assert removals == [None, None, None, None, None, *struck, None]
    assert entries[3].reason == "wrong model"


def test_the_log_does_not_load_what_only_the_team_sees(demo, published):
    published(0, "A")
    with CaptureQueriesContext(connection) as queries:
        changelog(board=demo)
    (read,) = (query["sql"] for query in queries if "disqualification_reason" in query["sql"])
    hidden = ("problems", "warnings", "log_facts", "run_files")
    assert [name for name in hidden if f'"{name}"' in read] == []


def add_events(board, actions):
    last = BoardEvent.objects.filter(board=board).count()
    system = System.objects.get_or_create(name="S", source="x")[0]
    BoardEvent.objects.bulk_create(
        BoardEvent(
            board=board,
            number=last + number,
            rows_number=1,
            at=timezone.now(),
            action=action,
            system=system,
            system_name=f"S{number}",
            feedback="overall",
        )
        for number, action in enumerate(actions, 1)
    )


def test_pages_neither_miss_nor_repeat_a_line(demo):
    add_events(demo, (["settings", "rescored", "rescored"] * PAGE_SIZE))
    pages = [changelog(board=demo, page=number) for number in (1, 2, 3, 4)]
    numbers = [entry.number for page in pages for group in page.object_list for entry in group.entries]
    assert numbers == list(range(3 * PAGE_SIZE + 1, 0, -1))
    assert {group.count for page in pages for group in page.object_list} == {1, 2}
    for page, number in (("0", 4), ("99", 4), ("x", 1), (None, 1)):
        assert changelog(board=demo, page=page).number == number
