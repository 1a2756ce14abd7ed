"""The runs of a submission of several: a table of them, and how much they differ."""

from typing import Any

from django.utils.translation import gettext as _

from leaderboard.models import Submission
from leaderboard.services.text import percent
from leaderboard.services.visibility import VisibleResult, VisibleSpread


def run_table(
    submission: Submission, result: VisibleResult | None, *, names_files: bool
) -> dict[str, Any] | None:
    """Return the runs of a submission of several, and how much they differ; None for a single run.

    names_files: whether its reader sees the names of the files
    """
    if submission.runs == 1:
        return None
    files = submission.run_files or [
        {"name": submission.filename, "sha256": submission.sha256, "count": submission.count}
    ]
    shown = result.per_run if result else ()
    lines = [
        {
            "number": number + 1,
            # A run that was declared, and of which no file was sent, has none.
            "file": files[number] if number < len(files) else None,
            "result": shown[number] if shown else None,
        }
        for number in range(submission.runs)
    ]
    spread = result.spread if result else None
    return {
        "submission": submission,
        "result": result,
        "lines": lines,
        "names_files": names_files,
        "spread": spread,
        "shows_scores": bool(shown),
        "figures": _figures(spread) if spread else [],
    }


def _figures(spread: VisibleSpread) -> list[tuple[str, str]]:
    """Return label and text of each figure; of pass^k from k = 2 on, since pass^1 is the score."""
    values = [(_("Run-to-run standard deviation"), spread.deviation)]
    for k, value in enumerate(spread.passes[1:], 2):
        if value is not None:
            label = _("Correct in each of %(k)s randomly chosen runs (pass^%(k)s)")
            values.append((label % {"k": k}, value))
    values.append((_("Tasks correct in some runs and wrong in others"), spread.flips))
    if not spread.rounded_to:
        return [(label, percent(value)) for label, value in values]
    return [(label, _("about %(figure)s") % {"figure": percent(value, 0)}) for label, value in values]
