"""Progress of an upload and of scoring, on standard error."""

from collections.abc import Mapping
from typing import Any

from wardboard.terminal import show

# A smaller upload is over before anyone could read about it.
_SHOWN_BYTES = 4 * 2**20
_QUARTERS = 4


class ProgressLines:
    """The progress of an upload and of scoring, in lines."""

    def __init__(self, *, is_shown: bool) -> None:
        self._is_shown = is_shown
        self._quarter = 0
        self._line = ""

    def show_upload(self, sent: int, total: int) -> None:
        """Show that `sent` of `total` bytes are on their way. A new attempt begins at 0."""
        quarter = sent * _QUARTERS // total
        if self._is_shown and total >= _SHOWN_BYTES and quarter > self._quarter:
            show(f"wardboard: sent {quarter * 100 // _QUARTERS}% of {total / 1e6:,.0f} MB", err=True)
        self._quarter = quarter

    def show_status(self, document: Mapping[str, Any]) -> None:
        """Show how far a submission has come, where that has changed, and first of all its id.

        Whoever interrupts the command needs the id to wait for the score again.
        """
        line = describe_status(document)
        if self._is_shown and line != self._line and document["status"] != "scored":
            show(f"wardboard: {line}" if self._line else f"wardboard: {document['id']}: {line}", err=True)
        self._line = line


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
