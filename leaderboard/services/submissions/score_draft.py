"""Score a file that waits, before it is submitted, where all reference answers are public.

Nothing is published, and no quota counts it. The draft keeps the score, so that no later page grades it.
"""

import logging
import traceback
from collections.abc import Iterable
from typing import Any

from django.core import serializers

from leaderboard.models import Board, Draft, Submission
from leaderboard.services import background, turns, visibility
from leaderboard.services.drafts import drafts
from leaderboard.services.drafts.identify import Identified
from leaderboard.services.files.read import extract_records, seconds_of_check
from leaderboard.services.judging.intervals import clustered_interval
from leaderboard.services.judging.judge import judge_of_board
from leaderboard.services.submissions.grade import build_evaluation, grade, is_long
from leaderboard.services.traces.tasks import TaskList, list_tasks
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Reading

logger = logging.getLogger(__name__)


def score_draft(draft: Draft, identified: Identified) -> None:
    """Score an unsaved draft for the first leaderboard that scores at once, and note it among its matches.

    Where that fails, or would take too long, the draft waits without a score.
    """
    for match, stored in zip(identified.matches, draft.matches, strict=True):
        if match.reading is None or not visibility.scores_at_once(match.board):
            continue
        try:
            with background.working_for_request():
                stored["score"] = _score(draft, match.board, match.reading)
        except Exception as error:
            # Without the error's own text, which could quote the file.
            stack = "".join(traceback.format_tb(error.__traceback__))
            logger.error("a draft was not scored: %s\n%s", type(error).__name__, stack)
        if not stored.get("score"):
            logger.info("a draft waits without a score: no turn was free, or it takes too long or failed")
        return


def _score(draft: Draft, board: Board, reading: Reading) -> str:
    """Return the evaluation as JSON; "" where scoring takes too long for a request. Raises TooBusy, Busy."""
    submission = _as_submission(draft, board)
    if is_long(submission, reading):
        return ""
    has_account = draft.owner_id is not None
    seconds = seconds_of_check(has_account=has_account)
    with turns.take_to_read(has_account=has_account):
        extract_records(board=board, file_id=draft.stored_as, names=submission.run_names, seconds=seconds)
    revision, judge = board.ground_truth, judge_of_board(board)
    with background.turn_of_request(turns.scoring):
        scored = grade(submission, revision, judge, watch=lambda _: not background.is_time_up())
    if scored.undecided:
        return ""
    evaluation = build_evaluation(submission, revision, scored, judge.identity if judge else "")
    evaluation.clustered_interval = clustered_interval(evaluation)
    return str(serializers.serialize("json", [evaluation]))


def scored_tasks(draft: Draft, boards: Iterable[Board]) -> TaskList | None:
    """Return the tasks of a draft that was scored; None of others, and once the score is out of date."""
    by_slug = {board.slug: board for board in boards}
    kept = next((match for match in draft.matches if match.get("score")), None)
    board = by_slug.get(kept["slug"]) if kept else None
    if kept is None or board is None or not visibility.scores_at_once(board):
        return None
    evaluation: Any = next(
        iter(serializers.deserialize("json", kept["score"], ignorenonexistent=True))
    ).object
    submission, revision = _as_submission(draft, board), board.ground_truth
    scorer_version = registry.get(board.benchmark).scorer_version
    if (evaluation.revision_id, evaluation.scorer_version) != (revision.pk, scorer_version):
        return None
    evaluation.submission, evaluation.revision, submission.evaluation = submission, revision, evaluation
    return list_tasks(submission)


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
