"""Give pictures the fonts of the pages, also where the machine has none.

Inter has the letters of western Europe. Noto Sans TC has the Chinese characters of our own texts. Names may
have others: these come from the package `fonts-noto-cjk`, and are boxes where it is not installed.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "static" / "leaderboard" / "fonts"
# The engine takes a letter that the first font lacks from any font that has it, even a serif one.
_CHINESE = r'<tspan font-family="Noto Sans CJK TC, Noto Sans TC, Inter, sans-serif">\g<0></tspan>'
_TEXT = re.compile(r"(?<=>)[^<]+(?=<)")
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+")


@cache
def engine() -> Any:
    """Return vl-convert, which draws with our fonts."""
    # Import it here because it takes long and most processes never draw.
    import vl_convert  # noqa: PLC0415

    vl_convert.register_font_directory(str(FOLDER))
    return vl_convert


def with_chinese(svg: str) -> str:
    """Return the SVG with a Chinese font for each run of Chinese characters in its texts."""
    return _TEXT.sub(lambda text: _WIDE.sub(_CHINESE, text[0]), svg)
