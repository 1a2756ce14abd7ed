"""A revision that sets tasks aside: they count in no score, files may hold them, and both scores are kept."""

import json
from dataclasses import replace

import numpy as np
import pytest
from django.core.management import call_command

from leaderboard.models import AuditEvent, Board, BoardEvent, Doubt, DoubtKind, Evaluation, Standing
from leaderboard.services import visibility
from leaderboard.services.accounts import personal_team
from leaderboard.services.boards.ranks import ranks_of_result
from leaderboard.services.doubts.reports import report
from leaderboard.services.doubts.set_aside import stage_set_aside
from leaderboard.services.errors import WrongState
from leaderboard.services.judging.references import patients_of
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.publishing.disqualify import ReasonRefused
from leaderboard.services.publishing.import_references import activate_revision, import_references
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.submissions.rescore import rescore
from tests.support.factories import (
    demo_references,
    make_demo,
    make_fhir_demo,
    make_published,
    make_scored,
    with_answers,
    with_wrong,
)
from wardboard.scoring.fhir_agentbench import demo as fhir_demo_files
from wardboard.scoring.medagentbench import demo as demo_files

pytestmark = pytest.mark.both_databases
REASON = "The order was placed twice in the record."


@pytest.fixture
def board(db) -> Board:
    return make_demo("hidden", is_demo=False)


def set_aside(board: Board, user, *tasks: str, reason: str = REASON) -> Board:
    """Set tasks aside in the active revision, rescore, and return the board as it is then."""
    board = Board.objects.get(pk=board.pk)
    revision = stage_set_aside(board=board, tasks=dict.fromkeys(tasks, reason), by=user)
    activate_revision(revision=revision, was=board.active_revision_id, by=user)
    rescore(board=Board.objects.get(pk=board.pk))
    return Board.objects.get(pk=board.pk)


def figures(submission) -> tuple[int, int, float | None]:
    evaluation = Evaluation.objects.get(pk=type(submission).objects.get(pk=submission.pk).evaluation_id)
    return evaluation.right, evaluation.total, evaluation.metrics.get("all_tasks")


def test_a_task_set_aside_counts_in_no_score_and_the_score_over_all_tasks_stays_beside(
    board, user, other_user, good_file
):
    best = make_published(user, board, with_answers(good_file, task2_1="[-1]"), system="Alpha")
    other = make_published(other_user, board, with_answers(good_file, task1_1="[]"), system="Beta")
    before = figures(best)
    assert before == figures(other)
    right, total, _ = before
    board = set_aside(board, user, "task2_1")
    assert figures(best) == (right, total - 1, right / total)
    assert figures(other) == (right - 1, total - 1, right / total)
    assert board.set_aside_count == 1
    assert "all_tasks" in [metric.key for metric in visibility.visible_metrics(board)]
    rows = dict(Standing.objects.filter(board=board).values_list("name", "score"))
    assert rows["Alpha"] > rows["Beta"]
    event = BoardEvent.objects.filter(board=board, action="activated").latest("number")
    assert words_of(event).endswith("; tasks set aside: task2_1")


def test_files_with_all_tasks_are_taken_and_scored_after_it(board, user, good_file):
    board = set_aside(board, user, "task2_1", "task5_1")
    total = board.active_revision.task_count
    whole = make_scored(user, board, good_file)
    right, scored, over_all = figures(whole)
    assert scored == total
    assert whole.count == total + 2
    assert whole.warning_count == 0
    fewer = json.loads(good_file)
    fewer["results"] = [row for row in fewer["results"] if row["task_id"] not in ("task2_1", "task5_1")]
    without = make_scored(user, board, json.dumps(fewer).encode(), system="Without")
    assert figures(without)[:2] == (right, total)
    assert figures(without)[2] == pytest.approx(right / (total + 2))
    assert over_all is not None
    assert over_all > figures(without)[2]


def test_before_publication_the_score_over_all_tasks_is_hidden_as_all_but_the_rounded_one(user, good_file):
    board = set_aside(make_demo("hidden", is_demo=False, rounding=1), user, "task2_1")
    unpublished = make_scored(user, board, good_file)
    result = visibility.visible_result(unpublished)
    assert set(result.metrics) == {"success_rate"}
    published = make_published(user, board, with_wrong(good_file, 2), system="Published")
    assert visibility.visible_result(published).metrics["all_tasks"] is not None


def test_putting_tasks_back_restores_every_score(board, user, good_file):
    submission = make_published(user, board, with_wrong(good_file, 3))
    before = figures(submission)
    number = board.active_revision.number
    set_aside(board, user, "task2_1", "task5_1")
    board = set_aside(board, user, "task5_1")
    assert [task["task"] for task in board.active_revision.set_aside] == ["task5_1"]
    board = set_aside(board, user)
    assert (board.active_revision.number, board.set_aside_count) == (number, 0)
    assert figures(submission) == before
    assert "all_tasks" not in [metric.key for metric in visibility.visible_metrics(board)]


def test_repeating_the_import_keeps_tasks_aside_and_another_content_does_not(board, user, capsys):
    board = set_aside(board, user, "task2_1")
    active = board.active_revision_id
    again = import_references(board=board, references=demo_references(), origin="tests")
    call_command(
        "import_references", "medagentbench", "--tasks", str(demo_files.TASKS), "--fhir-recording",
        str(demo_files.RECORDING), "--slug", "hidden", "--board-version", "demo",
    )  # fmt: skip
    assert "1 set aside" in capsys.readouterr().out
    assert (again.changed, again.revision.pk) == (False, active)
    assert Board.objects.get(pk=board.pk).set_aside_count == 1
    other = {task: one for task, one in demo_references().items() if task != "task1_1"}
    import_references(board=board, references=other, origin="tests")
    assert Board.objects.get(pk=board.pk).set_aside_count == 0


def test_what_cannot_be_set_aside_is_refused(board, user):
    with pytest.raises(WrongState, match="not among the reference answers: 1, the first task99_1"):
        stage_set_aside(board=board, tasks={"task99_1": REASON}, by=user)
    with pytest.raises(WrongState, match="At least one task"):
        stage_set_aside(board=board, tasks=dict.fromkeys(board.active_revision.task_ids, REASON), by=user)
    with pytest.raises(ReasonRefused):
        stage_set_aside(board=board, tasks={"task2_1": " "}, by=user)
    first = stage_set_aside(board=board, tasks={"task2_1": REASON}, by=user)
    assert stage_set_aside(board=board, tasks={"task2_1": "Another reason"}, by=user) == first
    fewer = {task: one for task, one in demo_references().items() if task != "task1_1"}
    import_references(board=board, references=fewer, origin="tests", is_staged=True)
    with pytest.raises(WrongState, match="imported with just the other tasks"):
        stage_set_aside(board=board, tasks={"task1_1": REASON}, by=user)


def test_setting_a_task_aside_accepts_its_reports(board, user, good_file):
    submission = make_scored(user, board, good_file)
    for task in ("task2_1", "task5_1"):
        report(
            submission_id=submission.pk,
            team=personal_team(user),
            by=user,
            task_id=task,
            kind=DoubtKind.WRONG,
            text="",
        )
    board = set_aside(board, user, "task2_1")
    states = {doubt.task_id: (doubt.state, doubt.answer) for doubt in Doubt.objects.all()}
    assert states == {"task2_1": ("accepted", REASON), "task5_1": ("open", "")}
    accepted = AuditEvent.objects.get(action=AuditEvent.Action.DOUBT_ACCEPTED)
    assert (accepted.data["task"], accepted.data["teams"], accepted.actor) == ("task2_1", 1, user)


def test_tests_and_clusters_use_only_the_tasks_in_force_and_files_are_checked_by_all(user, other_user, db):
    board = make_fhir_demo("fhir-hidden", is_demo=False)
    make_published(user, board, fhir_demo_files.GOOD.read_bytes(), system="Alpha")
    make_published(other_user, board, fhir_demo_files.NOISY.read_bytes(), system="Beta")
    before = board.active_revision
    patients, ids = patients_of(before.pk, before.digest), before.task_ids
    board = set_aside(board, user, *ids[:7])
    assert patients_of(board.active_revision_id, board.active_revision.digest) == patients
    compute_statistics(board_id=board.pk)
    evaluations = Evaluation.objects.filter(revision=board.active_revision)
    assert {len(bytes(row.verdicts)) for row in evaluations} == {len(ids) - 7}
    groups = load_task_groups(board=board, revision_id=board.active_revision_id)
    assert {len(numbers) for numbers in groups.clusters.values()} == {len(ids) - 7}
    assert len(groups.strata) == len(ids) - 7
    assert all(np.isfinite(row.metrics["all_tasks"]) for row in evaluations)


@pytest.mark.parametrize("answer", ["[-1]", None], ids=["wrong", "right"])
def test_an_unpublished_score_stays_as_it_was_whichever_tasks_are_set_aside(board, user, good_file, answer):
    content = with_answers(good_file, task2_1=answer) if answer else good_file
    submission = make_scored(user, board, content)
    board.rounding = 1
    board.save()

    def shown() -> visibility.RoundedRate:
        return visibility.visible_result(type(submission).objects.get(pk=submission.pk)).overall

    before = shown()
    for number, task in enumerate(["task2_1", "task1_1"], 1):
        set_aside(board, user, *["task2_1", "task1_1"][:number])
        assert shown() == replace(before, aside=number), task


def test_the_ranks_of_a_rounded_score_allow_for_every_verdict_on_tasks_set_aside(
    board, user, other_user, good_file
):
    make_published(other_user, board, good_file, system="Full")
    submission = make_scored(user, board, with_answers(good_file, task2_1="[-1]"))
    Board.objects.filter(pk=board.pk).update(rounding=1)
    board = set_aside(board, user, "task2_1")
    result = visibility.visible_result(type(submission).objects.get(pk=submission.pk))
    assert ranks_of_result(result, board, system=None)["best"] == 1
