"""Find the files with which a newcomer tries a demonstration."""

from collections.abc import Iterable
from pathlib import Path

from leaderboard.models import Board
from wardboard.scoring import registry


def sample_of(board: Board) -> Path | None:
    """Return the file to try a demonstration with; None of other leaderboards."""
    demonstrations = registry.get(board.benchmark).demonstrations if board.is_demo else ()
    return next((demo.to_upload[0] for demo in demonstrations if demo.board.slug == board.slug), None)


def samples_of(boards: Iterable[Board]) -> dict[Board, str]:
    """Return each demonstration among `boards` that takes files, with the name of its sample."""
    found = {board: sample_of(board) for board in boards if board.is_open}
    return {board: path.name for board, path in found.items() if path}
