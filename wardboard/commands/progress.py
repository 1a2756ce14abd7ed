"""Progress of scoring, on standard error."""

from collections.abc import Mapping
from typing import Any

from wardboard.terminal import show


class ProgressLines:
    def __init__(self, *, is_shown: bool) -> None:
        self._is_shown, self._line = is_shown, ""

    def show_status(self, document: Mapping[str, Any]) -> None:
        """Show how far a submission has come, where that has changed, and first of all its id.

        Whoever interrupts the command needs the id to wait for the score again.
        """
        line, progress = str(document["status"]), document.get("progress") or {}
        if progress.get("judged_share") is not None:
            line = f"{line}, {progress['judged_share']:.0%} judged"
        elif document.get("waits_for"):
            line = f"{line}, waits: {document['waits_for']}"
        if self._is_shown and line != self._line and document["status"] != "scored":
            show(f"wardboard: {line}" if self._line else f"wardboard: {document['id']}: {line}", err=True)
        self._line = line
