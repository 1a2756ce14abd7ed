"""Define the colours, the measures and the texts that all charts share."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.services.text import percent
from leaderboard.services.text_fitting import wrap

FONT = (
    '"Inter", system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans TC", "Noto Sans CJK TC", '
    '"DejaVu Sans", sans-serif'
)


TEXT = 13  # pixels: the size of all text
LINE = 16  # pixels from one line of text to the next
LETTER = 7.6  # pixels of a Latin letter, rounded up to be safe


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The colours of the style sheet for one scheme, and the measures for one width of screen.

    none, full: the colours of a cell at the low and the high end of the scale. `ink` has a contrast of 4.5 to
        every colour between them, so that the text of neighbouring cells always has the same colour.
    width, names: pixels of the chart, and at most of the names to the left; 0 where they are above the rows
    letters: the longest line of a name, in Latin letters
    lines_most: the lines of a name at most
    rows_most: the rows of a forest at most; None for all
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
    letters: int
    lines_most: int = 2
    rows_most: int | None = None

    @property
    def axis_room(self) -> int:
        """The pixels for the labels of a vertical axis."""
        return 48

    @property
    def beside(self) -> int:
        """Letters of a name beside a point, whose shape shows what `name_with_kind` would add."""
        return 20 if self.is_narrow else 44

    @property
    def is_narrow(self) -> bool:
        """Whether the names of rows are above them, since a phone has no room beside."""
        return not self.names

    @property
    def is_small(self) -> bool:
        """Whether it is for the head of a board, beside the sentence."""
        return self.rows_most is not None

    @property
    def is_wide(self) -> bool:
        return self.width > 900

    def lines(self, names: Iterable[str]) -> int:
        """Return the number of lines of the longest name, at most `lines_most`."""
        return max((len(wrap(name, self.letters, self.lines_most)) for name in names), default=1)

    def colour(self, kind: str) -> str:
        """Return the colour of a rescored, reported or baseline row."""
        return {"reported": self.reported, "baseline": self.quiet}.get(kind, self.measured)


_SCHEMES: Mapping[str, Mapping[str, Any]] = {
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
_WIDTHS: Mapping[str, Mapping[str, Any]] = {
    "wide": {"width": 1136, "names": 300, "letters": 38},
    "medium": {"width": 660, "names": 204, "letters": 25},
    "narrow": {"width": 344, "names": 0, "letters": 34, "lines_most": 1},
    "small": {"width": 400, "names": 162, "letters": 21, "lines_most": 1, "rows_most": 5},
}
# Kind of row -> shape of its points, so that kinds differ in more than colour.
KINDS = ("rescored", "reported", "baseline")
SHAPES = ("circle", "diamond", "square")


def look_of(*, scheme: str, width: str) -> Look:
    """Return the look of a chart.

    scheme: light or dark
    width: wide, medium, narrow or small
    """
    return Look(**_SCHEMES[scheme], **_WIDTHS[width])


def interval(low: float | None, high: float | None) -> str:
    """Return a 95% interval as a line of a description; "" if an end is unknown."""
    if low is None or high is None:
        return ""
    return _("95%% interval %(low)s to %(high)s") % {"low": percent(low), "high": percent(high)}


def describe(*lines: str) -> str:
    """Return the description of a mark: its name, then its figures, each on a line."""
    return "\n".join(line for line in (clean(line) for line in lines) if line)


def clean(text: str) -> str:
    """Return `text` on one line without invisible characters.

    Text that runs from right to left is enclosed in Unicode isolates.
    """
    text = " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in text):
        # Otherwise whatever is beside the name would be drawn on its other side.
        return f"\u2068{text}\u2069"
    return text


def row_key(number: int, name: str, letters: int, lines: int = 1) -> str:
    """Return the key of a row or column: its number in three digits, and its wrapped name.

    Two names may be equal once they are cut. The number, which is not drawn, keeps them apart and in order.
    """
    return f"{number:03}{chr(10).join(wrap(clean(name), letters, lines))}"


# The Vega expression that gets the lines of a name from its key.
NUMBERED = "split(slice(datum.label, 3), '\\n')"


def name_with_kind(name: str, kind: str) -> str:
    """Return a name, with `(as published)` or `(baseline)` after it if its row is one of these."""
    if kind == "reported":
        return _("%(name)s (as published)") % {"name": clean(name)}
    return _("%(name)s (baseline)") % {"name": clean(name)} if kind == "baseline" else clean(name)
