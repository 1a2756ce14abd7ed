"""The identity of this installation."""

import uuid

from django.db import models

# Which tables this code can work with: the largest `code_level` of its migrations.
# leaderboard.services.schema compares it with the database.
CODE_LEVEL = 1


class Installation(models.Model):
    """The one row that names this database. The folder of its uploads carries the same key."""

    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    code_level = models.PositiveSmallIntegerField(
        db_default=1, editable=False, help_text="The least level of code that can work with these tables."
    )

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="installation_only_one")]

    @classmethod
    def get(cls) -> "Installation":
        """Return the row of this database; a new database gets one."""
        return cls.objects.get_or_create(pk=1, defaults={"code_level": CODE_LEVEL})[0]

    def __str__(self) -> str:
        return str(self.key)
