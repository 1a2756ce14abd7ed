"""What everyone may know: which parts work, how much waits, and recent failures of ours."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import RunningProcess, Submission
from leaderboard.services.health.queues import Queue
from leaderboard.services.health.status import read_status
from leaderboard.services.submissions import grade
from tests.support.factories import send, send_queued, with_wrong

pytestmark = pytest.mark.both_databases


def test_a_file_that_waits_is_counted(demo, user, good_file):
    send_queued(user, demo, good_file)
    Submission.objects.update(begun_at=None, received_at=timezone.now() - timedelta(minutes=10))
    found = read_status(is_new=True)
    assert found.waiting[Queue.SHORT].count == 1
    assert 600 <= found.waiting[Queue.SHORT].seconds(found.at) < 700


def test_where_workers_do_the_work_a_lane_without_one_stands_still(db, settings):
    settings.WORKERS = True
    RunningProcess.objects.create(name="a:1", lanes="short,long", seen_at=timezone.now())
    assert not read_status(is_new=True).is_working
    RunningProcess.objects.create(name="a:2", lanes="statistics", seen_at=timezone.now())
    assert read_status(is_new=True).is_working


def test_failures_of_ours_are_counted_for_a_day(demo, user, good_file, monkeypatch):
    monkeypatch.setattr(grade, "grade", lambda *_, **__: 1 / 0)
    send(user, demo, good_file)
    earlier = send(user, demo, with_wrong(good_file, 1)).submission
    Submission.objects.filter(pk=earlier.pk).update(moved_at=timezone.now() - timedelta(hours=25))
    assert read_status(is_new=True).failed == 1
