"""Progress of an upload and of scoring, on standard error."""

import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import click

from wardboard.terminal import show

# A smaller upload is over before anyone could read about it.
_SHOWN_BYTES = 4 * 2**20
_QUARTERS = 4


class ProgressLines:
    """The progress of an upload and of scoring: a bar on a terminal, and lines in a log."""

    def __init__(self, *, is_shown: bool) -> None:
        self._is_shown = is_shown
        self._is_terminal = sys.stderr.isatty()
        self._bar: Any = None
        self._quarter = 0
        self._line = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_bar()

    def show_upload(self, sent: int, total: int) -> None:
        """Show that `sent` of `total` bytes are on their way. A new attempt begins at 0."""
        if not self._is_shown or total < _SHOWN_BYTES:
            return
        if self._is_terminal:
            if self._bar is None or sent < self._bar.pos:
                self._end_bar()
                self._bar = click.progressbar(length=total, label="Uploading", file=sys.stderr)
                self._bar.__enter__()
            self._bar.update(sent - self._bar.pos)
            if sent >= total:
                self._end_bar()
            return
        quarter = sent * _QUARTERS // total
        if quarter > self._quarter:
            show(f"wardboard: sent {quarter * 100 // _QUARTERS}% of {total / 1e6:,.0f} MB", err=True)
        self._quarter = quarter

    def show_status(self, document: Mapping[str, Any]) -> None:
        """Show how far a submission has come, where that has changed, and first of all its id.

        Whoever interrupts the command needs the id to wait for the score again.
        """
        line = describe_status(document)
        if self._is_shown and line != self._line and document["status"] != "scored":
            self._end_bar()
            show(f"wardboard: {line}" if self._line else f"wardboard: {document['id']}: {line}", err=True)
        self._line = line

    def _end_bar(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None


def describe_status(document: Mapping[str, Any]) -> str:
    """Return the status of a submission, with what is known of its progress."""
    status, progress = str(document["status"]), document.get("progress") or {}
    if progress.get("judged_share") is not None:
        return f"{status}, {progress['judged_share']:.0%} judged"
    if progress.get("to_judge"):
        return f"{status}, {progress['judged'] or 0:,} of {progress['to_judge']:,} answers judged"
    if document.get("waits_for"):
        return f"{status}, waits: {document['waits_for']}"
    return status
