"""The runs of a submission of several: a table of them, and how much they differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.models import Submission
from leaderboard.services.text import percent
from leaderboard.services.visibility import VisibleResult, VisibleRun, VisibleSpread


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A run of a submission of several.

    name: "" for readers of other teams
    count: records of its file; None until it is checked, and where that is not known
    result: None where its figures are not visible
    """

    number: int
    name: str
    sha256: str
    count: int | None
    result: VisibleRun | None

    @property
    def is_missing(self) -> bool:
        """Whether it was declared, and no file of it was sent."""
        return not self.sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTable:
    """The runs of a submission and its visible result, None where there is none yet.

    names_files: whether its reader sees the names of the files
    """

    submission: Submission
    result: VisibleResult | None
    lines: Sequence[RunLine]
    names_files: bool

    @property
    def spread(self) -> VisibleSpread | None:
        return self.result.spread if self.result else None

    @property
    def shows_scores(self) -> bool:
        """Whether single runs have figures."""
        return bool(self.result and self.result.per_run)

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Label and text of each figure of the spread; of pass^k from k = 2 on, since pass^1 is the score."""
        spread = self.spread
        if spread is None:
            return []
        values = [(_("Run-to-run standard deviation"), spread.deviation)]
        for k, value in enumerate(spread.passes[1:], 2):
            if value is None:
                continue
            if k == self.submission.runs:
                label = _("Correct in every run (pass^%(k)s)") % {"k": k}
            else:
                label = _("Correct in each of %(k)s randomly chosen runs (pass^%(k)s)") % {"k": k}
            values.append((label, value))
        values.append((_("Tasks correct in some runs and wrong in others"), spread.flips))
        return [(label, self._text(value)) for label, value in values]

    def _text(self, value: float) -> str:
        if self.spread and self.spread.rounded_to:
            return _("about %(figure)s") % {"figure": percent(value, 0)}
        return percent(value)


def run_table(submission: Submission, result: VisibleResult | None, *, names_files: bool) -> RunTable | None:
    """Return the runs of a submission of several; None for a single run."""
    if submission.runs == 1:
        return None
    files = submission.run_files or [
        {"name": submission.filename, "sha256": submission.sha256, "count": submission.count}
    ]
    shown = result.per_run if result else ()
    lines = []
    for number in range(submission.runs):
        file = files[number] if number < len(files) else {}
        lines.append(
            RunLine(
                number=number + 1,
                name=file.get("name", "") if names_files else "",
                sha256=file.get("sha256", ""),
                count=file.get("count"),
                result=shown[number] if shown else None,
            )
        )
    return RunTable(submission=submission, result=result, lines=lines, names_files=names_files)
