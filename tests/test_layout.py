"""The layout of the tests: which of them run on PostgreSQL."""

from tests.support.paths import ROOT


def test_what_needs_postgresql_is_run_there():
    """tests/run chooses by the mark. Elsewhere such a test would be skipped, and so never run."""
    texts = {path: path.read_text() for path in (ROOT / "tests/leaderboard").rglob("test_*.py")}
    needing = [path for path, text in texts.items() if 'vendor != "postgresql"' in text]
    assert len(needing) > 2
    assert [path for path in needing if "mark.both_databases" not in texts[path]] == []
