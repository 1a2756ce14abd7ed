"""docs/operators.md names every environment variable that is read."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_every_variable_is_in_the_operators_table():
    read = {
        name
        for source in ("settings.py", "gunicorn.py")
        for name in re.findall(r'\benv\.\w+\(\s*"(\w+)"', (ROOT / "leaderboard" / source).read_text("utf-8"))
    }
    told = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/operators.md").read_text("utf-8"), re.MULTILINE))

    assert read
    assert told == read
