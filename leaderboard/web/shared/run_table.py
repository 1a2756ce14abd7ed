"""The runs of a submission of several: a table of them, and how much they differ."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Submission
from leaderboard.services.text import join_names, percent
from leaderboard.services.visibility import VisibleResult, VisibleSpread, round_figure


def run_table(
    submission: Submission, result: VisibleResult | None, *, names_files: bool
) -> dict[str, Any] | None:
    """Return the runs of a submission of several, and how much they differ; None for a single run."""
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
        "figures": _figures(spread, result) if result and spread else [],
    }


def _figures(spread: VisibleSpread, result: VisibleResult) -> list[tuple[str, str]]:
    """Return label and text of each figure; of pass^k from k = 2 on, since pass^1 is the score."""
    step, tasks = spread.rounded_to, result.evaluation.tasks
    note = "" if result.upper is None else _("undecided answers count as not correct")
    deviation = _in_words(spread.deviation, step, is_points=True)
    lines = [(_("Run-to-run standard deviation"), f"{deviation} ({note})" if note else deviation)]
    for k, value in enumerate(spread.passes[1:], 2):
        if value is not None:
            label = _("Correct in each of %(k)s randomly chosen runs (pass^%(k)s)") % {"k": k}
            notes = [_("%(tasks)s tasks") % {"tasks": f"{tasks:,}"}]
            if spread.pass_intervals:
                low, high = map(percent, spread.pass_intervals[k - 1])
                notes.insert(0, _("95%% CI %(low)s to %(high)s") % {"low": low, "high": high})
            lines.append((label, f"{_in_words(value, step)} ({join_names(filter(None, (*notes, note)))})"))
    return [*lines, (_("Tasks correct in some runs and not in others"), _in_words(spread.flips, step))]


def _in_words(value: float, step: float | None, *, is_points: bool = False) -> str:
    """Return a share, or a difference in points, in words that say where it is rounded to `step`."""
    number = f"{round(100 * (value or step / 2), 1):g}" if step else f"{100 * round_figure(value):.1f}"
    points = ngettext("%(points)s point", "%(points)s points", 1 if number == "1" else 2)
    words = points % {"points": number} if is_points else f"{number}%"
    if step is None:
        return words
    return (_("about %(figure)s") if value else _("below %(figure)s")) % {"figure": words}
