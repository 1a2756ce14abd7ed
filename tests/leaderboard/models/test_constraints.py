"""The database itself refuses each invalid row, and a submission takes no step but those of the table."""

import uuid
from datetime import timedelta
from itertools import product

import pytest
from django.apps import apps
from django.db import DataError, IntegrityError, transaction
from django.db.models import CheckConstraint
from django.utils import timezone

from leaderboard.models import (
    ApprovalStatus,
    Board,
    BoardAction,
    BoardEvent,
    CodeState,
    DeviceCode,
    Doubt,
    Evaluation,
    Feedback,
    Installation,
    Kind,
    ReferenceRevision,
    ReportedResult,
    Season,
    Standing,
    Status,
    StorageToken,
    Submission,
    SweepTimes,
    System,
    TeamApproval,
    TrustedPublisher,
)
from leaderboard.models.submissions import NEXT
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_scored, make_user
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.both_databases


@shared_rows
def scored() -> Submission:
    return make_scored(make_user(), make_demo(), GOOD.read_bytes())


def copy_of(s, **fields):
    row = {"board": s.board, "team": s.team, "submitted_by": s.submitted_by, "system": s.system}
    row |= {"sha256": s.sha256, "size_bytes": 1, "received_at": NOW, "moved_at": NOW}
    row |= {"stored_as": uuid.uuid4()}
    return Submission.objects.create(**{**row, **fields})


def refused(constraint):
    """Expect the database to refuse a row because of `constraint`."""
    # SQLite names a CHECK; for a UNIQUE it names only the columns.
    return pytest.raises((IntegrityError, DataError), match=constraint)


NOW = timezone.now()
ASIDE = {"task": "b", "place": 1, "reason": "x"}
QUEUED = {"status": Status.QUEUED}


def unscored(status, **fields):
    return {"status": status, "evaluation": None, "scored_at": None, **fields}


# Constraint -> changes of a scored submission that it refuses.
BAD_SUBMISSIONS = {
    "submission_status_known": [unscored("lost")],
    "submission_scored_has_evaluation": [
        *(QUEUED, {"evaluation": None}, {"scored_at": None}),
        *(QUEUED | {"evaluation": None}, QUEUED | {"scored_at": None}),
    ],
    "submission_failed_has_reason": [{"failure": "none"}, unscored(Status.FAILED, failure="")],
    "submission_incomplete_waits": [
        *({"waits_for": "provider-down"}, {"resume_at": NOW}),
        *(unscored(Status.INCOMPLETE, waits_for=""), unscored(Status.INCOMPLETE, resume_at=NOW)),
    ],
    "submission_rejected_has_problems": [{"problem_count": 1}, unscored(Status.REJECTED, problem_count=0)],
    "submission_scoring_is_claimed": [{"claim": uuid.uuid4()}, unscored(Status.SCORING, claim=None)],
    "submission_published_is_scored": [unscored(Status.QUEUED, published_at=NOW)],
    "submission_withdrawn_was_published": [{"withdrawn_at": NOW}],
    "submission_disqualified_says_why": [
        *({"disqualified_at": NOW}, {"disqualification_reason": "why"}),
        unscored(Status.QUEUED, disqualified_at=NOW, disqualification_reason="why"),
    ],
    "submission_attested_has_job": [{"provenance": level} for level in ("ci-attested", "guessed")],
}


def test_an_invalid_submission_row_is_refused(scored, subtests):
    for constraint, changes in BAD_SUBMISSIONS.items():
        for bad in changes:
            with subtests.test(constraint), refused(constraint), transaction.atomic():
                Submission.objects.filter(pk=scored.pk).update(**bad)


REPORTED = {"name": "A", "source": "A paper", "stated": {}}
# Constraint -> what would write a row that it refuses.
BAD_ROWS = {
    "installation_only_one": [lambda s: Installation.objects.create(pk=2)],
    "storagetoken_only_one": [lambda s: StorageToken.objects.create(pk=2)],
    "sweeptimes_only_one": [lambda s: SweepTimes.objects.create(pk=2)],
    "reported_result_is_named": [lambda s: reported(s, name="", is_ranked=False)],
    "reported_result_ranked_has_system": [lambda s: reported(s, is_ranked=True)],
    "benchmark_feedback_known": [lambda s: change_board(s, feedback="everything")],
    "benchmark_judge_known": [lambda s: change_board(s, judge_mode="coin")],
    "benchmark_access_known": [lambda s: change_board(s, access="friends")],
    "benchmark_rounding_at_most_half": [lambda s: change_board(s, rounding=51)],
    "approval_status_known": [lambda s: approval(s, status="maybe", decided_at=NOW)],
    "approval_decided_or_not": [
        lambda s: approval(s, decided_at=NOW),
        lambda s: approval(s, status=ApprovalStatus.APPROVED),
    ],
    "device_code_answered_by_someone": [
        lambda s: device_code(state=CodeState.APPROVED),
        lambda s: device_code(user=s.submitted_by),
    ],
    "revision_number_from_one": [lambda s: revision(s, number=0, digest="d")],
    "revision_sets_aside_of_another": [
        lambda s: revision(s, number=2, digest="d", set_aside=[ASIDE]),
        lambda s: revision(s, number=2, digest="d", full=s.board.active_revision),
    ],
    "revision_has_digest": [lambda s: revision(s, number=2, digest="")],
    "doubt_kind_known": [lambda s: doubt(s, kind="odd")],
    "doubt_state_known": [lambda s: doubt(s, state="odd", decided_at=NOW)],
    "doubt_decided_or_not": [lambda s: doubt(s, decided_at=NOW), lambda s: doubt(s, state="accepted")],
    "evaluation_right_within_total": [
        lambda s: evaluation(s, right=51, total=50),
        lambda s: evaluation(s, right=0, total=0),
    ],
    "standing_score_is_rate": [lambda s: standing(s, score=1.01), lambda s: standing(s, score=-0.01)],
    "standing_rescored_has_evaluation": [
        lambda s: standing(s, kind=Kind.RESCORED),
        lambda s: standing(s, kind="guessed"),
        lambda s: standing(s, kind=Kind.REPORTED, evaluation=s.evaluation),
        lambda s: standing(s, kind=Kind.BASELINE, evaluation=s.evaluation),
    ],
    "system_has_team_or_source": [
        lambda s: System.objects.create(team=s.team, source="a paper", name="x"),
        lambda s: System.objects.create(name="x"),
    ],
    "system_has_name": [lambda s: System.objects.create(team=s.team, name="")],
    "trusted_publisher_bound_has_id": [
        lambda s: publisher(s, repository_id="17"),
        lambda s: publisher(s, bound_at=NOW),
    ],
    "board_event_disqualified_why": [lambda s: event(s, action=BoardAction.DISQUALIFIED)],
    "season_moments_in_order": [
        lambda s: season(s, closes_at=NOW),
        lambda s: season(s, reveals_at=NOW + timedelta(days=1)),
    ],
    "season_revealed_has_table": [
        lambda s: season(s, revealed_at=NOW, closed_at=NOW),
        lambda s: season(s, revealed_at=NOW, table_number=1),
        lambda s: season(s, table_number=1),
    ],
    "event_public_or_private": [
        lambda s: event(s, board=None),
        lambda s: event(s, actor=s.submitted_by),
        lambda s: event(s, number=None, digest="0" * 64),
    ],
}


def reported(s, **fields):
    ReportedResult.objects.create(**{**REPORTED, **fields}, board_id=s.board_id)


def change_board(s, **fields):
    Board.objects.filter(pk=s.board_id).update(**fields)


def doubt(s, **fields):
    row = {"board": s.board, "team": s.team, "submission": s, "revision": s.board.active_revision}
    Doubt.objects.create(**{**row, "task_id": "task1_1", "kind": "other", **fields})


def season(s, **fields):
    closes = NOW + timedelta(days=2)
    Season.objects.create(
        **{"board": s.board, "opens_at": NOW, "closes_at": closes, "reveals_at": closes, **fields}
    )


def event(s, **fields):
    row = {"board": s.board, "number": 9, "rows_number": 9, "at": NOW, "feedback": Feedback.OVERALL}
    BoardEvent.objects.create(**{**row, **fields})


def publisher(s, **fields):
    row = {"team": s.team, "added_by": s.submitted_by, "issuer": "https://ci.example.org"}
    row |= {"repository": "lab/agent", "workflow": ".github/workflows/release.yml"}
    return TrustedPublisher.objects.create(**{**row, **fields})


def device_code(**changes):
    DeviceCode.objects.create(
        **{"digest": "d", "user_code": "c", "client": "x", "scopes": [], "expires_at": NOW},
        **changes,
    )


def approval(s, **fields):
    TeamApproval.objects.create(board=s.board, team=s.team, **fields)


def revision(s, **fields):
    ReferenceRevision.objects.create(board=s.board, origin="x", task_ids=["a"], content=b"", **fields)


def evaluation(s, **fields):
    row = {"metrics": {}, "breakdowns": {}, "verdicts": b"", "duration_ms": 1, "created_at": NOW}
    row |= {"submission": s, "revision": s.board.active_revision, "scorer_version": "other"}
    Evaluation.objects.create(**row, **fields)


def standing(s, **fields):
    row = {"kind": Kind.REPORTED, "board": s.board, "system": s.system, "since": NOW}
    Standing.objects.create(**{**row, **fields})


def test_any_other_invalid_row_is_refused(scored, subtests):
    for constraint, writes in BAD_ROWS.items():
        for write in writes:
            with subtests.test(constraint), refused(constraint), transaction.atomic():
                write(scored)


def test_every_check_constraint_is_tested_here():
    ours = {
        constraint.name
        for model in apps.get_app_config("leaderboard").get_models()
        for constraint in model._meta.constraints
        if isinstance(constraint, CheckConstraint)
    }
    assert ours == {*BAD_SUBMISSIONS, *BAD_ROWS}


def test_rejected_files_may_come_as_often_as_they_like(scored):
    for _ in range(2):
        copy_of(scored, status=Status.REJECTED, problem_count=1)
    assert Submission.objects.filter(sha256=scored.sha256).count() == 3


ALLOWED = {(str(was), str(to)) for was, ends in NEXT.items() for to in ends}


def needs(status, scored):
    """Return the fields that go with a status; whatever has the evaluation gives it up for a scored one."""
    if status == Status.SCORED:
        holders = Submission.objects.filter(evaluation=scored.evaluation)
        holders.update(status=Status.QUEUED, evaluation=None, scored_at=None)
    return {
        Status.REJECTED: {"problem_count": 1},
        Status.SCORING: {"claim": uuid.uuid4()},
        Status.SCORED: {"evaluation": scored.evaluation, "scored_at": timezone.now()},
        Status.FAILED: {"failure": "why"},
        Status.INCOMPLETE: {"waits_for": "provider-down", "resume_at": timezone.now()},
    }.get(status, {})


def make(status, scored):
    return copy_of(scored, status=status, sha256=uuid.uuid4().hex, **needs(status, scored))


def test_an_allowed_transition_changes_the_state(scored):
    emptied = {"problem_count": 0, "claim": None, "failure": "", "waits_for": "", "resume_at": None}
    emptied |= {"evaluation": None, "scored_at": None}
    for was, to in sorted(ALLOWED):
        submission = make(was, scored)
        moved = Submission.objects.filter(pk=submission.pk).become(
            Status(to), was=Status(was), **{**emptied, **needs(to, scored)}
        )
        submission.refresh_from_db()
        assert (moved, submission.status) == (1, to), was


def test_any_other_transition_is_refused(scored):
    for was, to in set(product(Status.values, Status.values)) - ALLOWED:
        submission = make(was, scored)
        with pytest.raises(ValueError, match=f"no step from {was} to {to}"):
            Submission.objects.filter(pk=submission.pk).become(Status(to), was=Status(was))
        submission.refresh_from_db()
        assert submission.status == was
        # A result belongs to one submission.
        Submission.objects.filter(pk=submission.pk).delete()


def test_a_row_in_another_state_is_not_changed(scored):
    submission = make(Status.QUEUED, scored)
    rows = Submission.objects.filter(pk=submission.pk)
    assert rows.become(Status.SCORING, was=Status.QUEUED, claim=uuid.uuid4()) == 1
    assert rows.become(Status.SCORING, was=Status.QUEUED, claim=uuid.uuid4()) == 0
