"""Signs of life, and sweeps that one process at a time does."""

import threading
import uuid
from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from leaderboard.models import RescoringOrder, RunningProcess, SweepTimes
from leaderboard.services.processes import heartbeat, leases, sweeps
from tests.support.processes import database_url, run_at_once, wait_for

pytestmark = pytest.mark.both_databases


def test_a_sweep_begins_an_interval_after_the_one_before_and_every_fourth_is_thorough(db, settings):
    settings.LEASE_SECONDS = 20
    began = []
    for _ in range(12):
        began.append(sweeps.begin())
        SweepTimes.objects.update(begun_at=F("begun_at") - timedelta(seconds=3))
    # A sweep every five seconds, and a look every three.
    assert began == [True, False] * 6
    assert SweepTimes.objects.get().number == 6
    assert not sweeps.is_thorough()
    SweepTimes.objects.update(number=8)
    assert sweeps.is_thorough()


def test_a_lease_begins_anew_only_after_a_time_in_which_nobody_gave_a_sign_of_life(demo, monkeypatch):
    monkeypatch.setattr(heartbeat, "close_old_connections", lambda: None)
    RescoringOrder.objects.create(board=demo, claim=uuid.uuid4(), leased_until=Now())
    # A sweep may take longer than a lease lasts.
    SweepTimes.objects.create(pk=1, begun_at=Now() - timedelta(minutes=1))
    RunningProcess.objects.create(name="another", lanes="", seen_at=Now())
    assert sweeps.begin()
    assert RescoringOrder.objects.filter(leases.has_run_out()).exists()
    RunningProcess.objects.update(seen_at=Now() - timedelta(minutes=1))
    heartbeat.give_signs([], Pauses(1))
    assert not RescoringOrder.objects.filter(leases.has_run_out()).exists()


@pytest.mark.django_db(transaction=True)
def test_of_four_processes_that_begin_at_once_one_succeeds():
    SweepTimes.objects.create(pk=1)
    assert sorted(run_at_once(*[sweeps.begin] * 4)) == [False, False, False, True]
    assert SweepTimes.objects.get().number == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="this is about PostgreSQL")
def test_a_lease_that_a_stranger_keeps_locked_holds_up_no_sweep(demo):
    RescoringOrder.objects.create(board=demo)
    with psycopg.connect(database_url()) as stranger:
        stranger.execute("SELECT 1 FROM leaderboard_rescoringorder FOR UPDATE")
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '1s'")
        assert sweeps.begin()
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_sweeps_go_on_while_people_are_notified_and_a_failure_of_it_is_one_line(settings, caplog):
    settings.LEASE_SECONDS = 0.2
    stop, goes_on, swept, notified = threading.Event(), threading.Event(), [], []

    def wait_for_a_mail_server():
        notified.append(len(swept))
        goes_on.wait(10)
        raise OSError("the mail server is away")

    before = set(threading.enumerate())
    heartbeat.start(lanes=[], sweep=lambda: swept.append(1), notify=wait_for_a_mail_server, until=stop)
    try:
        wait_for(lambda: notified and len(swept) > notified[0] + 2)
        assert len(notified) == 1
        goes_on.set()
        wait_for(lambda: len(notified) > 1)
    finally:
        stop.set()
        for thread in set(threading.enumerate()) - before:
            thread.join(timeout=10)
    assert "notifying people failed and will be tried again" in caplog.text


class Pauses(threading.Event):
    """An event that is waited for in no time: it notes for how long, and is set after the given number."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.seconds = []
        self._most = most

    def wait(self, timeout=None):
        self.seconds.append(timeout)
        if len(self.seconds) == self._most:
            self.set()
        return self.is_set()


def test_what_fails_is_tried_again_in_time_for_a_sign_of_life(db, settings, monkeypatch):
    settings.LEASE_SECONDS = 60
    outcomes = iter([OSError, OSError, None, OSError])

    def meet_an_outage(*_):
        if error := next(outcomes):
            raise error

    monkeypatch.setattr(heartbeat, "close_old_connections", lambda: None)
    monkeypatch.setattr(heartbeat.leases, "renew", meet_an_outage)
    pauses = Pauses(4)
    heartbeat.give_signs([], pauses)
    assert pauses.seconds == [1, 1, leases.interval(), 1]
