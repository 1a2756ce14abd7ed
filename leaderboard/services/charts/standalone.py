"""Draw a chart as a file of its own, for a slide or for a column of a paper.

For a slide, it is the wide chart of the page in the light scheme, in a frame of text: its finding, legend,
source, date and address. The PNG has twice its pixels. For a paper, it is the chart of a phone with only its
legend, since the paper has a caption: 3.3 inches wide, at 600 pixels per inch as PNG.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.services.charts.figures import Figure
from leaderboard.services.charts.legend import Legend, legend_of
from leaderboard.services.charts.render import digest_of, svg_of
from leaderboard.services.pictures import render_limit
from leaderboard.services.pictures.fonts import with_chinese, with_fonts
from leaderboard.services.pictures.text_width import cut, width_of, wrap_lines

FORMS = ("svg", "png")
SIZES = ("slide", "column")
_DRAWN_AS = 2  # raise it when the frame changes
# The number of places in the cache, by whether the board is filtered. A PNG may take 1 MB.
_PLACES = {False: 16, True: 4}
_SIDE, _TOP, _LINE = 32, 30, 30  # pixels beside the chart, above the title, and of a line of the title
_ROOM = 1136
_TITLE, _TEXT = 22, 14  # pixels: the size of the title and of other text
_BOLD = 0.9  # share of the room: bold letters are wider than `text_width` expects
_SCALE = 2  # pixels of the PNG per pixel of the page
_COLUMN, _PER_INCH = 3.3, 600  # inches, and pixels of the PNG per inch
_MARGIN, _MARK_LINE = 8, 22  # pixels around a chart for a column, and of a line of its legend


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """The texts around a chart.

    subtitle: the leaderboard and the view
    source: where the figures are from, and of what date
    address: of the page with the same figures
    """

    title: str
    subtitle: str
    source: str
    address: str


def file_of(
    figure: Figure, caption: Caption, *, form: str, size: str = "slide", is_filtered: bool = False
) -> bytes:
    """Return the file of the chart in the active language. Raises TooBusy.

    `render.is_drawn` must be true for the figure.

    form: one of FORMS
    size: one of SIZES
    is_filtered: whether the reader set filters
    """
    is_column = size == "column"
    width = "narrow" if is_column else "wide"
    chart = svg_of(figure, scheme="light", width=width, is_filtered=is_filtered).decode()
    legend = legend_of(figure)
    svg = column(chart, legend) if is_column else frame(chart, legend, caption)
    own_width = _size(svg)[0]
    if form == "svg":
        inches = (
            _WIDTH.sub(f'<svg xmlns="http://www.w3.org/2000/svg" width="{_COLUMN}in"', svg, count=1)
            if is_column
            else svg
        )
        return with_fonts(with_chinese(inches)).encode()
    # The engine cuts off a part of a pixel, so the scale has a little more.
    to_inches = (_COLUMN * 72 + 0.01) / own_width
    scale = {"scale": to_inches, "per_inch": _PER_INCH} if is_column else {"scale": _SCALE}
    return render_limit.picture(
        name=etag_of(figure, caption, form=form, size=size),
        shelf=f"chart-file-{is_filtered:d}",
        places=_PLACES[is_filtered],
        draw=lambda: render_limit.as_png(svg, **scale),
    )


def etag_of(figure: Figure, caption: Caption, *, form: str, size: str = "slide") -> str:
    """Return the ETag of the file that `file_of` returns; it differs for other bytes."""
    content = f"{_DRAWN_AS} {get_language()} {digest_of(figure)} {size} {caption!r}"
    return f"{hashlib.sha256(content.encode()).hexdigest()[:32]}-{form}"


_WIDTH = re.compile(r'<svg xmlns="[^"]+" width="[^"]+" height="[^"]+"')
_SIZE = re.compile(r'<svg [^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"')


def _size(svg: str) -> tuple[float, float]:
    """Return the width and the height of a drawing in pixels."""
    size = _SIZE.match(svg)
    if size is None:
        raise ValueError("a drawing has a width and a height")
    return float(size[1]), float(size[2])


def frame(chart: str, legend: Legend, caption: Caption) -> str:
    """Return the SVG of a chart with its texts around it.

    chart: SVG, as `render.svg_of` returns it
    """
    width, height = _size(chart)
    titles = wrap_lines(caption.title, _TITLE, _BOLD * _ROOM, 2)
    top = _TOP + _LINE * len(titles)
    marks = list(_marks(legend, x=_SIDE, y=top + 40, right=_SIDE + _ROOM))
    chart_top = (marks[-1]["y"] + 24) if marks else top + 34
    bottom = chart_top + height + 40
    context = {
        "titles": [
            {"words": line, "y": top - _LINE * (len(titles) - place) + 18}
            for place, line in enumerate(titles)
        ],
        "subtitle": cut(caption.subtitle, _TEXT, _ROOM),
        "subtitle_y": top + 16,
        "source": cut(caption.source, _TEXT, _ROOM),
        "address": cut(caption.address, _TEXT, _ROOM),
        "bottom": bottom,
        "title_size": _TITLE,
    }
    total = (max(_ROOM, round(width)) + 2 * _SIDE, round(bottom + 44))
    return _draw(chart, (_SIDE, chart_top), marks, total, context)


def column(chart: str, legend: Legend) -> str:
    """Return the SVG of a chart with its legend alone, for a column of a paper."""
    width, height = _size(chart)
    total = width + 2 * _MARGIN
    marks = list(_marks(legend, x=_MARGIN, y=_MARGIN + 8, right=total - _MARGIN))
    top = marks[-1]["y"] + 20 if marks else _MARGIN
    return _draw(chart, (_MARGIN, top), marks, (total, round(top + height + _MARGIN)), {})


def _draw(
    chart: str,
    corner: tuple[float, float],
    marks: Sequence[dict[str, Any]],
    size: tuple[float, float],
    context: dict[str, Any],
) -> str:
    """Return the SVG of a chart at `corner` in a picture of `size`, with the marks of its legend."""
    x, y = corner
    placed = chart.replace("<svg ", f'<svg x="{x}" y="{y}" ', 1)
    own = {"chart": placed, "marks": marks, "side": x, "text_size": _TEXT}
    own |= {"titles": (), "subtitle": "", "source": ""}
    return render_to_string(
        "pictures/chart.svg", {**own, **context, "width": size[0], "height": size[1]}, using="jinja2"
    )


def _marks(legend: Legend, *, x: float, y: float, right: float) -> Iterator[dict[str, Any]]:
    """Yield the marks of the legend, each with its label and its place; a line ends at `right`."""
    marks = list(legend.kinds.items())
    if legend.has_intervals:
        marks.append(("interval", _("95% confidence interval")))
    left = x
    for kind, label in marks:
        width = 20 + width_of(label, _TEXT)
        if x > left and x + width > right:
            x, y = left, y + _MARK_LINE
        yield {"kind": kind, "words": label, "x": x, "y": y, "text_x": x + 20}
        x += width + 28
    if legend.shades:
        low, high = legend.shades
        yield {"kind": "low", "words": low, "x": x, "y": y, "text_x": x}
        x += width_of(low, _TEXT) + 10
        yield {"kind": "shades", "words": high, "x": x, "y": y, "text_x": x + 160}
        x += 160 + width_of(high, _TEXT) + 28
    if legend.has_best:
        bold = _("Bold: the highest of its column")
        if x + width_of(bold, _TEXT) > right:
            x, y = left, y + _MARK_LINE
        yield {"kind": "best", "words": bold, "x": x, "y": y, "text_x": x}
