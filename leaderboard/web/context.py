"""What every page needs."""

from leaderboard.models import Benchmark

_SHOWN = 6


def site(request):
    """The boards, for the navigation: the first few, and whether the front page has more."""
    # Sliced in the database, and asked for only where a page has the navigation.
    found = Benchmark.objects.order_by("position", "slug").only("slug", "title")[: _SHOWN + 1]
    return {"boards": found, "boards_shown": _SHOWN}
