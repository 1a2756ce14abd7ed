"""The parameters of the table of a leaderboard, for the OpenAPI document."""

from leaderboard.api.schema.parameters import PAGE, PER_PAGE, in_query
from leaderboard.services.boards.columns import SORTINGS
from leaderboard.services.rows.filters import FILTERS

BOARD_PARAMETERS = [
    in_query(
        "as_of",
        "The leaderboard as of a date (2026-11-01: at its end, UTC), a time, or the number of an event.",
    ),
    *(in_query(each.key, each.describe()) for each in FILTERS),
    in_query(
        "sort",
        f"{', '.join(SORTINGS)}, or the key of a metric of the leaderboard; `-` before it: descending.",
    ),
    PAGE,
    PER_PAGE,
]
