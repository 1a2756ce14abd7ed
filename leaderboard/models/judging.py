"""Verdicts of paid judges and their cost."""

from django.db import models

from leaderboard.models.boards import Board
from leaderboard.models.immutable import Immutable
from leaderboard.models.submissions import Submission
from leaderboard.models.teams import Team


class JudgedAnswer(Immutable):
    """A paid verdict. Other teams never get it: a faster answer would reveal what was sent before.

    key: sha256 of everything that it depends on (prompt version, model, question, true answer, answer), so
    the row reveals nothing about a reference.
    team: whose submission it was paid for. served: see wardboard.scoring.judging.Call.
    """

    key = models.BinaryField(max_length=32)
    correct = models.BooleanField()
    judge = models.CharField(max_length=120)
    served = models.CharField(max_length=150, blank=True, default="")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "team"], name="judged_answer_once_a_team")]


class PublicVerdict(Immutable):
    """The verdict on an answer of a published result, which serves every team from then on.

    It stays when the result is withdrawn. The first published verdict on an answer is the one that is kept.
    """

    key = models.BinaryField(max_length=32, unique=True, help_text="As of a judged answer.")
    correct = models.BooleanField()
    served = models.CharField(max_length=150, blank=True, default="", help_text="As of a judged answer.")
    created_at = models.DateTimeField(auto_now_add=True)


class UsedVerdicts(models.Model):
    """The verdicts that the result of a submission goes by: their keys, one after the other."""

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, primary_key=True, related_name="used_verdicts"
    )
    keys = models.BinaryField()


class JudgeDay(models.Model):
    """The cost of judging for a leaderboard on a day (UTC), in US dollars.

    new_calls, new_cost: the part of teams that the organisers had not approved then.
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="+")
    day = models.DateField()
    calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.FloatField(default=0)
    new_calls = models.PositiveIntegerField(default=0)
    new_cost = models.FloatField(default=0)

    class Meta:
        ordering = ["-day", "board"]
        constraints = [models.UniqueConstraint(fields=["day", "board"], name="judge_day_once_a_board")]


class JudgeAnswers(models.Model):
    """How often the providers of judges gave an answer.

    status: as wardboard.scoring.judging.Ledger.count_answers has it.
    """

    status = models.CharField(max_length=20, primary_key=True)
    count = models.PositiveBigIntegerField(default=0)
