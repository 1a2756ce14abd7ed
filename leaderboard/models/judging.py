"""Verdicts of paid judges and their cost."""

from django.db import models

from leaderboard.models.immutable import Immutable


class JudgedAnswer(Immutable):
    """A verdict that was paid for.

    key: sha256 of everything that it depends on (prompt version, model, question, true answer, answer), so
    the row reveals nothing about a reference.
    """

    key = models.BinaryField(max_length=32, unique=True)
    correct = models.BooleanField()
    judge = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{bytes(self.key).hex()[:12]} by {self.judge}"


class JudgeDay(models.Model):
    """The cost of all judging on a day (UTC), in US dollars."""

    day = models.DateField(unique=True)
    calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0)

    class Meta:
        ordering = ["-day"]

    def __str__(self) -> str:
        return f"{self.day}: {self.calls} calls"
