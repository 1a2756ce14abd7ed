"""A board for tests of charts in a browser."""

from datetime import UTC, datetime, timedelta

from leaderboard.models import Board
from leaderboard.services.publishing.import_references import load_reported
from tests.support.factories import make_bare
from tests.support.rows import put_row

HOSTILE = "<script>document.title = 'no'</script> ${1}"


def make_chart_board() -> Board:
    """Make a board with reported rows and four best scores over time."""
    board = make_bare("fhir-agentbench", title="FHIR-AgentBench")
    load_reported(board=board)
    for number, name in enumerate(("First", "Second", HOSTILE, "Last")):
        put_row(
            board,
            name,
            counts=(1500 + 300 * number, 2931),
            judge="official: o4-mini",
            since=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=60 * number),
            metrics={"precision": 0.5 + number / 10, "recall": 0.6},
        )
    return board
