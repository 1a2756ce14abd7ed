"""Tell the whole story of a submission, for an organiser."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.models import AuditEvent, Evaluation, Submission
from leaderboard.services.files import store
from leaderboard.services.files.read import suspect_answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happened to a submission, and what it holds.

    events: oldest first
    evaluations: oldest first; the last is the present one
    codes: the codes of the errors and warnings in the file, with their numbers, the most frequent first
    suspects: None where the file is not in the store
    has_records: whether what scoring needs is still stored
    """

    events: Sequence[AuditEvent]
    evaluations: Sequence[Evaluation]
    codes: Sequence[tuple[str, int]]
    suspects: Sequence[tuple[str, str]] | None
    has_records: bool

    @property
    def is_reviewed(self) -> bool:
        """Whether an organiser marked it as reviewed."""
        return any(event.action == AuditEvent.Action.REVIEWED for event in self.events)


def story_of(submission: Submission) -> Story:
    """Return the story of a submission. Raises StorageAway."""
    evaluations = (
        Evaluation.objects.filter(submission=submission)
        .select_related("revision")
        .defer("verdicts", "details", "revision__content", "revision__task_ids")
        .order_by("created_at", "pk")
    )
    events = AuditEvent.objects.filter(submission=submission).select_related("actor").order_by("at", "pk")
    listed = [*submission.problems, *submission.warnings]
    codes = Counter(remark.get("code", "") for remark in listed if isinstance(remark, dict))
    present = submission.evaluation
    return Story(
        events=list(events),
        evaluations=list(evaluations),
        codes=codes.most_common(),
        suspects=suspect_answers(present) if present is not None and present.suspects else [],
        has_records=store.has_records(submission.stored_as),
    )
