"""The shapes of requests and responses, for the OpenAPI document only: nothing goes through these."""

from rest_framework import serializers

from leaderboard.api.problems import KINDS
from leaderboard.models import Interaction, Reasoning, Retrieval, Status

JUDGE = "What decided on answers in words: mode, model and versions; empty where nothing has to be judged."
METRIC = "Key of the metric that `score` is, such as success_rate or answer_correctness."
UNUSABLE = "Tasks that cannot be graded: they count, and every answer to them is wrong."


def words(choices, **more) -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=choices, **more)


class RateSerializer(serializers.Serializer):
    right = serializers.IntegerField(
        min_value=0, allow_null=True, help_text="Null where a publication printed the rate alone."
    )
    total = serializers.IntegerField(min_value=0)
    rate = serializers.FloatField(allow_null=True, help_text="In 0..1, right / total; null over no tasks.")


class ProblemSerializer(serializers.Serializer):
    code = serializers.CharField(
        help_text="Stable. `facts.…` and `request.…` point into the request, others into the file."
    )
    pointer = serializers.CharField(allow_blank=True, help_text="JSON Pointer (RFC 6901) of the place.")
    line = serializers.IntegerField(
        allow_null=True, help_text="Line of the file, from 1, where there is one."
    )
    message = serializers.CharField(help_text="What is so.")
    hint = serializers.CharField(allow_blank=True, help_text="What to do about it.")


class SystemSerializer(serializers.Serializer):
    name = serializers.CharField()
    models = serializers.ListField(child=serializers.CharField())
    organisation = serializers.CharField(allow_blank=True)
    interaction = words(Interaction, allow_blank=True)
    retrieval = words(Retrieval, allow_blank=True)
    reasoning = words(Reasoning, allow_blank=True)
    open_weights = serializers.BooleanField(allow_null=True)
    code_url = serializers.CharField(allow_blank=True)
    paper_url = serializers.CharField(allow_blank=True)


class ReferencesSerializer(serializers.Serializer):
    revision = serializers.IntegerField(min_value=1)
    digest = serializers.CharField(help_text="sha256 of the set of references.")


class ResultSerializer(serializers.Serializer):
    right = serializers.IntegerField(min_value=0)
    total = serializers.IntegerField(min_value=1, help_text="Every task of the benchmark, sent or not.")
    score = serializers.FloatField(min_value=0, max_value=1, help_text="The figure that is ranked.")
    metric = serializers.CharField(help_text=METRIC)
    interval_95 = serializers.ListField(
        child=serializers.FloatField(), min_length=2, max_length=2, help_text="Wilson score interval, 0..1."
    )
    metrics = serializers.DictField(child=serializers.FloatField(allow_null=True))
    breakdowns = serializers.DictField(child=serializers.DictField(child=RateSerializer()))
    group_metrics = serializers.DictField(
        child=serializers.DictField(
            child=serializers.DictField(child=serializers.FloatField(allow_null=True))
        ),
        help_text="Figures beside the rate, by breakdown, group and metric.",
    )


class ScoredBySerializer(serializers.Serializer):
    references = ReferencesSerializer()
    unusable_tasks = serializers.IntegerField(min_value=0, help_text=UNUSABLE)
    scorer_version = serializers.CharField()
    judge = serializers.CharField(allow_blank=True, help_text=JUDGE)
    at = serializers.DateTimeField()


class FileSerializer(serializers.Serializer):
    sha256 = serializers.CharField()
    size_bytes = serializers.IntegerField(min_value=0)
    format = serializers.CharField(allow_blank=True)


class TaskSerializer(serializers.Serializer):
    task_id = serializers.CharField()
    correct = serializers.BooleanField()
    remark = serializers.CharField(allow_blank=True)


class ProgressSerializer(serializers.Serializer):
    total = serializers.IntegerField(min_value=1, help_text="Tasks of the benchmark.")
    read = serializers.IntegerField(min_value=0, help_text="Records read so far.")
    to_judge = serializers.IntegerField(
        min_value=0, help_text="Answers that a judge has to decide; 0 until all records are read."
    )
    judged = serializers.IntegerField(min_value=0, help_text="Of these, decided.")
    undecided = serializers.IntegerField(
        min_value=0, help_text="Of these, given up for now; they count as nothing, and are tried again."
    )
    seconds_left = serializers.IntegerField(allow_null=True, help_text="An estimate; null while unknown.")


class SubmissionSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    url = serializers.CharField()
    status = words(Status)
    published = serializers.BooleanField()
    benchmark = serializers.CharField()
    team = serializers.CharField()
    system = SystemSerializer()
    result = ResultSerializer(
        allow_null=True, help_text="Once scored, as far as the benchmark's feedback level shows it."
    )
    scored_by = ScoredBySerializer(allow_null=True)
    file = FileSerializer()
    received_at = serializers.DateTimeField()
    scored_at = serializers.DateTimeField(allow_null=True)
    published_at = serializers.DateTimeField(allow_null=True)
    # What follows is shown to the submission's own team.
    filename = serializers.CharField(required=False, allow_blank=True)
    failure = serializers.CharField(required=False, allow_blank=True, help_text="Why it failed.")
    progress = ProgressSerializer(
        required=False, allow_null=True, help_text="How far scoring has come, while it is on its way."
    )
    waits_for = serializers.CharField(
        required=False,
        allow_blank=True,
        help_text="Of an incomplete one, why: provider-down, provider-refused, budget-spent, "
        "reply-unusable or judge-not-set-up.",
    )
    resume_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="When an incomplete one is tried again."
    )
    problems = ProblemSerializer(many=True, required=False)
    problems_total = serializers.IntegerField(required=False)
    warnings = ProblemSerializer(many=True, required=False)
    warnings_total = serializers.IntegerField(required=False)
    withdrawn_at = serializers.DateTimeField(required=False, allow_null=True)
    withdrawal_reason = serializers.CharField(required=False, allow_blank=True)
    disqualified_at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="When the organisers took it off the board; it cannot be published or withdrawn then.",
    )
    disqualification_reason = serializers.CharField(required=False, allow_blank=True)
    tasks = TaskSerializer(
        many=True, required=False, allow_null=True, help_text="At feedback level by-task only."
    )
    notice = serializers.CharField(required=False)


class LineSerializer(serializers.Serializer):
    id = serializers.UUIDField()
    url = serializers.CharField()
    status = words(Status)
    published = serializers.BooleanField()
    benchmark = serializers.CharField()
    system = serializers.CharField()
    score = serializers.FloatField(allow_null=True)
    metric = serializers.CharField(help_text=METRIC)
    problems_total = serializers.IntegerField()
    sha256 = serializers.CharField()
    received_at = serializers.DateTimeField()


class SubmissionPageSerializer(serializers.Serializer):
    count = serializers.IntegerField()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    results = LineSerializer(many=True)


class ValidationSerializer(serializers.Serializer):
    valid = serializers.BooleanField()
    benchmark = serializers.CharField()
    format = serializers.CharField()
    results = serializers.IntegerField(help_text="Results in the file.")
    tasks = serializers.IntegerField(help_text="Tasks of the benchmark; one that is missing counts as wrong.")
    warnings = ProblemSerializer(many=True)
    warnings_total = serializers.IntegerField()


class KeptSerializer(serializers.Serializer):
    """A submission that is kept, though it has no score."""

    id = serializers.UUIDField()
    url = serializers.CharField()
    status = words(Status)


class ProblemDocumentSerializer(serializers.Serializer):
    """RFC 9457."""

    type = serializers.CharField(help_text="Address of what this sort of problem means.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField()
    code = serializers.ChoiceField(choices=sorted(KINDS))
    hint = serializers.CharField(help_text="What to do next.")
    problems = ProblemSerializer(many=True, required=False)
    problems_total = serializers.IntegerField(required=False, help_text="More than are listed, at times.")
    warnings = ProblemSerializer(many=True, required=False)
    warnings_total = serializers.IntegerField(required=False)
    valid = serializers.BooleanField(required=False)
    submission = KeptSerializer(required=False)
    error_id = serializers.CharField(required=False)


class RootSerializer(serializers.Serializer):
    benchmarks = serializers.CharField()
    submissions = serializers.CharField()
    validations = serializers.CharField()
    openapi = serializers.CharField()
    health = serializers.CharField()
    docs = serializers.CharField()


class HealthSerializer(serializers.Serializer):
    status = serializers.CharField()


_AT_ONCE = (
    "Facts of a system that is on a board change at once there, whether or not this submission is published."
)


class CheckForm(serializers.Serializer):
    file = serializers.FileField(
        help_text="A result file as the benchmark's harness writes it, plain or gzip."
    )
    benchmark = serializers.CharField(help_text="Slug of the board.")


class SubmitForm(CheckForm):
    system = serializers.CharField(
        max_length=120, help_text="A name that your team has used before means that system."
    )
    models = serializers.CharField(required=False, help_text=f"Separated by commas. {_AT_ONCE}")
    organisation = serializers.CharField(required=False, max_length=120, help_text=_AT_ONCE)
    interaction = words(Interaction, required=False, help_text=_AT_ONCE)
    retrieval = words(Retrieval, required=False, help_text=_AT_ONCE)
    reasoning = words(Reasoning, required=False, help_text=_AT_ONCE)
    open_weights = serializers.BooleanField(required=False, help_text=_AT_ONCE)
    code_url = serializers.URLField(required=False, help_text=_AT_ONCE)
    paper_url = serializers.URLField(required=False, help_text=_AT_ONCE)
    publish = serializers.BooleanField(required=False, help_text="Publish as soon as it is scored.")


class WithdrawForm(serializers.Serializer):
    reason = serializers.CharField(
        required=False, max_length=300, help_text="Public, in the log of changes of the board."
    )
