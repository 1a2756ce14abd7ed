"""Threads beside the work of a process: signs of life; where elected, sweep, emails."""

import logging
import threading
from collections.abc import Callable, Sequence

from django.db import close_old_connections, connections
from django.db.models.functions import Now

from leaderboard.models import RunningProcess
from leaderboard.monitoring import ids
from leaderboard.monitoring.withheld import describe
from leaderboard.services import outages
from leaderboard.services.processes import leases, sweeps

logger = logging.getLogger(__name__)

# Seconds until a thread that waits for another notices that the process stops.
_STOPS_WITHIN = 0.5

# Set where emails are due: after a sweep, and once this process has stored one for which someone waits.
emails_are_due = threading.Event()


def start(
    *,
    lanes: Sequence[str],
    sweep: Callable[[], object],
    notify: Callable[[], object],
    until: threading.Event,
) -> None:
    """Start the threads, which run until `until` is set.

    sweep, notify: called in every process that is elected; may be called in several at a time. A sweep
        never waits for `notify`, which may wait for a mail server.
    """
    for name, target, args in (
        ("heartbeat", give_signs, (lanes, until)),
        ("sweep", sweep_in_turn, (sweep, until)),
        ("notify", _act_when, ("notifying people", emails_are_due, notify, until)),
    ):
        threading.Thread(target=target, args=args, name=name, daemon=True).start()


def give_signs(lanes: Sequence[str], until: threading.Event) -> None:
    """Renew the leases of this process, and its row, at every interval."""
    row = RunningProcess(name=leases.process_name(), lanes=",".join(lanes))

    def give_sign() -> None:
        # Before this sign, by which nobody sees any more that there was none.
        sweeps.bridge_gap()
        leases.renew()
        if not RunningProcess.objects.filter(pk=row.pk).update(seen_at=Now()):
            row.seen_at = Now()
            row.save(force_insert=True)

    _repeat("the heartbeat", give_sign, leases.interval(), until)


def sweep_in_turn(sweep: Callable[[], object], until: threading.Event) -> None:
    """Look twice in each interval whether a sweep is due, and do it where this process began it."""

    def look() -> None:
        if sweeps.begin():
            sweep()
            sweeps.end()
            emails_are_due.set()

    _repeat("the sweep", look, leases.interval() / 2, until)


def _repeat(name: str, act: Callable[[], object], seconds: float, until: threading.Event) -> None:
    """Do something again and again, `seconds` apart; after a failure, a second later."""
    while not until.is_set():
        until.wait(seconds if attempt(name, act) else min(1.0, seconds))


def _act_when(name: str, is_due: threading.Event, act: Callable[[], object], until: threading.Event) -> None:
    while not until.is_set():
        if is_due.wait(_STOPS_WITHIN):
            is_due.clear()
            attempt(name, act)
            # Most processes are seldom elected, and need no connection until then.
            connections.close_all()


def attempt(name: str, act: Callable[[], object]) -> bool:
    """Do something that the next round repeats; return whether it succeeded."""
    with ids.bound(task_id=ids.new_id()):
        try:
            act()
        except Exception as error:
            if outages.is_outage(error):
                # The database is away, say, or was busy for too long: one line is enough.
                logger.warning("%s failed and will be tried again: %s", name, describe(error))
            else:
                logger.exception("%s failed and will be tried again", name)
            return False
        finally:
            close_old_connections()
    return True
