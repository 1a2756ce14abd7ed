"""What every page needs."""

from leaderboard.models import Benchmark


def site(request):
    """The boards, for the navigation."""
    return {"boards": Benchmark.objects.order_by("position", "slug").only("slug", "title")}
