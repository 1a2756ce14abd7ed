"""What every page needs."""

from django.http import HttpRequest

from leaderboard.models import Benchmark

_SHOWN = 3


def site(request: HttpRequest) -> dict[str, object]:
    """The boards, for the navigation: the first few, demonstrations last; the front page has all."""
    # Sliced in the database, and asked for only where a page has the navigation.
    found = Benchmark.objects.order_by("is_demo", "position", "slug").only("slug", "title")[: _SHOWN + 1]
    return {"boards": found, "boards_shown": _SHOWN}
