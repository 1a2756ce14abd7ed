"""The colours, the sizes and the texts that all charts share."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.models import Standing
from leaderboard.services.boards.best_scores import BestScore
from leaderboard.services.text import percent
from leaderboard.services.text_fitting import clean

FONT = '"Inter", system-ui, "Segoe UI", "Noto Sans", "Noto Sans TC", "Noto Sans CJK TC", sans-serif'
TEXT = 13  # pixels: the size of all text
LINE = 16  # pixels: of a line of text


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The colours of the style sheet for one scheme, and the measures for one width of screen.

    none, full: the colours of a cell at the low and the high end of the scale. `ink` has a contrast of 4.5 to
        every colour between them, so that the text of neighbouring cells always has the same colour.
    width, names: pixels of the chart, and of the names to its left; 0 where they are above the rows
    """

    ink: str
    quiet: str
    rule: str
    sheet: str
    none: str
    full: str
    measured: str
    reported: str
    width: int
    names: int

    @property
    def is_narrow(self) -> bool:
        """Whether the names of rows are above them, since a phone has no room beside."""
        return not self.names


SCHEMES: Mapping[str, Mapping[str, str]] = {
    "light": {
        "ink": "#1d2429",
        "quiet": "#566169",
        "rule": "#e2e0d8",
        "sheet": "#ffffff",
        "none": "#f4f6f4",
        "full": "#58b3aa",
        "measured": "#0b6e69",
        "reported": "#8a5200",
    },
    "dark": {
        "ink": "#e6e9ea",
        "quiet": "#a0abb2",
        "rule": "#2f383e",
        "sheet": "#1b2125",
        "none": "#232b30",
        "full": "#0f6d66",
        "measured": "#4fc3b8",
        "reported": "#e0a84a",
    },
}
WIDTHS: Mapping[str, tuple[int, int]] = {"wide": (1136, 286), "medium": (660, 204), "narrow": (344, 0)}


def look_of(*, scheme: str, width: str) -> Look:
    """Return the look of a chart. scheme: one of SCHEMES. width: one of WIDTHS."""
    pixels, names = WIDTHS[width]
    return Look(**SCHEMES[scheme], width=pixels, names=names)


def describe(*lines: str) -> str:
    """Return the description of a mark: its name, then its figures, each on a line."""
    return "\n".join(line for line in map(clean, lines) if line)


def interval(low: float | None, high: float | None) -> str:
    """Return a 95% interval as a line of a description; "" if an end is unknown."""
    if low is None or high is None:
        return ""
    return _("95%% interval %(low)s to %(high)s") % {"low": percent(low), "high": percent(high)}


def key_of(number: int, name: str) -> str:
    """Return the key of a row or column: its number in three digits, and its name.

    Two names may be equal. The number, which is not drawn, keeps them apart and in order.
    """
    return f"{number:03}{clean(name)}"


def name_of(row: Standing | BestScore) -> str:
    """Return the name of a row, with `(as published)` or `(baseline)` after it if it is one of these."""
    name = {"name": clean(row.name)}
    if row.kind == "reported":
        return _("%(name)s (as published)") % name
    return _("%(name)s (baseline)") % name if row.kind == "baseline" else name["name"]
