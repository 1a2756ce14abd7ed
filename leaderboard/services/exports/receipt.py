"""Sign receipts of results. A receipt says what scored a file, and its score."""

from typing import Any

from django.conf import settings

from leaderboard.models import BoardAction, BoardEvent, Submission
from leaderboard.services import visibility
from leaderboard.services.judging.references import visible_digest
from leaderboard.services.record.keys import signer
from leaderboard.services.visibility import VisibleResult
from wardboard.scoring import registry
from wardboard.scoring.receipts.canonical import digest_of, figures_of
from wardboard.scoring.receipts.entries import format_time
from wardboard.scoring.receipts.signatures import sign

# What the issuer of an ID token vouched for; `artifact_sha256` is the digest of the file.
_SIGNED_BY_CI = (
    *("issuer", "repository", "repository_id", "workflow", "ref", "commit", "environment", "run_url"),
    "artifact_sha256",
)
_MAKE_PUBLIC = (BoardAction.PUBLISHED, BoardAction.REINSTATED, BoardAction.RESCORED)


def receipt_of(submission: Submission) -> bytes | None:
    """Return the signed receipt of a result as canonical JSON; None where there is no score yet.

    It states what every reader may see of the result at any feedback level. Before its publication, that is
    the rounded score alone: a digest of exact figures could be compared with those of all possible figures.
    """
    result = visibility.visible_result(submission)
    return None if result is None else sign("receipt", _content(submission, result), signer())


def _content(submission: Submission, result: VisibleResult) -> dict[str, Any]:
    evaluation, board = result.evaluation, submission.board
    figures = _figures(result) if result.is_complete else None
    overall = result.overall
    rounded = {"score": overall.rate, "rounded_to": overall.rounded_to, "total": overall.total}
    job = submission.ci_job
    signed = {name: getattr(job, name) or None for name in _SIGNED_BY_CI} if job else None
    times = {
        "received": submission.received_at,
        "scored": evaluation.created_at,
        "published": submission.published_at,
        "withdrawn": submission.withdrawn_at,
        "disqualified": submission.disqualified_at,
    }
    return {
        "service": settings.SITE_URL,
        "board": board.slug,
        "benchmark": {"family": board.family, "version": board.version},
        "submission": str(submission.pk),
        "system": {"id": submission.system_id, "name": submission.system.name},
        "file": {"sha256": submission.sha256, "bytes": submission.size_bytes},
        "provenance": {"level": submission.provenance, "ci_job": signed},
        "references": {
            "revision": evaluation.revision.number,
            "commitment": evaluation.revision.commitment or None,
            "sha256": visible_digest(board, evaluation.revision),
            "unusable_tasks": evaluation.revision.unusable_count,
        },
        "scorer": {"version": evaluation.scorer_version, "commit": evaluation.scorer_commit or None},
        "judge": evaluation.judge or None,
        "figures": figures or {**rounded, "runs": evaluation.runs},
        "figures_digest": digest_of(figures) if figures else None,
        "times": {name: format_time(at.replace(microsecond=0)) if at else None for name, at in times.items()},
        "boards": _heads(submission),
    }


def _figures(result: VisibleResult) -> dict[str, Any]:
    evaluation = result.evaluation
    board = evaluation.submission.board.as_graded_by(evaluation.scorer_version)
    metrics = registry.get(board.benchmark).metrics
    public = {metric.key for metric in (*metrics, visibility.ALL_TASKS) if metric.public}
    return figures_of(
        right=evaluation.right,
        total=evaluation.total,
        runs=evaluation.runs,
        # Take only metrics that no feedback level hides, so that the digest survives a change of the level.
        metrics={key: value for key, value in result.metrics.items() if key in public},
    )


def _heads(submission: Submission) -> dict[str, dict[str, Any]]:
    """Return the slug with the last event that made the result public as it is; empty where none did."""
    events = BoardEvent.objects.filter(
        submission=submission, evaluation=submission.evaluation, action__in=_MAKE_PUBLIC
    )
    last = events.order_by("-number").first()
    if last is None:
        return {}
    # In whole seconds: how long grading took depends on the hidden answers.
    at = last.at.replace(microsecond=0)
    return {submission.board.slug: {"number": last.number, "digest": last.digest, "at": format_time(at)}}
