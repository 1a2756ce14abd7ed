"""What organisers look up: kinds of changes of state, and what processes logged about submissions."""

from django.db import models

from leaderboard.models.submissions import Submission


class AuditAction(models.TextChoices):
    """A change of state that organisers look up."""

    SUBMITTED = "submission.received"
    REJECTED = "submission.rejected"
    SCORED = "submission.scored"
    FAILED = "submission.failed"
    INCOMPLETE = "submission.incomplete"
    CANCELLED = "submission.cancelled"
    RETRIED = "submission.retried"
    PUBLISHED = "submission.published"
    WITHDRAWN = "submission.withdrawn"
    DISQUALIFIED = "submission.disqualified"
    REINSTATED = "submission.reinstated"
    TRACES_CHANGED = "submission.traces-changed"
    IMPORTED = "references.imported"
    SET_ASIDE = "references.set-aside"
    ACTIVATED = "references.activated"
    DISCARDED = "references.discarded"
    REPORTED = "reported.loaded"
    BENCHMARK_CHANGED = "benchmark.changed"
    SYSTEM_CHANGED = "system.changed"
    APPROVAL_REQUESTED = "team.approval-requested"
    TEAM_APPROVED = "team.approved"
    TEAM_REFUSED = "team.refused"
    REVIEWED = "submission.reviewed"
    DOUBT_REPORTED = "doubt.reported"
    DOUBT_DECLINED = "doubt.declined"
    DOUBT_ACCEPTED = "doubt.accepted"
    ANNOUNCED = "board.announced"
    ANNOUNCEMENT_ENDED = "board.announcement-ended"
    QUOTA_GRANTED = "team.quota-granted"
    QUOTA_ENDED = "team.quota-ended"
    RESCORING_ORDERED = "board.rescoring-ordered"
    ORGANISER_ADDED = "board.organiser-added"
    ORGANISER_REMOVED = "board.organiser-removed"
    TEAM_RENAMED = "team.renamed"
    NAME_ERASED = "record.name-erased"
    TEAM_CREATED = "team.created"
    TEAM_CLOSED = "team.closed"
    MEMBER_INVITED = "team.member-invited"
    INVITATION_REVOKED = "team.invitation-revoked"
    MEMBER_JOINED = "team.member-joined"
    MEMBER_LEFT = "team.member-left"
    ROLE_CHANGED = "team.role-changed"
    SYSTEM_HANDED_OVER = "system.handed-over"
    ACCOUNT_DELETED = "account.deleted"
    REVIEW_LINK_CREATED = "review-link.created"
    REVIEW_LINK_REVOKED = "review-link.revoked"
    TOKEN_CREATED = "token.created"
    TOKEN_REVOKED = "token.revoked"
    PUBLISHER_ADDED = "publisher.added"
    PUBLISHER_BOUND = "publisher.bound"
    PUBLISHER_REMOVED = "publisher.removed"
    PROGRAM_APPROVED = "program.approved"
    PROGRAM_DENIED = "program.denied"


class SubmissionLogLine(models.Model):
    """A line that a process logged about a submission, kept for a while for the organisers of its board.

    message: the first line, as the log has it: without an answer, a reference or a secret
    request_id, task_id: as the log has them; "" where it has none
    """

    # This key has no constraint: to check one, the database would wait until nobody locks the submission.
    submission = models.ForeignKey(
        Submission, on_delete=models.CASCADE, db_constraint=False, related_name="log_lines"
    )
    at = models.DateTimeField()
    level = models.CharField(max_length=10)
    message = models.CharField(max_length=500)
    request_id = models.CharField(max_length=64, blank=True)
    task_id = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["at"], name="submission_log_by_time")]

    def __str__(self) -> str:
        return f"{self.level} at {self.at:%Y-%m-%d %H:%M}"
