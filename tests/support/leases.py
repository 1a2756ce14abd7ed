"""Let time pass for those who hold a lease."""

from datetime import timedelta

from django.db.models import F

from leaderboard.models import RescoringOrder, Work
from leaderboard.services.processes import leases

# The intervals after which a lease that nobody renews has run out.
LASTS = 4


def pass_intervals(count: int) -> None:
    """Let so many intervals pass in which nobody renews a lease."""
    earlier = F("leased_until") - timedelta(seconds=count * leases.interval())
    for model in (Work, RescoringOrder):
        model.objects.update(leased_until=earlier)
