"""Colours, measures and texts that all charts share."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.services.text import percent

FONT = (
    '"Inter", system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans TC", "Noto Sans CJK TC", '
    '"DejaVu Sans", sans-serif'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Colours (those of the style sheet) and measures in pixels. on_none, on_full: of the text in a cell,
    `on_full` from the figure `from_here` on; black and white, as no other two have a contrast of 4.5 to every
    colour between `none` and `full`. letters: columns of a name, in letters of Latin script."""

    ink: str
    quiet: str
    rule: str
    sheet: str
    none: str
    full: str
    reported: str
    on_none: str
    on_full: str
    from_here: float
    width: int
    names: int
    letters: int
    is_small: bool = False

    @property
    def beside(self) -> int:
        """Letters of a name beside its point, where its shape tells what `name_with_kind` would."""
        return 22 if self.is_narrow else 56

    @property
    def is_narrow(self) -> bool:
        return self.width < 500

    def lines(self, names: Iterable[str]) -> int:
        """Return how many lines a name may take: as many as the longest of `names` needs, up to a limit."""
        most = 3 if self.is_narrow else 2
        return max((len(wrap(name, self.letters, most)) for name in names), default=1)

    def colour(self, kind: str) -> str:
        return {"reported": self.reported, "baseline": self.quiet}.get(kind, self.full)


_SCHEMES: Mapping[str, Mapping[str, Any]] = {
    "light": {
        "ink": "#1d2429",
        "quiet": "#566169",
        "rule": "#e2e0d8",
        "sheet": "#ffffff",
        "none": "#edf3f1",
        "full": "#0b6e69",
        "reported": "#8a5200",
        "on_none": "#000000",
        "on_full": "#ffffff",
        "from_here": 0.85,
    },
    "dark": {
        "ink": "#e6e9ea",
        "quiet": "#a0abb2",
        "rule": "#2f383e",
        "sheet": "#1b2125",
        "none": "#273036",
        "full": "#4fc3b8",
        "reported": "#e0a84a",
        "on_none": "#ffffff",
        "on_full": "#000000",
        "from_here": 0.55,
    },
}
_WIDTHS: Mapping[str, Mapping[str, Any]] = {
    "wide": {"width": 1080, "names": 282, "letters": 40},
    "narrow": {"width": 340, "names": 138, "letters": 20},
    # For the front page: a line without names.
    "small": {"width": 300, "names": 0, "letters": 24, "is_small": True},
}
# What a mark is, by where its figures come from: told by shape, so that colour is not needed.
KINDS = ("rescored", "reported", "baseline")
SHAPES = ("circle", "diamond", "square")


def look_of(*, scheme: str, width: str) -> Look:
    """scheme: light or dark. width: wide, narrow or small."""
    return Look(**_SCHEMES[scheme], **_WIDTHS[width])


def interval(low: float | None, high: float | None) -> str:
    """Return a 95% interval as a line of a description; nothing where it is not known."""
    if low is None or high is None:
        return ""
    return _("95%% interval %(low)s to %(high)s") % {"low": percent(low), "high": percent(high)}


def describe(*lines: str) -> str:
    """Return the description of a mark: what it is, then its figures, a line each."""
    return "\n".join(line for line in (clean(line) for line in lines) if line)


def clean(text: str) -> str:
    """Return a text on one line and without what cannot be seen, its direction kept to itself."""
    text = " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in text):
        # Else what stands beside a name from right to left would be drawn on its other side.
        return f"\u2068{text}\u2069"
    return text


def columns_of(text: str) -> int:
    """Return how wide a text is, in letters of Latin script: an East Asian one takes two."""
    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def shorten(text: str, letters: int) -> str:
    """Return a text that is short enough to be drawn; the table below has it whole."""
    return wrap(text, letters, 1)[0]


def wrap(text: str, letters: int, most: int) -> list[str]:
    """Return `text` in at most `most` lines, each at most `letters` wide; the last ends with an ellipsis
    where not all of it fits. Never nothing."""
    rest = " ".join(text.split())
    lines: list[str] = []
    while rest:
        head = _beginning(rest, letters)
        if len(head) < len(rest):
            if len(lines) == most - 1:
                lines.append(f"{_beginning(rest, letters - 1).rstrip()}…")
                break
            space = head.rfind(" ")
            if rest[len(head)] != " " and space > 0:
                head = head[:space]
        lines.append(head.rstrip())
        rest = rest[len(head) :].lstrip()
    return lines or [""]


def _beginning(text: str, letters: int) -> str:
    width = 0
    for place, c in enumerate(text):
        width += columns_of(c)
        if width > letters:
            # No joiner at the end: it would join what follows.
            return text[: max(place, 1)].rstrip("\u200d")
    return text


def row_key(number: int, name: str, letters: int, lines: int = 1) -> str:
    """Return the key of a row or column: names that are cut may be equal, and the number, which is not drawn,
    keeps them apart and in order."""
    return f"{number:03}{chr(10).join(wrap(clean(name), letters, lines))}"


# Vega's expression for the label of such a key.
NUMBERED = "split(slice(datum.label, 3), '\\n')"


def name_with_kind(name: str, kind: str) -> str:
    """Return a name with where its figures come from, where that is not here."""
    if kind == "reported":
        return _("%(name)s (reported)") % {"name": clean(name)}
    return _("%(name)s (baseline)") % {"name": clean(name)} if kind == "baseline" else clean(name)
