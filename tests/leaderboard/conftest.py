"""What holds for every test of the service."""

import pytest


@pytest.fixture(autouse=True)
def nothing_kept():
    """A test's database is thrown away and its primary keys are used again, so nothing that a process keeps
    by them may reach the next test."""
    from django.core.cache import caches

    from leaderboard.services.boards import board
    from leaderboard.services.judging import task_groups
    from leaderboard.services.statistics import known, pair_tests

    for cache in caches.all():
        cache.clear()
    for kept in (board.task_count, pair_tests._weights, known._load, task_groups._load):
        kept.cache_clear()
