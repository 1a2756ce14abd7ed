"""Score a file that waits, before it is submitted, where all reference answers are public.

Nothing is published, and no quota counts it. The draft keeps the score, so that no later page grades it.
"""

import logging
import traceback
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Any

from leaderboard.models import Board, Draft, Evaluation, Submission
from leaderboard.services import background, turns, visibility
from leaderboard.services.drafts import drafts
from leaderboard.services.drafts.identify import Identified
from leaderboard.services.files.read import extract_records, seconds_of_check
from leaderboard.services.judging.intervals import clustered_interval
from leaderboard.services.judging.judge import judge_of_board
from leaderboard.services.submissions.grade import build_evaluation, grade, is_long
from leaderboard.services.traces.tasks import TaskList
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Reading

logger = logging.getLogger(__name__)

# What a draft keeps of its evaluation, beside the verdicts.
_COLUMNS = (
    *("revision_id", "scorer_version", "judge", "runs", "right", "total", "metrics", "breakdowns"),
    *("group_metrics", "per_run", "spread", "clustered_interval"),
)


def score_draft(draft: Draft, identified: Identified, *, preferred: str) -> None:
    """Score an unsaved draft for one leaderboard of those that score at once, and note it among its matches.

    Where that fails, or would take too long, the draft waits without a score.
    preferred: slug of the leaderboard that the file is meant for
    """
    matches = [
        (match.board, match.reading, stored)
        for match, stored in zip(identified.matches, draft.matches, strict=True)
        if match.reading is not None and visibility.scores_at_once(match.board)
    ]
    for board, reading, stored in sorted(matches, key=lambda match: match[0].slug != preferred)[:1]:
        try:
            with background.working_for_request():
                stored["score"] = _score(draft, board, reading)
            if not stored.get("score"):
                logger.info("a draft was not scored: no turn was free, or it takes too long")
        except Exception as error:
            # Without the error's own text, which could quote the file.
            stack = "".join(traceback.format_tb(error.__traceback__))
            logger.error("a draft was not scored: %s\n%s", type(error).__name__, stack)


def _score(draft: Draft, board: Board, reading: Reading) -> dict[str, Any] | None:
    """Return what the draft keeps of its evaluation; None where scoring is not for a request.

    Raises turns.TooBusy.
    """
    submission = _as_submission(draft, board)
    if is_long(submission, reading):
        return None
    has_account = draft.owner_id is not None
    lane = turns.reading if has_account else turns.reading_for_visitors
    with lane.take(background.PATIENCE):
        extract_records(
            board=board,
            file_id=draft.stored_as,
            names=submission.run_names,
            seconds=seconds_of_check(has_account=has_account),
        )
    revision, judge = board.ground_truth, judge_of_board(board)
    with background.turn_of_request():
        scored = grade(submission, revision, judge, watch=lambda _: not background.is_time_up())
    if scored.undecided:
        return None
    evaluation = build_evaluation(submission, revision, scored, judge.identity if judge else "")
    evaluation.clustered_interval = clustered_interval(evaluation)
    kept = {name: getattr(evaluation, name) for name in _COLUMNS}
    return {**kept, "verdicts": b64encode(evaluation.verdicts).decode()}


def scored_tasks(draft: Draft, boards: Iterable[Board]) -> TaskList | None:
    """Return the tasks of a draft that was scored; None of others, and once the score is out of date.

    boards: those that accept files
    """
    by_slug = {board.slug: board for board in boards}
    kept = next((match for match in draft.matches if match.get("score")), None)
    board = by_slug.get(kept["slug"]) if kept else None
    if kept is None or board is None or not visibility.scores_at_once(board):
        return None
    score, revision = kept["score"], board.ground_truth
    submission = _as_submission(draft, board)
    evaluation = Evaluation(
        **{name: score[name] for name in _COLUMNS},
        verdicts=b64decode(score["verdicts"]),
        submission=submission,
        created_at=draft.made_at,
    )
    scorer_version = registry.get(board.benchmark).scorer_version
    if (evaluation.revision_id, evaluation.scorer_version) != (revision.pk, scorer_version):
        return None
    evaluation.revision, submission.evaluation = revision, evaluation
    lines = visibility.visible_tasks(submission) or []
    breakdown = visibility.known_breakdown(board)
    return TaskList(submission=submission, evaluation=evaluation, lines=lines, breakdown=breakdown)


def _as_submission(draft: Draft, board: Board) -> Submission:
    """Return what grading reads of a submission, unsaved."""
    file = drafts.file_of(draft)
    return Submission(
        board=board,
        stored_as=file.id,
        size_bytes=file.size,
        filename=draft.filename,
        run_files=draft.run_files,
        runs=len(file.names),
    )
