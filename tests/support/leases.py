"""Let time pass for those who hold a lease."""

from datetime import timedelta
from types import SimpleNamespace
from unittest.mock import patch

from django.db.models import F
from django.utils import timezone

from leaderboard.models import RescoringOrder, Work
from leaderboard.services.processes import leases
from leaderboard.services.submissions import sweep

# The intervals after which a lease that nobody renews has run out.
LASTS = 4


def pass_intervals(count: int) -> None:
    """Let so many intervals pass in which nobody renews a lease."""
    earlier = F("leased_until") - timedelta(seconds=count * leases.interval())
    for model in (Work, RescoringOrder):
        model.objects.update(leased_until=earlier)


def sweep_later() -> int:
    """Sweep once every lease has run out."""
    pass_intervals(LASTS)
    later = timezone.now() + timedelta(seconds=LASTS * leases.interval())
    with patch.object(sweep, "timezone", SimpleNamespace(now=lambda: later)):
        return sweep.sweep()
