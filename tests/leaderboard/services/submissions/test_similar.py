"""Files with the answers of another team, or of a public file, are named; others are not."""

import json

import pytest

from leaderboard.models import AnswerDigests
from leaderboard.services.submissions.digests import similar_answers
from tests.support.factories import make_demo, make_scored, send, send_runs, with_wrong
from tools.public_files import digest_file
from wardboard.scoring import registry

pytestmark = pytest.mark.both_databases


@pytest.fixture
def board(db):
    return make_demo("hidden", is_demo=False)


def named(board):
    return [({one.pk for one in group.submissions}, group.share) for group in similar_answers(board)]


@pytest.mark.parametrize(("wrong", "share"), [(0, 1.0), (1, 0.98), (2, 0.96)])
def test_equal_and_nearly_equal_answers_of_two_teams_are_named_whatever_their_bytes(
    board, user, other_user, good_file, wrong, share
):
    first, again = (make_scored(user, board, raw) for raw in (good_file, good_file + b"\n"))
    make_scored(user, board, with_wrong(good_file, 10))
    assert named(board) == [], "one team may send the same answers again"
    second = make_scored(other_user, board, with_wrong(good_file, wrong) + b"\n")
    assert named(board) == [({first.pk, again.pk, second.pk}, share)]


@pytest.mark.parametrize("change", ["{} ", "{}.", '["{}\\n"]', str.upper])
def test_neither_case_nor_space_nor_punctuation_hides_equal_answers(
    board, user, other_user, good_file, change
):
    first, document = make_scored(user, board, good_file), json.loads(good_file)
    for result in document["results"]:
        if text := result["answer"]:
            result["answer"] = change(text) if callable(change) else change.format(text.strip('[]"'))
    second = make_scored(other_user, board, json.dumps(document).encode())
    assert named(board) == [({first.pk, second.pk}, 1.0)]


def test_a_run_in_common_links_files_and_what_these_are_linked_to(board, user, other_user, good_file):
    files = [with_wrong(good_file, wrong) for wrong in (10, 20, 30)]
    pair = send_runs(user, board, files[:2]).submission
    other = send_runs(other_user, board, [files[2], files[1]]).submission
    third = send(user, board, files[2]).submission
    make_scored(other_user, board, with_wrong(good_file, 3))
    assert named(board) == [({pair.pk, other.pk, third.pk}, 1.0)]


@pytest.mark.parametrize("answer", [None, "[]", '["I cannot help with that."]'])
def test_files_that_mostly_say_nothing_are_similar_to_none(board, user, other_user, good_file, answer):
    document = json.loads(good_file)
    for result in document["results"][:26]:
        result.update(answer=answer, post_history=[])
    for sender in (user, other_user):
        make_scored(sender, board, json.dumps(document).encode(), allow_empty=True)
    assert named(board) == []


def test_the_answers_of_a_public_file_are_named_with_its_address(board, user, good_file, monkeypatch):
    benchmark, address = registry.get("medagentbench"), "https://git.example.org/results.json"
    digests = digest_file(benchmark, good_file)
    monkeypatch.setattr(benchmark, "public_files", {address: digests})
    make_scored(user, board, with_wrong(good_file, 10))
    copy = make_scored(user, board, with_wrong(good_file, 1))
    [group] = similar_answers(board)
    assert (group.submissions, group.share, group.public_files) == ([copy], 0.98, [address])


def test_digests_reveal_nothing_without_the_key(board, user, good_file, settings):
    first = make_scored(user, board, good_file)
    packed = bytes(AnswerDigests.objects.get(submission=first).digests)
    settings.SECRET_KEY = "another"
    second = make_scored(user, board, good_file + b"\n")
    other = bytes(AnswerDigests.objects.get(submission=second).digests)
    assert len(packed) == len(other) == 2 * 50
    assert packed != other
