"""Scoring with a judge (rules, or an LLM stub): outages, budgets, resuming, rescoring."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import (
    Evaluation,
    JudgeAnswers,
    JudgedAnswer,
    JudgeDay,
    JudgeMode,
    Status,
    Submission,
)
from leaderboard.services.errors import QuotaSpent
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.submissions import grade, rescore, sweep
from leaderboard.services.submissions.grade import ScoringSlice
from tests.support.factories import fhir_references, make_fhir_demo, send, send_queued
from tests.support.llm_server import LlmReply, LlmServer
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.fhir_agentbench.judge.llm.calls import RETRIES
from wardboard.scoring.fhir_agentbench.judge.rules import judge as rules_judge

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
RULES = RulesJudge().identity


def set_up_judge(settings, server, **more):
    stub = {"base_url": server.url, "model": "stub", "name": "stub", "api_key": None}
    settings.JUDGE = settings.JUDGE | stub | more


def make_due(submission):
    """Make an incomplete submission due for another try."""
    Submission.objects.filter(pk=submission.pk).update(resume_at=timezone.now())


def test_an_llm_judges_at_a_stored_cost_and_the_hybrid_judge_asks_it_less(user, good_answers, settings):
    calls = {}
    for mode in (JudgeMode.HYBRID, JudgeMode.LLM):
        JudgedAnswer.objects.all()._raw_delete(using="default")
        with LlmServer() as server:
            set_up_judge(settings, server, price_prompt=1.0, price_completion=4.0)
            board = make_fhir_demo(f"board-{mode}", judge_mode=mode)
            submission = send(user, board, good_answers).submission
            calls[mode] = server.stats()["calls"]
    assert calls[JudgeMode.HYBRID] < calls[JudgeMode.LLM] / 2
    spending, day = submission.evaluation.spending, JudgeDay.objects.get(board=board)
    assert submission.evaluation.judge == "llm stub prompt 1"
    assert spending["calls"] == calls[JudgeMode.LLM] == day.calls == submission.work.judge_calls
    tokens = spending["prompt_tokens"] + 4 * spending["completion_tokens"]
    assert spending["cost"] == pytest.approx(tokens / 1e6)
    assert JudgedAnswer.objects.count() == spending["calls"]


def test_an_outage_leaves_a_submission_incomplete_until_it_resumes(user, good_answers, settings):
    board = make_fhir_demo(judge_mode=JudgeMode.LLM)
    with LlmServer(*[LlmReply()] * 20, LlmReply(status=503)) as server:
        set_up_judge(settings, server, concurrency=2)
        submission = send(user, board, good_answers).submission
        assert server.stats()["judged"] == 20
    assert (submission.status, submission.waits_for) == (Status.INCOMPLETE, "provider-down")
    answers = dict(JudgeAnswers.objects.values_list("status", "count"))
    assert answers["200"] == 20
    assert answers["503"] >= 2
    assert submission.evaluation is None
    assert not Evaluation.objects.exists()
    assert sweep.sweep() == 0, "it is not tried again before its time"
    make_due(submission)
    with LlmServer() as server:
        set_up_judge(settings, server)
        assert sweep.sweep() == 1
        rest = server.stats()["judged"]
    submission.refresh_from_db()
    assert submission.status == Status.SCORED
    assert (submission.waits_for, submission.resume_at) == ("", None)
    assert JudgedAnswer.objects.count() == 20 + rest
    # Failed tries count too: of three calls in a row, and of one beside the last.
    assert 20 + rest < submission.evaluation.spending["calls"] <= 20 + rest + 4 * (1 + RETRIES)


def test_a_submission_that_fails_by_unusable_replies_counts_since_the_judge_was_paid(
    user, good_answers, settings
):
    settings.JUDGE_RESUMPTIONS = 1
    board = make_fhir_demo(judge_mode=JudgeMode.LLM, daily_limit=1)
    with LlmServer(*[LlmReply()] * 50, LlmReply(text="I would rather not say.")) as server:
        set_up_judge(settings, server)
        submission = send(user, board, good_answers).submission
        assert submission.waits_for == "reply-unusable"
        make_due(submission)
        sweep.sweep()
    submission.refresh_from_db()
    assert (submission.status, submission.failure) == (Status.FAILED, grade.NO_VERDICT)
    with pytest.raises(QuotaSpent):
        send(user, board, good_answers.replace(b"The", b"the", 1))


def test_a_ground_truth_that_lost_tasks_meanwhile_fails_the_file_and_not_its_score(
    user, fhir_demo, good_answers
):
    submission = send_queued(user, fhir_demo, good_answers)
    fewer = dict(list(fhir_references().items())[:50])
    import_references(board=fhir_demo, references=fewer, origin="ten less")
    grade.score(submission_id=submission.pk)
    submission.refresh_from_db()
    assert (submission.status, submission.failure) == (Status.FAILED, grade.CHANGED)


def test_rescoring_by_the_same_judge_pays_for_nothing_twice(user, good_answers, settings):
    board = make_fhir_demo(judge_mode=JudgeMode.LLM)
    with LlmServer() as server:
        set_up_judge(settings, server)
        first = send(user, board, good_answers).submission.evaluation
        calls = server.stats()["calls"]
        changed = dict(fhir_references())
        task_id, reference = changed.popitem()
        import_references(board=board, references=changed, origin="one question less")
        board.refresh_from_db()
        result = rescore.rescore(board=board)
        # The file has a record of a removed task, so it no longer fits the board.
        assert result.changed == 0
        assert "of tasks that the new revision has not" in next(iter(result.skipped.values()))
        import_references(board=board, references={**changed, task_id: reference}, origin="back")
        board.refresh_from_db()
        assert rescore.rescore(board=board).changed == 0
        board.judge_mode = JudgeMode.HYBRID
        board.save()
        assert rescore.rescore(board=board).changed == 1
        assert server.stats()["calls"] == calls
    submission = Submission.objects.get()
    assert submission.evaluation != first
    assert submission.evaluation.judge == f"hybrid stub prompt 1 {RULES}"
    assert submission.evaluations.count() == 2


def test_a_slice_by_rules_that_is_over_is_followed_by_one_that_goes_on(
    fhir_demo, user, good_answers, settings, monkeypatch
):
    undisturbed = send(user, fhir_demo, good_answers).submission.evaluation
    seconds = iter(range(0, 10**6, 10))
    monkeypatch.setattr(rules_judge, "monotonic", lambda: next(seconds))
    settings.SCORING_SLICE = timedelta(0)
    kept = []
    monkeypatch.setattr(
        ScoringSlice,
        "watch",
        lambda self, progress, watch=ScoringSlice.watch: (
            kept.append(progress.judged) or watch(self, progress)
        ),
    )
    submission = send(user, fhir_demo, good_answers + b" ", system="Sliced").submission
    assert submission.status == Status.SCORED
    assert submission.evaluation.verdicts == undisturbed.verdicts
    assert submission.work.judged_by_rules is None
    # Each slice went on where the one before it had ended.
    judged = [count for count in kept if count]
    assert judged == sorted(set(judged))
    assert len(judged) > 10
