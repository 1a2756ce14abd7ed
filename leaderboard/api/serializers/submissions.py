"""Shapes of submissions and of checks."""

from typing import Any

from rest_framework.fields import empty
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    FloatField,
    ListField,
    UUIDField,
)

from leaderboard.api.serializers import common
from leaderboard.api.serializers.fields import (
    Address,
    Count,
    Counts,
    Figure,
    Interval,
    Metrics,
    Moment,
    PageShape,
    Positive,
    Shape,
    of_context,
)
from leaderboard.api.serializers.problems import ProblemSerializer, by_code
from leaderboard.models import Evaluation, ProvenanceLevel, Status, Submission, Trace
from leaderboard.services import visibility
from leaderboard.services.boards.ranks import ranks_of_result
from leaderboard.services.record.entry import EntryReason, entry_of
from leaderboard.services.rows.lead_rules import LeadRule, LeadRules
from leaderboard.services.submissions.decide import NotApplied
from leaderboard.services.submissions.digests import same_answers_before
from leaderboard.services.visibility import VisibleResult
from wardboard.scoring.facts_of_logs import public_facts
from wardboard.scoring.reading.formats.log_facts import log_facts_of
from wardboard.scoring.verdicts import ClusteredRate

_WHILE_ROUNDED = "while the result is rounded"
_STEP = (
    "The step to which `score` is rounded, such as 0.01: on leaderboards with hidden reference answers, "
    "until the result is published. Null where it is exact, to three decimals."
)


class RunResultSerializer(Shape):
    """One of several runs, as the official graders count it."""

    right = Count()
    total = Positive()
    score = FloatField(min_value=0, max_value=1)
    metrics = Metrics()


class SpreadSerializer(Shape):
    """How much several runs differ."""

    deviation = FloatField(help_text="Sample standard deviation of the scores of the runs, 0 or more.")
    passes = ListField(
        child=FloatField(allow_null=True),
        help_text="pass^k for k = 1, 2, …: the probability that k randomly chosen runs all solve a task, "
        "averaged over tasks. Undecided answers count as not correct. On leaderboards with hidden reference "
        "answers those between the first and the last are null.",
    )
    pass_intervals_95 = ListField(
        child=Interval(),
        source="pass_intervals",
        help_text="Of each of `passes`, over the tasks; empty where these are rounded.",
    )
    flips = FloatField(help_text="Share of the tasks correct in some runs and not in others, 0..1.")
    rounded_to = FloatField(allow_null=True, help_text="The step to which these are rounded, or null.")


class ResultSerializer(Shape):
    runs = Positive(source="evaluation.runs", help_text="Runs that were declared, sent or not.")
    right = Count(source="overall.right", allow_null=True, help_text=f"Of all runs. Null {_WHILE_ROUNDED}.")
    total = Positive(source="overall.total", help_text="Every task, once a run where `right` is.")
    score = Figure(
        source="overall.rate",
        min_value=0,
        max_value=1,
        help_text=f"The figure that is ranked. {common.UPPER_END}",
    )
    rounded_to = FloatField(source="overall.rounded_to", allow_null=True, help_text=_STEP)
    metric = CharField(source="metric.key", help_text="Key of the metric that `score` is.")
    interval_95 = Interval(source="overall.interval", help_text=f"{common.INTERVAL} Null {_WHILE_ROUNDED}.")
    interval_clusters = ListField(child=CharField(), help_text=common.INTERVAL_CLUSTERS)
    metrics = Metrics(help_text=f"To three decimals; only that of `metric` {_WHILE_ROUNDED}, as `score`.")
    breakdowns = common.Rates()
    group_metrics = common.group_metrics()
    spread = SpreadSerializer(allow_null=True, help_text=f"Null for a single run, and {_WHILE_ROUNDED}.")
    per_run = RunResultSerializer(
        many=True,
        allow_null=True,
        help_text="Null for a single run. On leaderboards with hidden reference answers at feedback level "
        "by-task and above, once published.",
    )

    get_per_run = staticmethod(lambda result: result.per_run or None)

    def get_interval_clusters(self, result: VisibleResult) -> list[str]:
        return list(result.overall.by) if isinstance(result.overall, ClusteredRate) else []


class SameAnswersSerializer(Shape):
    id = UUIDField()
    version = CharField()
    commit = CharField()


class RankSerializer(Shape):
    best = Positive()
    worst = Positive(help_text="The same as `best`, unless open answers or rounding leave it open.")
    systems = Positive(help_text="How many systems are ranked together, with itself.")


class EntrySerializer(Shape):
    """The result that the leaderboard shows for a system."""

    submission = UUIDField(source="submission_id", help_text="Whose result it is.")
    url = Address(source="submission_id")
    is_this = BooleanField(help_text="Whether it is the result of this submission.")
    score = FloatField(min_value=0, max_value=1, help_text="The figure that is ranked, to three decimals.")
    score_upper = Figure(source="upper", allow_null=True, help_text=common.SCORE_UPPER)
    reason = ChoiceField(
        [*EntryReason],
        help_text="Why it is this one; the score never decides. `only-result`: the system has no other "
        "published result. `designated-last`: the first of its version that was sent with `designate`, of "
        "the newest version. `sent-first`: the first one that was sent with `publish`, before it had a "
        "score. `published-first`: the first one that was published once its score was known.",
    )
    explanation = CharField(source="reason.label", help_text="The same in a sentence; “it” is the entry.")


class ScoredBySerializer(Shape):
    references = common.ReferencesSerializer()
    unusable_tasks = Count(source="revision.unusable_count", help_text=common.UNUSABLE)
    scorer_version = CharField()
    judge = CharField(help_text=common.JUDGE)
    at = Moment(source="created_at")

    def get_references(self, evaluation: Evaluation) -> Any:
        return self.context["board"], evaluation.revision


class RunFileSerializer(Shape):
    run = Positive()
    name = CharField()
    sha256 = CharField()
    size_bytes = Count()
    count = Count(allow_null=True, default=None, help_text="Its records; null until it is checked.")
    same_as = Positive(allow_null=True, default=None, help_text="The run whose answers it repeats, or null.")
    is_copy = BooleanField(default=False, help_text="Whether the times in the logs are the same too.")


class FileSerializer(Shape):
    sha256 = CharField(help_text="Of several runs: of the sorted digests of their files; see the documents.")
    size_bytes = Count(help_text="Of several runs, with what keeps them together.")
    format = CharField()


class TaskSerializer(Shape):
    task_id = CharField()
    correct = BooleanField(allow_null=True, help_text="In every run. Null where the answer is left open.")
    right_runs = Count(help_text="In how many runs it is right.")
    remark = CharField()
    failures = ListField(child=CharField(), help_text="What is wrong, from feedback level by-check on.")


class ProgressSerializer(Shape):
    total = Positive(help_text="Tasks of the benchmark.")
    read = Count(help_text="Records read so far.")
    to_judge = Count(allow_null=True, help_text="Null, as the next two, where reference answers are hidden.")
    judged = Count(allow_null=True, help_text="Of these, decided.")
    undecided = Count(allow_null=True, help_text="Of these, given up for now, and tried again.")
    judged_share = FloatField(allow_null=True, help_text="The share that is decided, in tenths, or null.")


class CiJobSerializer(Shape):
    """What an issuer signed about a CI job."""

    issuer = CharField()
    repository = CharField()
    repository_id = CharField(help_text="The issuer's own id of it, which a renamed one keeps.")
    workflow = CharField(help_text="Path of the workflow file in the repository.")
    ref = CharField(help_text="Branch or tag.")
    commit = CharField()
    environment = CharField(help_text="Empty for none.")
    run_url = CharField(help_text="Page of the run.")
    artifact_sha256 = CharField(help_text="Digest of the file that the issuer signed; empty for none.")


class MeanSerializer(Shape):
    mean = FloatField()
    tasks = Count(help_text="Tasks of all runs that state the quantity.")


class FromLogSerializer(Shape):
    """What the file states of its runs beside the answers; a member is left out where it states nothing."""

    attempts = Count(help_text="Tasks of all runs in the file.")
    cost_per_task = MeanSerializer(required=False, help_text="US dollars.")
    seconds_per_task = MeanSerializer(required=False)
    input_tokens_per_task = MeanSerializer(required=False, help_text="Cached ones included.")
    cached_tokens_per_task = MeanSerializer(required=False)
    output_tokens_per_task = MeanSerializer(required=False)
    rounds_per_task = MeanSerializer(required=False, help_text="Turns of the model.")
    models = ListField(child=CharField(), required=False)
    harness = CharField(required=False)
    temperatures = ListField(child=FloatField(), required=False)
    run_on = CharField(required=False, help_text="Day of the first attempt, in UTC.")
    commits = ListField(child=CharField(), required=False, help_text="Of the code that ran.")
    dirty = BooleanField(required=False, help_text="Whether that code had changes in no commit.")

    # Shown from `public_facts`.

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        return super().to_representation({name: value for name, value in instance.items() if value})


class SealSerializer(Shape):
    """What is known of a file of a season before its reveal."""

    answered = Count(source="count", allow_null=True, help_text="Results in it; null until it is checked.")
    reveals_at = DateTimeField(source="board.season.reveals_at")


class SubmissionSerializer(common.ReleaseShape):
    """The members from `filename` on are for the submission's own team."""

    id = UUIDField()
    url = Address(source="pk")
    status = ChoiceField(Status.values)
    published = BooleanField(source="is_published")
    benchmark = CharField(source="board.slug")
    unranked = BooleanField(source="board.is_unranked", help_text="Whether it is never published.")
    team = CharField(source="system.team_name")
    system = common.SystemSerializer()
    result = ResultSerializer(allow_null=True, help_text="Once scored, as far as it is shown.")
    entry = EntrySerializer(allow_null=True, help_text="Null while no result of the system is published.")
    scored_by = ScoredBySerializer(source="evaluation", allow_null=True)
    file = FileSerializer(source="*")
    runs = Positive(help_text="Runs that were declared, sent or not.")
    retries = CharField(help_text="What was run again, and why, as the submitter declares it.")
    deterministic = BooleanField(
        allow_null=True, help_text="Whether each run gives the same answers, as stated."
    )
    same_files = Count(help_text="Files of its runs with the answers and the times of another one.")
    designation = Positive(allow_null=True, help_text="Which designated file of its system it is, or null.")
    provenance = ChoiceField(ProvenanceLevel.values, help_text=common.PROVENANCE)
    ci_job = CiJobSerializer(allow_null=True, help_text="Verified; null for an account.")
    trace = ChoiceField(Trace.values, allow_null=True, help_text=common.HELD_TRACE)
    from_log = FromLogSerializer(allow_null=True, help_text="What the file states of its runs, or null.")
    received_at = Moment()
    scored_at = Moment(allow_null=True)
    published_at = Moment(allow_null=True)
    seal = SealSerializer(allow_null=True, help_text="Null of a file of no season.")
    filename = CharField(required=False)
    run_files = RunFileSerializer(many=True, required=False, help_text="The files of several runs.")
    failure = CharField(required=False, help_text="Why it failed.")
    progress = ProgressSerializer(required=False, allow_null=True, help_text="While it is on its way.")
    waits_for = CharField(
        required=False,
        help_text="Of an incomplete one, why: provider-down, provider-refused, budget-spent, reply-unusable, "
        "judge-not-set-up, judge-without-day-budget, judge-not-declared or judge-unavailable.",
    )
    resume_at = DateTimeField(required=False, allow_null=True, help_text="Of an incomplete one.")
    problems = ProblemSerializer(many=True, required=False)
    problems_total = Count(source="problem_count", required=False)
    problems_by_code = by_code()
    warnings = ProblemSerializer(many=True, required=False)
    warnings_total = Count(source="warning_count", required=False)
    warnings_by_code = by_code()
    withdrawn_at = DateTimeField(required=False, allow_null=True)
    withdrawal_reason = CharField(required=False)
    disqualified_at = DateTimeField(required=False, allow_null=True)
    disqualification_reason = CharField(required=False)
    rank = RankSerializer(
        required=False,
        allow_null=True,
        help_text="By score alone, among the published results of other systems: the rank that it has, or "
        "would have if it were published. Null until it is scored, and where it does not meet the rules of "
        "the leaderboard for a rank.",
    )
    unmet_rules = ListField(
        required=False,
        child=ChoiceField([*LeadRule]),
        help_text="What keeps it from a rank, or would off an unranked lane; none until it is scored. "
        f"`most_open` is not told {_WHILE_ROUNDED}.",
    )
    tasks = TaskSerializer(many=True, required=False, allow_null=True)
    same_answers = SameAnswersSerializer(
        required=False,
        allow_null=True,
        help_text="The team's first submission to the leaderboard with the same answers, in whatever bytes, "
        "that was sent before. Null without one, and until it is scored.",
    )
    notice = CharField(required=False)
    not_applied = ListField(
        child=ChoiceField([*NotApplied]),
        required=False,
        help_text="Where the files were sent before: what of this request does not hold for the earlier "
        "submission, which is shown. `system`: it is of another system. `facts`, `retries`, `deterministic`, "
        "`release`: others were stated then. `publish`: it was withdrawn, disqualified, or is of another "
        "system, other facts, version or commit. `designate`: its score was known, or its version has a "
        "designated file. `provenance`: less was known about where it came from.",
    )
    facts_not_applied = ListField(
        child=CharField(),
        required=False,
        help_text="Facts about the system that the request states and that its system does not have: those "
        "of a public system are applied when the result is published.",
    )

    def get_fields(self) -> dict[str, Any]:
        """Return the fields that the reader sees; for the OpenAPI document all."""
        fields = super().get_fields()
        if self.context.get("to_team", True):
            return fields
        return {name: field for name, field in fields.items() if field.required}

    get_system = staticmethod(lambda submission: {"standing": submission.system, "system": submission.system})
    get_result = staticmethod(visibility.visible_result)
    get_entry = staticmethod(entry_of)
    get_tasks = staticmethod(visibility.visible_tasks)
    get_same_answers = staticmethod(same_answers_before)
    get_seal = staticmethod(lambda submission: submission if submission.board.is_season else None)
    get_trace = staticmethod(lambda submission: submission.trace or None)
    get_problems_by_code = staticmethod(lambda submission: submission.problems_by_code or empty)
    get_warnings_by_code = staticmethod(lambda submission: submission.warnings_by_code or empty)
    get_notice = of_context("notice")
    get_not_applied = of_context("not_applied")
    get_facts_not_applied = of_context("facts_not_applied")
    get_from_log = staticmethod(lambda submission: public_facts(log_facts_of(submission.log_facts)))

    def get_run_files(self, submission: Submission) -> list[dict[str, Any]]:
        return [{"run": number, **file} for number, file in enumerate(submission.run_files or (), 1)]

    def get_progress(self, submission: Submission) -> dict[str, Any] | None:
        return visibility.visible_progress(submission) if submission.is_pending else None

    def get_rank(self, submission: Submission) -> dict[str, int] | None:
        result = visibility.visible_result(submission)
        if submission.board.is_unranked or result is None or self.get_unmet_rules(submission):
            return None
        return ranks_of_result(result, submission.board, system=submission.system_id)

    def get_unmet_rules(self, submission: Submission) -> list[LeadRule]:
        if submission.evaluation_id is None:
            return []
        return LeadRules.of(submission.board).unmet_by_result(submission)


def show_submission(submission: Submission, *, to_team: bool, **about_request: Any) -> dict[str, Any]:
    """Return a submission as JSON. to_team: to its own team, which alone sees report and file name.

    about_request: notice, not_applied and facts_not_applied of the request that is answered
    """
    stated = {name: value for name, value in about_request.items() if value}
    context = {"to_team": to_team, "board": submission.board, **stated}
    return SubmissionSerializer(context=context).to_representation(submission)


class LineSerializer(Shape):
    """A line of the team's list: the figure that is ranked, and the address of the rest."""

    id = UUIDField()
    url = Address(source="pk")
    status = ChoiceField(Status.values)
    published = BooleanField(source="is_published")
    benchmark = CharField(source="board.slug")
    system = CharField(source="system.name")
    version = CharField()
    commit = CharField()
    score = Figure(source="visible.overall.rate", allow_null=True)
    rounded_to = FloatField(source="visible.overall.rounded_to", allow_null=True, help_text=_STEP)
    metric = CharField(help_text="Key of the metric that `score` is.")
    problems_total = Count(source="problem_count")
    sha256 = CharField()
    received_at = DateTimeField()
    withdrawn_at = DateTimeField(allow_null=True)

    get_metric = staticmethod(lambda submission: visibility.ranked_metric(submission.board).key)

    def to_representation(self, instance: Submission) -> dict[str, Any]:
        instance.visible = visibility.visible_result(instance)  # type: ignore[attr-defined]  # for sources
        return super().to_representation(instance)


class SubmissionPageSerializer(PageShape):
    results = LineSerializer(many=True)


class UnreadAnswerSerializer(Shape):
    """An answer without a form that the rules can read."""

    task = CharField(help_text="The id of the task.")
    answer = CharField(help_text="Its beginning; empty on leaderboards with data under an agreement.")
    run = Positive(required=False, help_text="Of several runs, its number, from 1.")


class AnswerFormsSerializer(Shape):
    """How many answers have a form that the rules can read. No reference answer is looked at."""

    answers = Count(help_text="Answers that are text, and that a judge would get.")
    readable = Count(help_text="Those of them with such a form, which may still stay undecided.")
    is_part = BooleanField(
        help_text="Whether the time did not suffice for all: the numbers are of the first ones."
    )
    unread = UnreadAnswerSerializer(many=True, help_text="The first five without such a form.")
    write = CharField(help_text="What to write, so that the rules find the answer.")


class ValidationSerializer(Shape):
    # Shown from the `board`, the `reading` of the file, and the number of `runs`.

    valid = BooleanField()
    benchmark = CharField(source="board.slug")
    format = CharField(source="reading.format")
    results = Count(source="reading.count", help_text="Results in the file, or in all files together.")
    no_answers = Count(
        source="reading.no_answers",
        help_text="Those that are no answer: blank, an error, a refusal, or one text for most.",
    )
    runs = Positive(help_text="How many files were read.")
    tasks = Count(
        source="board.active_revision.file_task_count",
        help_text="Tasks of the benchmark; one that is missing counts as wrong.",
    )
    from_log = FromLogSerializer(
        allow_null=True, help_text="What the file states of its runs; null for answers alone."
    )
    warnings = ProblemSerializer(many=True, source="reading.warnings.listed")
    warnings_total = Count(source="reading.warnings.total")
    warnings_by_code = Counts(source="reading.warnings.counts")
    answer_forms = AnswerFormsSerializer(
        allow_null=True, help_text="Null on leaderboards where no rules alone judge free text."
    )

    get_valid = staticmethod(lambda shown: True)
    get_from_log = staticmethod(lambda shown: public_facts(shown["reading"].log_facts))
    get_answer_forms = staticmethod(lambda shown: shown["reading"].forms and shown["reading"].forms.as_dict())
