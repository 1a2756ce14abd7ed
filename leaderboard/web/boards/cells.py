"""Cells of rows as they were rendered before: pages differ in which rows they show, and in what order."""

from collections.abc import Callable, Iterable

from django.core.cache import caches
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from leaderboard.http.conditional import stamp
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.row import Row

_KEPT_FOR = 60 * 60  # seconds


class RenderedCells:
    """Cells of the rows of one table, each rendered once for a revision of the board.

    board: whose rows these are, as they are now or were after an event.
    shared: all that cells depend on besides their row; its repr is part of the key.
    """

    def __init__(self, board: BoardAt, shared: object) -> None:
        benchmark = board.benchmark
        # These raise the revision too, but hidden figures must not depend on that alone.
        settings = benchmark.feedback, benchmark.active_revision_id, benchmark.judge_mode
        self._prefix = board.key_of(f"cells:{stamp()}:{get_language()}:{settings}:{shared!r}")
        self._known: dict[str, str] = {}

    def read(self, rows: Iterable[Row]) -> None:
        """Look up the cells of `rows` that were rendered before."""
        self._known = caches["rows"].get_many(map(self._key, rows))

    def of(self, row: Row, render: Callable[[Row], str]) -> SafeString:
        """Return the cells of a row; `render` escapes what the row holds."""
        key = self._key(row)
        if (html := self._known.get(key)) is None:
            html = str(render(row))
            caches["rows"].set(key, html, _KEPT_FOR)
        return mark_safe(html)  # noqa: S308 - rendered by rows.jinja, which escapes  # nosec B308 B703

    def _key(self, row: Row) -> str:
        return f"{self._prefix}:{row.standing.pk}"
