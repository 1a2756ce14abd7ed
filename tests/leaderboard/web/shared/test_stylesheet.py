"""The style sheet and the templates use the same names of classes."""

import re

from tests.support.paths import ROOT

STATIC = ROOT / "leaderboard" / "static" / "leaderboard"
SOURCES = [
    *(ROOT / "templates").rglob("*.html"),
    *(ROOT / "templates").rglob("*.jinja"),
    *STATIC.glob("*.js"),
    *(ROOT / "leaderboard" / "web").rglob("*.py"),
]
SET_BY_HTMX = {"htmx-request"}


def test_every_class_of_the_style_sheet_is_used():
    text = "\n".join(path.read_text() for path in STATIC.glob("*.css"))
    sheet = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    selectors = re.sub(r"{[^{}]*}", " ", sheet)
    styled = set(re.findall(r"\.([a-z][\w-]*)", selectors)) - SET_BY_HTMX
    words = {word for path in SOURCES for word in re.findall(r"[\w-]+", path.read_text(encoding="utf-8"))}
    assert len(styled) > 100
    assert styled - words == set()
