"""Name the views of a board, and the forms in which they are drawn."""

import re
from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from wardboard.scoring.benchmark import Breakdown


class Form(StrEnum):
    """The form in which a view is drawn."""

    GROUPS = "groups"
    APPROACHES = "approaches"
    PROGRESS = "progress"
    FOREST = "forest"
    SCATTER = "scatter"
    COST = "cost"
    HARNESSES = "harnesses"
    TASKS = "tasks"


# The title and the short title of each form but those by group.
_TITLES = {
    Form.APPROACHES: (gettext_noop("Approach by model"), gettext_noop("By model")),
    Form.PROGRESS: (gettext_noop("Best score over time"), gettext_noop("Over time")),
    Form.FOREST: (gettext_noop("Intervals of the first 25"), gettext_noop("Intervals")),
    Form.SCATTER: (gettext_noop("Precision against recall"), gettext_noop("Precision and recall")),
    Form.COST: (gettext_noop("Score against cost per task"), gettext_noop("By cost")),
    Form.HARNESSES: (gettext_noop("The same model under several harnesses"), gettext_noop("By harness")),
    Form.TASKS: (gettext_noop("Tasks by system"), gettext_noop("By task")),
}


def translated(text: str) -> str:
    """Return a text of a benchmark or of a model in the active language."""
    # Under the empty text, a catalogue has its own header.
    return _(text) if text else ""


def inner(label: str) -> str:
    """Return a label as it is written within a sentence: `answer correctness`, but still `F1`."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A view of a board.

    name: its part of the address
    breakdown: the groups of a view by group; None for any other view
    """

    name: str
    form: Form
    breakdown: Breakdown | None = None

    @property
    def grouping(self) -> Breakdown:
        """The breakdown of a view by group. Raises ValueError for any other view."""
        if self.breakdown is None:
            raise ValueError(f"{self.name} is not a view by group")
        return self.breakdown

    @property
    def title(self) -> str:
        if self.breakdown is None:
            return _(_TITLES[self.form][0])
        return _("By %(groups)s") % {"groups": inner(translated(self.breakdown.label))}

    @property
    def short(self) -> str:
        """Return its short title, for a list of views."""
        return _(_TITLES[self.form][1]) if self.form in _TITLES else re.split("[,，（]", self.title)[0]
