"""Draw a chart as a file of its own, to be put on a slide: its finding, legend, source, date and address.

It is the wide chart of the page in the light scheme, in a frame of text. The PNG has twice its pixels.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.services.charts.figures import Figure
from leaderboard.services.charts.legend import Legend, legend_of
from leaderboard.services.charts.render import digest_of, svg_of
from leaderboard.services.pictures import render_limit
from leaderboard.services.pictures.text_width import cut, fonts_of, width_of, wrap_lines

FORMS = ("svg", "png")
_DRAWN_AS = 1  # raise it when the frame changes
# The number of places in the cache, by whether the board is filtered. A PNG may take 1 MB.
_PLACES = {False: 16, True: 4}
_SIDE, _TOP, _LINE = 32, 30, 30  # pixels beside the chart, above the title, and of a line of the title
_ROOM = 1136
_TITLE, _TEXT = 22, 14  # pixels: the size of the title and of other text
_BOLD = 0.9  # share of the room: bold letters are wider than `text_width` expects
_SCALE = 2  # pixels of the PNG per pixel of the page


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """The texts around a chart.

    title: its finding
    subtitle: the leaderboard and the view
    source: where the figures are from, and of what date
    address: of the page with the same figures
    """

    title: str
    subtitle: str
    source: str
    address: str


def file_of(figure: Figure, caption: Caption, *, form: str, is_filtered: bool = False) -> bytes:
    """Return the file of the chart in the active language. Raises TooBusy.

    `render.is_drawn` must be true for the figure.

    form: one of FORMS
    is_filtered: whether the reader set filters
    """
    chart = svg_of(figure, scheme="light", width="wide", is_filtered=is_filtered)
    svg = frame(chart.decode(), legend_of(figure), caption)
    if form == "svg":
        return svg.encode()
    return render_limit.picture(
        name=etag_of(figure, caption, form=form),
        shelf=f"chart-file-{is_filtered:d}",
        places=_PLACES[is_filtered],
        draw=lambda: render_limit.as_png(svg, scale=_SCALE),
    )


def etag_of(figure: Figure, caption: Caption, *, form: str) -> str:
    """Return the ETag of the file that `file_of` returns; it differs for other bytes."""
    content = f"{_DRAWN_AS} {get_language()} {digest_of(figure)} {caption!r}"
    return f"{hashlib.sha256(content.encode()).hexdigest()[:32]}-{form}"


_SIZE = re.compile(r'<svg [^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"')
_TEXT_ELEMENT = re.compile(r"<text\b[^>]*>.*?</text>", re.DOTALL)
_FAMILY = re.compile(r'font-family="[^"]*"')


def frame(chart: str, legend: Legend, caption: Caption) -> str:
    """Return the SVG of a chart with its texts around it.

    chart: SVG, as `render.svg_of` returns it
    """
    size = _SIZE.match(chart)
    if size is None:
        raise ValueError("a drawn chart has a width and a height")
    titles = wrap_lines(caption.title, _TITLE, _BOLD * _ROOM, 2)
    top = _TOP + _LINE * len(titles)
    marks = list(_marks(legend))
    chart_top = top + (64 if marks else 34)
    bottom = chart_top + float(size[2]) + 40
    context = {
        "width": max(_ROOM, round(float(size[1]))) + 2 * _SIDE,
        "height": round(bottom + 44),
        "side": _SIDE,
        "top": _TOP,
        "line": _LINE,
        "titles": [_text(line) for line in titles],
        "subtitle": _text(cut(caption.subtitle, _TEXT, _ROOM)),
        "subtitle_y": top + 4,
        "marks": marks,
        "marks_y": top + 34,
        "chart": _in_any_font(chart).replace("<svg ", f'<svg x="{_SIDE}" y="{chart_top}" ', 1),
        "source": _text(cut(caption.source, _TEXT, _ROOM)),
        "address": _text(cut(caption.address, _TEXT, _ROOM)),
        "bottom": bottom,
        "title_size": _TITLE,
        "text_size": _TEXT,
    }
    return render_to_string("pictures/chart.svg", context, using="jinja2")


def _text(words: str) -> dict[str, str]:
    return {"words": words, "family": fonts_of(words)}


def _in_any_font(chart: str) -> str:
    """Return the SVG with the fonts of each text by its letters."""
    return _TEXT_ELEMENT.sub(lambda text: _FAMILY.sub(f'font-family="{fonts_of(text[0])}"', text[0]), chart)


def _marks(legend: Legend) -> Iterator[dict[str, Any]]:
    """Yield the marks of the legend from left to right, each with its label and its place."""
    x = float(_SIDE)
    marks = list(legend.kinds.items())
    if legend.has_intervals:
        marks.append(("interval", _("95% confidence interval")))
    for kind, label in marks:
        yield {"kind": kind, "x": x, "text_x": x + 20, **_text(label)}
        x += 20 + width_of(label, _TEXT) + 28
    if legend.shades:
        low, high = legend.shades
        yield {"kind": "low", "x": x, "text_x": x, **_text(low)}
        x += width_of(low, _TEXT) + 10
        yield {"kind": "shades", "x": x, "text_x": x + 160, **_text(high)}
        x += 160 + width_of(high, _TEXT) + 28
        yield {"kind": "best", "x": x, "text_x": x, **_text(_("Bold: the highest of its column"))}
