"""Give pictures the fonts of the pages, also where the machine has none.

Inter has the letters of western Europe. Noto Sans TC has the Chinese characters of our own texts. Names may
have others: these come from the package `fonts-noto-cjk`, and are boxes where it is not installed.
"""

import re
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "static" / "leaderboard" / "fonts"
# Where the first font lacks a letter of a text, the engine draws all of it in any font that has them, even a
# serif one.
_CHINESE = '<tspan font-family="Noto Sans CJK TC, Noto Sans TC, Inter, sans-serif">{}</tspan>'
_FONT = b64encode((FOLDER / "inter.woff2").read_bytes()).decode()
_FACE = f'font-family:"Inter";font-weight:400 700;src:url("data:font/woff2;base64,{_FONT}")'
_INTER = f"<style>@font-face{{{_FACE}}}text{{font-variant-numeric:tabular-nums}}</style>".encode()
_TEXT = re.compile(r"(?<=>)[^<]+(?=<)")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


@cache
def engine() -> Any:
    """Return vl-convert, which draws with our fonts."""
    # Import it here because it takes long and most processes never draw.
    import vl_convert  # noqa: PLC0415

    vl_convert.register_font_directory(str(FOLDER))
    return vl_convert


def with_chinese(svg: str) -> str:
    """Return the SVG with a Chinese font for each of its texts that has Chinese characters."""
    return _TEXT.sub(lambda text: _CHINESE.format(text[0]) if _WIDE.search(text[0]) else text[0], svg)


def with_inter(svg: bytes) -> bytes:
    """Return the SVG with Inter in it: a picture in a page, or in a file, has no font of the page."""
    return re.sub(rb"^<svg[^>]*>", lambda root: root[0] + _INTER, svg)
