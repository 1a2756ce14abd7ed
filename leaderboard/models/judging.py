"""What a judge that is paid for has said, and what it took."""

from django.db import models

from leaderboard.models.immutable import Immutable


class JudgedAnswer(Immutable):
    """A verdict that was paid for. `key` is the sha256 of all that it depends on (prompt version, model,
    question, true answer, answer), so that the row tells nothing of a reference."""

    key = models.BinaryField(max_length=32, unique=True)
    correct = models.BooleanField()
    judge = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self):
        return f"{bytes(self.key).hex()[:12]} by {self.judge}"


class JudgeDay(models.Model):
    """What all judging took on a day (UTC); cost in US dollars."""

    day = models.DateField(unique=True)
    calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0)

    class Meta:
        ordering = ["-day"]

    def __str__(self):
        return f"{self.day}: {self.calls} calls"
