"""Give pictures the fonts of the pages, also where the machine has none.

Inter has the letters of western Europe. Noto Sans TC has the Chinese characters of our own texts. Names may
have others: these come from the package `fonts-noto-cjk`, and are boxes where it is not installed.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from leaderboard.services.pictures.text_width import is_wide

FOLDER = Path(__file__).parents[2] / "static" / "leaderboard" / "fonts"
# The engine takes a letter that the first font lacks from any font that has it, even a serif one.
_CHINESE = "Noto Sans CJK TC, Noto Sans TC, Inter, sans-serif"
_TEXT = re.compile(r"(?<=>)[^<]+(?=<)")
_WIDE = re.compile(r"[^\x00-\u10ff]+")
_LETTER = re.compile(r"U\+([0-9A-F]+)")


@cache
def engine() -> Any:
    """Return vl-convert, which draws with our fonts."""
    # Import it here because it takes long and most processes never draw.
    import vl_convert  # noqa: PLC0415

    vl_convert.register_font_directory(str(FOLDER))
    return vl_convert


def with_chinese(svg: str) -> str:
    """Return the SVG with a Chinese font for each run of Chinese characters in its texts."""
    return _TEXT.sub(lambda text: _WIDE.sub(_in_chinese, text[0]), svg)


def _in_chinese(run: re.Match[str]) -> str:
    if not any(map(is_wide, run[0])):
        return run[0]
    return f'<tspan font-family="{_CHINESE}">{run[0]}</tspan>'


def with_fonts(svg: str) -> str:
    """Return the SVG with its fonts in it, as a file that is opened where these are not installed."""
    letters = {letter for text in _TEXT.findall(svg) for letter in text}
    return svg.replace(">", f">\n<style>\n{''.join(_rules(letters))}</style>", 1)


def _rules(letters: set[str]) -> Iterator[str]:
    """Yield a rule of CSS for Inter, and for each part of Noto Sans TC that has some of the letters."""
    yield (
        "@font-face { font-family: Inter; font-weight: 400 700; "
        f'src: url("{_data("inter.woff2")}") format("woff2"); }}\n'
    )
    for rule in (FOLDER / "noto-sans-tc.css").read_text().splitlines():
        if letters & {chr(int(code, 16)) for code in _LETTER.findall(rule)}:
            named = rule.replace("Noto Sans TC Pages", "Noto Sans TC")
            yield re.sub(r'url\("([^"]+)"\)', lambda url: f'url("{_data(url[1])}")', named) + "\n"


def _data(name: str) -> str:
    return f"data:font/woff2;base64,{b64encode((FOLDER / name).read_bytes()).decode()}"
