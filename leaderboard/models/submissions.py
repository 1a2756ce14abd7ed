"""Submissions, each one or more runs of a system, with their states; drafts and links for reviewers.

    received ──> rejected
       ├──> sealed ──────────────> scored  (of a season: once it is revealed)
       └──> queued ──> scoring ──> scored  (then published, withdrawn, published again)
              │           ├──────> failed ──> queued
              │           └──────> incomplete ──> queued  (a judge could not decide on everything yet)
              └──> cancelled ──> queued  (from any state that passes)

When its account is deleted, a submission that was never published becomes cancelled, unless it was rejected.

The constraints below hold whichever process is killed: no row is half scored.
"""

from __future__ import annotations

import uuid
from typing import Any, Self

from django.db import models
from django.db.models import Case, F, Q, When
from django.utils import timezone

from leaderboard.models.boards import Board, ReferenceRevision
from leaderboard.models.evaluations import HIDDEN_COLUMNS, evaluation_columns
from leaderboard.models.publishers import CiJob, ProvenanceLevel
from leaderboard.models.systems import Release, System
from leaderboard.models.teams import Team, User


class Status(models.TextChoices):
    RECEIVED = "received", "Received"
    REJECTED = "rejected", "Rejected"
    SEALED = "sealed", "Sealed"
    QUEUED = "queued", "Queued"
    SCORING = "scoring", "Being scored"
    SCORED = "scored", "Scored"
    INCOMPLETE = "incomplete", "Incomplete"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


class Trace(models.TextChoices):
    """How much a file holds of the traces of its runs, as wardboard.scoring.trace.TraceExtent."""

    WHOLE = "whole", "Full"
    PART = "in-part", "Partial"
    POSTS = "posts-only", "Writes only"
    NONE = "none", "None"


PENDING = (Status.RECEIVED, Status.QUEUED, Status.SCORING, Status.INCOMPLETE)

# The whole state machine; `become` refuses every other step.
NEXT: dict[Status, set[Status]] = {
    Status.RECEIVED: {
        *(Status.REJECTED, Status.SEALED, Status.QUEUED, Status.FAILED, Status.CANCELLED),
    },
    Status.SEALED: {Status.SCORED, Status.FAILED, Status.CANCELLED},
    Status.QUEUED: {Status.SCORING, Status.FAILED, Status.CANCELLED},
    # It goes back to queued if the worker died or its slice of time ended; another worker continues.
    Status.SCORING: {Status.SCORED, Status.FAILED, Status.QUEUED, Status.INCOMPLETE, Status.CANCELLED},
    Status.INCOMPLETE: {Status.QUEUED, Status.FAILED, Status.CANCELLED},
    # It goes to received if the file was not checked yet, and to cancelled, as from scored, if its team
    # deleted the account.
    Status.FAILED: {Status.SEALED, Status.QUEUED, Status.RECEIVED, Status.CANCELLED},
    Status.CANCELLED: {Status.SEALED, Status.QUEUED, Status.RECEIVED},
    Status.SCORED: {Status.CANCELLED},
    Status.REJECTED: set(),
}


_PUBLISHED = Q(
    status=Status.SCORED,
    published_at__isnull=False,
    withdrawn_at__isnull=True,
    disqualified_at__isnull=True,
)


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def of_team(self, team: Team) -> Self:
        return self.filter(team=team)

    def with_result(self) -> Self:
        """Join everything that the page of a submission shows, without the references."""
        joined = self.select_related(
            "board", "system__team", "team", "ci_job", "evaluation__revision", "work"
        )
        hidden = evaluation_columns(("revision__content", "revision__task_ids"))
        return joined.defer(*hidden, "work__judged_by_rules")

    def with_tasks(self) -> Self:
        """Join the leaderboard and the task ids of its ground truth, without the hidden reference answers."""
        return self.select_related("board__active_revision", "work").defer("board__active_revision__content")

    def with_revision(self) -> Self:
        """Join the evaluation and its revision, without figures by task and references."""
        joined = self.select_related("evaluation__revision")
        return joined.defer(*evaluation_columns(HIDDEN_COLUMNS), "problems", "warnings")

    def locked(self, team: Team | None = None) -> Self:
        """Lock rows, and join what decides what may become of them. team: whose they are; None for any."""
        rows = self.select_for_update(of=("self",)).select_related("board", "system", "team")
        return rows if team is None else rows.filter(team=team)

    def waiting(self, *, is_long: bool) -> Self:
        """Select the submissions of a lane on which nobody works."""
        unchecked = Q(status=Status.RECEIVED, claim=None)
        return self.filter(Q(status=Status.QUEUED) | unchecked, is_long=is_long)

    def published(self) -> Self:
        return self.filter(_PUBLISHED)

    def entry_first(self) -> Self:
        """Order results of a system so that the one that stands for it comes first.

        That is the last one that its team designated before it was scored, of which there is one for each
        version (`publishing.designation`); without any the first one that was sent for publication before it
        was scored; without any the first that was published. One that is not, or was withdrawn, comes last.
        """
        return self.annotate(
            listed_at=Case(When(withdrawn_at=None, then=F("published_at"))),
            sent=Case(When(sent_for_publication=True, then=F("received_at"))),
            last_designated=Case(When(designated=True, then=F("received_at"))),
        ).order_by(
            F("last_designated").desc(nulls_last=True),
            F("sent").asc(nulls_last=True),
            F("listed_at").asc(nulls_last=True),
            "pk",
        )

    def become(self, status: Status, *, was: Status, **fields: Any) -> int:
        """Move the selected rows from `was` to `status`; return how many were moved.

        Unless `fields` says otherwise, nobody has claimed them then, and they wait for nothing.
        Raises ValueError for a step that NEXT does not have.
        """
        if status not in NEXT[was]:
            raise ValueError(f"no step from {was} to {status}")
        fields = {"claim": None, "waits_for": "", "resume_at": None, "moved_at": timezone.now(), **fields}
        return self.filter(status=was).update(status=status, **fields)


class Submission(Release):
    """The files of one or more runs, their state and their result.

    sha256: of the file; of several runs, of the sorted digests of their files (services.files.runs)
    run_files: of several files, each its name, sha256, size_bytes and, once checked, count; of one that
        repeats another, `same_as` and `is_copy` (wardboard.scoring.benchmark.RepeatedRun); null for one file
    left_out: names of the files that are no results in the archive that they came in
    runs: how many were declared; those without a file count as wrong
    repeated_runs: how many of them have no file or repeat another one, also of a deterministic system
    most_rounds: turns of the model in the longest attempt at a task; null where one does not state them
    no_answers: records that are blank, an error, a refusal or the text of most; 0 too where not counted
    allow_empty: whether its sender said to take it even if most of its records are
    designation: which designated file of its system on its leaderboard it is, from 1; null if it is none
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    board = models.ForeignKey(Board, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    submitted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="submissions")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="submissions")
    status = models.CharField(max_length=10, choices=Status, default=Status.RECEIVED)

    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    stored_as = models.UUIDField(unique=True, editable=False, help_text="Its files in services.files.store.")
    kept_bytes = models.PositiveBigIntegerField(
        default=0, editable=False, help_text="What its files take in the store, and its report."
    )
    count = models.PositiveIntegerField(null=True, blank=True, help_text="Records in the file, once checked.")
    filename = models.CharField(max_length=255, blank=True)
    run_files = models.JSONField(null=True, blank=True, editable=False)
    left_out = models.JSONField(default=list, blank=True, editable=False)
    runs = models.PositiveSmallIntegerField(default=1, editable=False)
    repeated_runs = models.PositiveSmallIntegerField(default=0, editable=False)
    most_rounds = models.PositiveIntegerField(null=True, editable=False)
    no_answers = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    allow_empty = models.BooleanField(default=False, db_default=False, editable=False)
    provenance = models.CharField(max_length=12, choices=ProvenanceLevel, default=ProvenanceLevel.ACCOUNT)
    ci_job = models.ForeignKey(
        CiJob, null=True, blank=True, on_delete=models.PROTECT, related_name="submissions", editable=False
    )
    retries = models.CharField(
        max_length=1000,
        blank=True,
        default="",
        help_text="What was run again, and why, as the submitter declares it.",
    )
    deterministic = models.BooleanField(
        null=True,
        blank=True,
        help_text="Whether every run gives the same answers, as declared.",
    )
    address_digest = models.CharField(
        max_length=32,
        blank=True,
        default="",
        editable=False,
        help_text="Keyed digest of the sender's network address.",
    )
    format = models.CharField(max_length=20, blank=True)
    problems = models.JSONField(default=list)
    problem_count = models.PositiveIntegerField(default=0)
    problems_by_code = models.JSONField(blank=True, default=dict, editable=False)
    warnings = models.JSONField(default=list)
    warning_count = models.PositiveIntegerField(default=0)
    warnings_by_code = models.JSONField(blank=True, default=dict, editable=False)

    evaluation = models.OneToOneField(
        "Evaluation", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    failure = models.CharField(max_length=300, blank=True, help_text="Why it failed, for the submitter.")
    claim = models.UUIDField(
        null=True, blank=True, editable=False, help_text="Who works on it: a new one at each time."
    )
    is_long = models.BooleanField(
        default=False, editable=False, help_text="In which lane it waits for a worker."
    )
    begun_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When work on it last began; teams take turns by it."
    )
    publish_when_scored = models.BooleanField(default=False)
    acknowledged = models.CharField(
        max_length=20,
        blank=True,
        default="",
        editable=False,
        help_text="Version of the terms on credentialed data that its sender acknowledged; empty for none.",
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True, editable=False)
    sent_for_publication = models.BooleanField(
        default=False,
        editable=False,
        help_text="Whether its team decided to publish it before it was scored.",
    )
    designated = models.BooleanField(
        default=False,
        editable=False,
        help_text="Whether its team chose it as its system’s entry before it was scored.",
    )
    designation = models.PositiveIntegerField(null=True, editable=False)
    trace = models.CharField(
        max_length=10,
        choices=Trace,
        blank=True,
        default="",
        editable=False,
        help_text="What the file holds of the traces of its runs; empty where that is not known.",
    )
    log_facts = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="What the file states of its runs beside the answers, as scoring has it.",
    )
    public_traces = models.BooleanField(
        default=False,
        editable=False,
        help_text="Whether its team lets everyone read its traces while it is published.",
    )
    stated_facts = models.JSONField(
        null=True, blank=True, editable=False, help_text="Of a known system, until the file proves valid."
    )

    waits_for = models.CharField(max_length=30, blank=True, help_text="Why it is incomplete.")
    resume_at = models.DateTimeField(
        null=True, blank=True, help_text="When an incomplete one is tried again."
    )

    received_at = models.DateTimeField()
    moved_at = models.DateTimeField(help_text="When it came to its present status.")
    scored_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawal_reason = models.CharField(max_length=300, blank=True)
    disqualified_at = models.DateTimeField(null=True, blank=True)
    disqualification_reason = models.CharField(max_length=300, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-received_at"]
        indexes = [
            models.Index(fields=["team", "-received_at"], name="submission_of_team"),
            models.Index(fields=["status", "moved_at"], name="submission_by_status"),
            models.Index(fields=["board", "system"], name="submission_of_system"),
            models.Index(fields=["board", "-received_at"], name="submission_of_board"),
            models.Index(fields=["team", "is_long", "begun_at"], name="submission_turns"),
            # The database sums bytes from these indexes, and reads no row.
            models.Index(fields=["team", "kept_bytes"], name="submission_bytes_of_team"),
            models.Index(fields=["board", "kept_bytes"], name="submission_bytes_of_board"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["board", "team", "sha256"],
                condition=~Q(status=Status.REJECTED),
                name="submission_file_once_a_team",
            ),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="submission_status_known"),
            models.CheckConstraint(
                condition=Q(status=Status.SCORED, evaluation__isnull=False, scored_at__isnull=False)
                | (~Q(status=Status.SCORED) & Q(evaluation__isnull=True, scored_at__isnull=True)),
                name="submission_scored_has_evaluation",
            ),
            models.CheckConstraint(
                condition=(Q(status=Status.FAILED) & ~Q(failure=""))
                | (~Q(status=Status.FAILED) & Q(failure="")),
                name="submission_failed_has_reason",
            ),
            models.CheckConstraint(
                condition=(Q(status=Status.INCOMPLETE) & ~Q(waits_for=""))
                | (~Q(status=Status.INCOMPLETE) & Q(waits_for="", resume_at__isnull=True)),
                name="submission_incomplete_waits",
            ),
            models.CheckConstraint(
                condition=Q(status=Status.REJECTED, problem_count__gt=0)
                | (~Q(status=Status.REJECTED) & Q(problem_count=0)),
                name="submission_rejected_has_problems",
            ),
            models.CheckConstraint(
                condition=Q(status=Status.RECEIVED)
                | Q(status=Status.SCORING, claim__isnull=False)
                | (~Q(status__in=[Status.RECEIVED, Status.SCORING]) & Q(claim__isnull=True)),
                name="submission_scoring_is_claimed",
            ),
            models.CheckConstraint(
                condition=Q(published_at__isnull=True) | Q(status=Status.SCORED),
                name="submission_published_is_scored",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(published_at__isnull=False),
                name="submission_withdrawn_was_published",
            ),
            models.CheckConstraint(
                condition=Q(disqualified_at__isnull=True, disqualification_reason="")
                | (Q(disqualified_at__isnull=False, status=Status.SCORED) & ~Q(disqualification_reason="")),
                name="submission_disqualified_says_why",
            ),
            models.CheckConstraint(
                condition=Q(provenance=ProvenanceLevel.ACCOUNT)
                | Q(provenance=ProvenanceLevel.CI_ATTESTED, ci_job__isnull=False),
                name="submission_attested_has_job",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.board.slug} ({self.status})"

    @property
    def is_published(self) -> bool:
        """Whether the result is published, and neither withdrawn nor disqualified."""
        return self.published_at is not None and self.withdrawn_at is None and self.disqualified_at is None

    @property
    def has_public_traces(self) -> bool:
        """Whether everyone may read its traces: by the choice of its team, the leaderboard and its data."""
        return self.public_traces and self.is_published and self.board.offers_public_traces

    @property
    def run_digests(self) -> set[str]:
        return {file["sha256"] for file in self.run_files or ({"sha256": self.sha256},)}

    @property
    def same_files(self) -> int:
        """How many of its files have the same answers as another one, and no time that tells them apart."""
        files = enumerate(self.run_files or (), 1)
        return len({at for number, file in files if "same_as" in file for at in (number, file["same_as"])})

    @property
    def run_names(self) -> list[str]:
        """The names of the files of its runs; of a single one too."""
        return [file["name"] for file in self.run_files] if self.run_files else [self.filename]

    @property
    def has_exact_score(self) -> bool:
        """Whether its figures are exact: the board rounds none, or it was published, even if withdrawn."""
        return self.board.rounding == 0 or self.published_at is not None

    @property
    def is_mostly_empty(self) -> bool:
        """Whether more than half of its answers are none, or missing, so that it has no rank."""
        total = self.evaluation.total if self.evaluation else self.count
        return self.count is not None and 2 * (self.count - self.no_answers) < (total or 0)

    @property
    def is_pending(self) -> bool:
        return self.status in PENDING

    @property
    def is_before_reveal(self) -> bool:
        """Whether it was sent to a season whose results nobody may know yet, nor what depends on them."""
        return self.board.is_season and self.board.season.revealed_at is None

    @property
    def status_once_valid(self) -> Status:
        """The status of a file that was checked and found valid."""
        return Status.SEALED if self.board.is_season else Status.QUEUED

    @property
    def stated_organisation(self) -> str:
        return (self.stated_facts or {}).get("organisation") or self.system.organisation


class Work(models.Model):
    """What is written while a process works on a submission, again and again; made with it.

    What guards a step of its state stays with the submission. Who needs both locks the submission first.

    leased_until: when its claim runs out, by the clock of the database.
    attempts: how often work on it began since the last progress.
    resumed: how often in a row it was resumed without getting on. progress: of the current step.
    judged_by_rules: verdicts that a slice keeps for the next one; hidden. judge_cost: in US dollars.
    """

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, primary_key=True, related_name="work"
    )
    leased_until = models.DateTimeField(default=timezone.now)
    worked_on_by = models.CharField(max_length=100, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    resumed = models.PositiveSmallIntegerField(default=0)
    progress = models.JSONField(null=True)
    judged_by_rules = models.JSONField(null=True)
    judge_calls = models.PositiveIntegerField(default=0)
    judge_prompt_tokens = models.PositiveBigIntegerField(default=0)
    judge_completion_tokens = models.PositiveBigIntegerField(default=0)
    judge_cost = models.FloatField(default=0)
    judge_seconds = models.FloatField(default=0)


class AnswerDigests(models.Model):
    """Digests of the answers of a scored file, by which similar files are found.

    digests: two bytes per task, in the order of the revision's task_ids; zeros without an answer; of several
        files, one after the other.
    public_files: address of a public result file -> share of answers, in 0..1, that are the same as its own;
        of those to which a run is similar
    """

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, primary_key=True, related_name="answer_digests"
    )
    revision = models.ForeignKey(ReferenceRevision, on_delete=models.CASCADE, related_name="+")
    digests = models.BinaryField()
    public_files = models.JSONField(default=dict, db_default={})


class IdempotencyKey(models.Model):
    """A client's key for one POST. Repeating it gets the same response; with another body it is refused."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    made_it = models.BooleanField(help_text="Whether the first request with this key made the submission.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_once")]

    def __str__(self) -> str:
        return self.key


class Draft(models.Model):
    """A file that was read and can be submitted, kept for a day for the browser that sent it.

    A signed cookie of that browser holds the id. No quota counts it, and nothing of it is published.

    owner: who was signed in; from then on nobody else sees it. None for a visitor.
    address_digest: of a visitor who sent it, also once it has an owner; "" once it was submitted
    run_files, left_out: as of a submission. is_compressed: with gzip
    systems: those of an archive of which one has to be chosen, as FoundSystem; None for a file of one
    matches: for each leaderboard that the file can go to, the likeliest first, its slug, whether it
        is_likeliest, and what was read unless that takes too long: format,
        version, count, warnings, warning_count, warnings_by_code, answer_forms; and of one leaderboard with
        public reference answers `score`, as services.submissions.score_draft has it
    submission: what became of it; then its file is removed
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    address_digest = models.CharField(max_length=32, blank=True)
    stored_as = models.UUIDField(unique=True, editable=False)
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    run_files = models.JSONField(null=True)
    left_out = models.JSONField(default=list)
    is_compressed = models.BooleanField(default=False)
    filename = models.CharField(max_length=255, blank=True)
    systems = models.JSONField(null=True)
    matches = models.JSONField(default=list)
    submission = models.ForeignKey(Submission, null=True, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["made_at"], name="draft_by_age"),
            models.Index(fields=["address_digest"], name="draft_of_address"),
        ]


class ReviewLink(models.Model):
    """A link by which a reviewer sees a result without names; its row is deleted when it is revoked.

    name: for its team alone, to tell its links apart
    expires_at: None for a link that works until it is revoked
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="review_links")
    name = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at", "pk"]
