"""Files of several teams with equal answers are named; others are not."""

import pytest

from leaderboard.models import AnswerDigests
from leaderboard.services.submissions.digests import equal_answers
from tests.support.factories import make_demo, make_scored, send, send_runs, with_wrong

pytestmark = pytest.mark.both_databases


@pytest.fixture
def board(db):
    return make_demo("hidden", is_demo=False)


def named(board):
    return [{submission.pk for submission in group} for group in equal_answers(board)]


def test_equal_answers_of_two_teams_are_named_whatever_their_bytes(board, user, other_user, good_file):
    first, again = (make_scored(user, board, raw) for raw in (good_file, good_file + b"\n"))
    make_scored(user, board, with_wrong(good_file, 1))
    assert named(board) == [], "one team may send the same answers again"
    second = make_scored(other_user, board, good_file + b"\n")
    assert named(board) == [{first.pk, again.pk, second.pk}]


def test_a_run_in_common_links_files_and_what_these_are_linked_to(board, user, other_user, good_file):
    files = [with_wrong(good_file, wrong) for wrong in (1, 2, 3)]
    pair = send_runs(user, board, files[:2]).submission
    other = send_runs(other_user, board, [files[2], files[1]]).submission
    third = send(user, board, files[2]).submission
    make_scored(other_user, board, good_file)
    assert named(board) == [{pair.pk, other.pk, third.pk}]


def test_digests_reveal_nothing_without_the_key(board, user, good_file, settings):
    first = make_scored(user, board, good_file)
    packed = bytes(AnswerDigests.objects.get(submission=first).digests)
    settings.SECRET_KEY = "another"
    second = make_scored(user, board, good_file + b"\n")
    other = bytes(AnswerDigests.objects.get(submission=second).digests)
    assert len(packed) == len(other) == 2 * 50
    assert packed != other
