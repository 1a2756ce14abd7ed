"""The installation, its processes, and what they do in turn."""

import uuid
from typing import Self

from django.db import models
from django.utils import timezone

from leaderboard.models.boards import Board, ReferenceRevision
from leaderboard.models.teams import User


class OnlyRow(models.Model):
    """The one row of its table."""

    class Meta:
        abstract = True
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="%(class)s_only_one")]

    @classmethod
    def get(cls) -> Self:
        return cls._default_manager.get_or_create(pk=1)[0]


class Installation(OnlyRow):
    """The one row that names this database. The folder of its uploads carries the same key."""

    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)


class StorageToken(OnlyRow):
    """The one row with the token that the storage of uploads carries too; both change every minute.

    A copy of the database, however it was made, soon knows an old token only. It is in no digest of a backup.
    """

    token = models.UUIDField(default=uuid.uuid4, editable=False)
    token_before = models.UUIDField(null=True, editable=False)


class SweepTimes(OnlyRow):
    """The one row that elects who sweeps: each sweep begins by changing it, by the clock of the database."""

    number = models.PositiveBigIntegerField(default=0)
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)


class RunningProcess(models.Model):
    """A process of a web server or worker, which renews its row as long as it lives.

    lanes: of services.background, those that it works on, separated by commas.
    seen_at: when it last gave a sign of life, by the clock of the database.
    """

    name = models.CharField(max_length=100, help_text="Its machine and process id.")
    lanes = models.CharField(max_length=60, blank=True)
    seen_at = models.DateTimeField()
    started_at = models.DateTimeField(auto_now_add=True)


class RescoringOrder(models.Model):
    """A request to rescore a leaderboard; the row exists until a worker has done it.

    asked: how often it was requested, so that a request during the work is carried out too.
    claim: of the worker that does it; null while its message waits.
    leased_until: when it counts as lost, unless its worker renews its lease before.
    attempts: how often a worker began since the last progress.
    revision: to activate once every result has its score by it; null to rescore by the active one.
    """

    board = models.OneToOneField(Board, on_delete=models.CASCADE, related_name="+")
    revision = models.ForeignKey(ReferenceRevision, on_delete=models.SET_NULL, null=True, related_name="+")
    ordered_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    asked = models.PositiveIntegerField(default=0)
    claim = models.UUIDField(null=True)
    leased_until = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)


class LimitEntry(models.Model):
    """An entry of Django's database cache, which counts what limits count."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)
