"""The identity of this installation."""

import uuid

from django.db import models


class Installation(models.Model):
    """The one row that names this database. The folder of its uploads carries the same key."""

    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="installation_only_one")]

    def __str__(self) -> str:
        return str(self.key)
