"""The sizes of text that the style sheets declare."""

import re
from pathlib import Path

import pytest
from django.conf import settings

STYLE_SHEETS = sorted((settings.BASE_DIR / "leaderboard/static/leaderboard").glob("*.css"))
SIZE = re.compile(r"\bfont(?:-size)?:\s*([^;}]+)")
SIZES = ("var(--small)", "var(--text)", "var(--large)", "var(--title)", "var(--figure)")


@pytest.mark.parametrize("path", STYLE_SHEETS, ids=lambda path: path.name)
def test_a_style_sheet_uses_the_five_sizes_alone(path: Path):
    # Code is a share of the text around it; what is printed has points.
    declared = [size.split("/")[0].split()[0] for size in SIZE.findall(path.read_text("utf-8"))]
    known = (*SIZES, "inherit", ".92em")
    others = [size for size in declared if size not in known and not size.endswith("pt")]

    assert others == []
