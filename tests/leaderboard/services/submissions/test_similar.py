"""Families of files that look made to learn hidden values are named; honest runs are not."""

import json
import math
import random
from time import perf_counter

import numpy as np
import pytest

from leaderboard.models import AnswerDigests, Feedback, Submission
from leaderboard.services.errors import StorageAway
from leaderboard.services.judging import references
from leaderboard.services.submissions import similar
from leaderboard.services.submissions.digests import AnswerDigester
from leaderboard.services.submissions.similar import count_outcomes, find_similar, similar_pairs
from tests.support.factories import make_demo, make_scored, make_user, with_answers
from wardboard.scoring import registry

pytestmark = pytest.mark.both_databases


@pytest.fixture
def board(db):
    return make_demo("hidden", is_demo=False, rounding=1)


def tasks_of(raw):
    return [result["task_id"] for result in json.loads(raw)["results"]]


def only(raw, tasks):
    document = json.loads(raw)
    document["results"] = [result for result in document["results"] if result["task_id"] in tasks]
    return json.dumps(document).encode()


def rerun(raw, *, share, seed):
    """Return a run of a stochastic agent: `share` of its answers are others."""
    chance = random.Random(seed)
    tasks = tasks_of(raw)
    changed = chance.sample(tasks, round(share * len(tasks)))
    return with_answers(raw, **{task: json.dumps([f"{chance.random()}"]) for task in changed})


def named(board):
    families = find_similar(board=board).families
    return [{submission.pk for submission in family.submissions} for family in families]


def test_a_family_made_by_group_testing_is_named_whoever_sent_its_files(board, good_file):
    chance, tasks = random.Random(1), tasks_of(good_file)
    family = set()
    for number in range(10):
        account = make_user(f"throwaway{number}@example.org")
        family.add(make_scored(account, board, only(good_file, chance.sample(tasks, 15))).pk)
    honest = make_scored(make_user("honest@example.org"), board, rerun(good_file, share=0.4, seed=9)).pk
    (found,) = find_similar(board=board).families
    assert {submission.pk for submission in found.submissions} == family
    assert honest not in family
    assert (found.has_parts, found.teams, found.outcomes) == (True, 10, found.varied + 1)
    assert found.bits == pytest.approx(10 * math.log2(found.outcomes))


def test_filling_up_the_other_tasks_with_one_answer_hides_no_family(board, user, good_file):
    chance, tasks = random.Random(2), tasks_of(good_file)
    family = set()
    for _ in range(5):
        tested = chance.sample(tasks, 15)
        document = json.loads(good_file)
        for result in document["results"]:
            if result["task_id"] not in tested:
                result |= {"answer": '["none"]', "post_history": []}
        family.add(make_scored(user, board, json.dumps(document).encode()).pk)
    assert named(board) == [family]


def test_files_that_partition_the_tasks_are_a_family(board, user, good_file):
    tasks = tasks_of(good_file)
    family = {make_scored(user, board, only(good_file, tasks[start::5])).pk for start in range(5)}
    assert named(board) == [family]


def test_files_that_differ_in_few_answers_are_a_family(board, user, other_user, good_file):
    first = make_scored(user, board, good_file)
    task = tasks_of(good_file)[7]
    second = make_scored(other_user, board, with_answers(good_file, **{task: '["another"]'}))
    (found,) = find_similar(board=board).families
    assert {submission.pk for submission in found.submissions} == {first.pk, second.pk}
    assert (found.has_few_differences, found.varied, found.teams) == (True, 1, 2)
    assert found.bits == 2.0, "two files, each with two results"


def test_honest_reruns_of_a_stochastic_agent_are_no_family(board, user, good_file):
    for seed in range(6):
        make_scored(user, board, rerun(good_file, share=0.3, seed=seed))
    assert named(board) == []


def test_two_unrelated_teams_are_no_family(board, user, other_user, good_file):
    tasks = tasks_of(good_file)
    make_scored(user, board, good_file)
    make_scored(other_user, board, rerun(good_file, share=1.0, seed=3))
    # Not even if both tried a part first.
    make_scored(user, board, only(good_file, tasks[:10]))
    make_scored(other_user, board, rerun(only(good_file, tasks[5:15]), share=1.0, seed=4))
    assert named(board) == []


def test_files_of_an_old_release_are_read_from_their_stored_records_and_no_reference_is(
    board, user, good_file, monkeypatch
):
    tasks = tasks_of(good_file)
    family = {make_scored(user, board, only(good_file, tasks[start::5])).pk for start in range(5)}
    stored = dict(AnswerDigests.objects.values_list("submission", "digests"))
    AnswerDigests.objects.all().delete()

    def refuse(*_):
        raise AssertionError("a reference was read")

    monkeypatch.setattr(references, "references_of", refuse)
    monkeypatch.setattr(references, "_load", refuse)
    assert named(board) == [family]
    assert dict(AnswerDigests.objects.values_list("submission", "digests")) == stored


def test_digests_reveal_nothing_without_the_key(board, user, good_file, settings):
    make_scored(user, board, good_file)
    packed = bytes(AnswerDigests.objects.get().digests)
    assert len(packed) == 2 * 50
    settings.SECRET_KEY = "another"
    digester = AnswerDigester(registry.get(board.benchmark))
    record = type("Record", (), {"task_id": "task1_1", "answer": '["S1"]', "post_history": []})
    list(digester.pass_on([record]))
    assert digester.packed(board.ground_truth)[:2] != packed[:2]
    assert Submission.objects.count() == 1


def test_the_outcomes_are_those_that_differ_after_rounding(board):
    # One answer of fifty is two points; of a thousand, a tenth of a point, which may cross a limit.
    assert count_outcomes(board, varied=1, tasks=50) == 2
    assert count_outcomes(board, varied=10, tasks=1000) == 3
    assert count_outcomes(board, varied=1000, tasks=1000) == 101
    board.rounding = 0
    assert count_outcomes(board, varied=10, tasks=1000) == 11
    board.feedback = Feedback.BY_TASK
    assert count_outcomes(board, varied=10, tasks=1000) == 1024


def test_two_hundred_files_of_three_thousand_tasks_are_compared_in_seconds():
    table = np.random.default_rng(5).integers(1, 2**16, size=(200, 3000), dtype=np.uint16)
    table[1] = table[0]
    table[1, 5] = 7
    few, parts = similar_pairs(table)
    assert np.argwhere(few).tolist() == [[0, 1], [1, 0]]
    assert not parts.any()


def make_runs(count, tasks, *, agreeing, seed=1):
    """Return the digests of `count` runs, which have the common answer to a share of the tasks."""
    chance = np.random.default_rng(seed)
    common = chance.integers(1, 2**16, size=tasks, dtype=np.uint16)
    others = chance.integers(1, 2**16, size=(count, tasks), dtype=np.uint16)
    return np.where(chance.random((count, tasks)) < agreeing, common, others)


@pytest.mark.parametrize("seed", range(8))
def test_pairs_are_those_that_counting_every_task_finds(seed):
    chance = np.random.default_rng(seed)
    tasks = int(chance.integers(10, 700))
    table = make_runs(24, tasks, agreeing=(0.6, 0.96, 0.98)[seed % 3], seed=seed)
    table[:8, :] *= chance.random((8, tasks)) < 0.5
    table[8], table[9, : tasks // 3] = table[0], 7
    few, parts = similar_pairs(table)
    contents = [similar.row_without_filler(row) for row in table]
    for one in range(24):
        for other in range(24):
            differing = sum(table[one] != table[other])
            answered = sum((table[one] != 0) | (table[other] != 0))
            most = max(2, 0.05 * answered) if answered >= 20 else 0
            assert few[one, other] == (0 < differing <= most)
            first, second = contents[one], contents[other]
            are_parts = all(0 < sum(row != 0) <= 0.75 * tasks for row in (first, second))
            common = (first != 0) & (second != 0)
            agrees = sum(common & (first == second)) >= 0.9 * sum(common)
            crosses = any((first != 0) != (second != 0))
            assert parts[one, other] == (are_parts and agrees and crosses)


@pytest.mark.long
def test_two_thousand_runs_are_compared_in_seconds():
    started = perf_counter()
    few, parts = similar_pairs(make_runs(2000, 2931, agreeing=0.66))
    # 100 s with each pair compared to the end.
    assert perf_counter() - started < 20
    assert not few.any()
    assert not parts.any()


def test_files_without_digests_are_left_while_the_storage_is_away(board, user, good_file, monkeypatch):
    def fail(**_: object) -> None:
        raise StorageAway("no answer")

    make_scored(user, board, good_file)
    AnswerDigests.objects.all().delete()
    monkeypatch.setattr(similar, "digest_stored_records", fail)
    away = find_similar(board=board)
    assert (away.compared, away.left) == (0, 1)
    monkeypatch.undo()
    back = find_similar(board=board)
    assert (back.compared, back.left) == (1, 0)
