"""Use the generated client as a program would. mypy checks this file; a line that must fail says so.

It is copied beside the package `wardboard_client` for the check, and is never run.
"""

from uuid import UUID

from wardboard_client import AuthenticatedClient, Client
from wardboard_client.api.benchmarks import get_leaderboard
from wardboard_client.api.submissions import get_submission
from wardboard_client.models import Board, ProblemDocument, Status, Submission


def names(service: str) -> list[str]:
    board = get_leaderboard.sync("medagentbench-300", client=Client(base_url=service))
    if isinstance(board, ProblemDocument):
        raise SystemExit(board.hint)
    return [row.system.name for row in board.rows] if isinstance(board, Board) else []


def is_scored(service: str, token: str, submission_id: UUID) -> bool:
    client = AuthenticatedClient(base_url=service, token=token)
    submission = get_submission.sync(submission_id, client=client)
    return isinstance(submission, Submission) and submission.status is Status.SCORED


def first_score(board: Board) -> float:
    return board.rows[0].score  # type: ignore[return-value]  # A score can be null.
