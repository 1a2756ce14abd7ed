"""Wait until this process may unpack or read files in a request."""

from django.utils.translation import gettext

from leaderboard.monitoring import metrics
from leaderboard.services import turns
from leaderboard.services.errors import Busy
from leaderboard.turn import Turn

PATIENCE = 10  # seconds; a few requests only wait so long, as each holds a thread


def take(*, has_account: bool = True) -> Turn:
    """Return a turn to unpack or read what a request has brought. Raises Busy.

    Senders without an account have turns of their own, so that they keep nobody else waiting.
    """
    try:
        return (turns.reading if has_account else turns.reading_for_visitors).take(PATIENCE)
    except turns.TooBusy:
        metrics.REFUSED.labels(Busy.code).inc()
        raise Busy(
            gettext("Several files are being checked right now. Try again in a few seconds.")
        ) from None
