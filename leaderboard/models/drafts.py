"""Files that wait until their sender has an account and has described the system."""

import uuid

from django.db import models

from leaderboard.models.submissions import Submission
from leaderboard.models.teams import User


class Draft(models.Model):
    """A file that was read and can be submitted, kept for a day for the browser that sent it.

    A signed cookie of that browser holds the id. Nothing is scored of a draft, and no quota counts it.

    owner: who was signed in; from then on nobody else sees it. None for a visitor.
    address_digest: of a visitor who sent it, also once it has an owner; "" once it was submitted
    run_files: as of a submission
    matches: for each leaderboard that the file can go to, the likeliest first, its slug, whether it
        is_likeliest, and what was read unless that takes too
        long: format, version, count, warnings, warning_count
    typed: the fields of the form as they were last sent, by their names
    submission: what became of it; then its file is removed
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    address_digest = models.CharField(max_length=32, blank=True)
    stored_as = models.UUIDField(unique=True, editable=False)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    run_files = models.JSONField(null=True)
    filename = models.CharField(max_length=255, blank=True)
    matches = models.JSONField(default=list)
    typed = models.JSONField(default=dict)
    submission = models.ForeignKey(Submission, null=True, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["made_at"], name="draft_by_age"),
            models.Index(fields=["address_digest"], name="draft_of_address"),
        ]

    def __str__(self) -> str:
        return f"draft of {self.size_bytes} bytes"
