"""The shapes of boards and their rows, for the OpenAPI document only, as those of shapes.py."""

from rest_framework import serializers

from leaderboard.api.record_shapes import GoneSerializer
from leaderboard.api.shapes import (
    JUDGE,
    METRIC,
    UNUSABLE,
    RateSerializer,
    ReferencesSerializer,
    SystemSerializer,
    words,
)
from leaderboard.models import Feedback, Kind
from leaderboard.services.statistics.known import WhyNot
from scoring.benchmark import Unit


class MetricSerializer(serializers.Serializer):
    key = serializers.CharField()
    label = serializers.CharField()
    unit = words([unit.value for unit in Unit], help_text="share: 0..1; count: 0 or more; usd: US dollars.")
    higher_is_better = serializers.BooleanField()
    stands_for = serializers.CharField(allow_blank=True, help_text="What it is, in a sentence.")


class BreakdownSerializer(serializers.Serializer):
    key = serializers.CharField()
    label = serializers.CharField()
    groups = serializers.DictField(child=serializers.CharField())
    ordered = serializers.BooleanField(help_text="Whether the groups are steps of a quantity.")
    metrics = serializers.ListField(child=serializers.CharField(), help_text="Keys in `group_metrics`.")


class BenchmarkSerializer(serializers.Serializer):
    slug = serializers.CharField()
    title = serializers.CharField()
    question = serializers.CharField()
    family = serializers.CharField()
    version = serializers.CharField()
    open = serializers.BooleanField(help_text="Whether files are taken.")
    demo = serializers.BooleanField()
    tasks = serializers.IntegerField(allow_null=True)
    unusable_tasks = serializers.IntegerField(min_value=0, allow_null=True, help_text=UNUSABLE)
    feedback = words(Feedback)
    daily_limit = serializers.IntegerField(allow_null=True)
    judge = serializers.CharField(allow_blank=True, help_text=f"Of today. {JUDGE}")
    agreement = serializers.CharField(
        allow_blank=True, help_text="How far that judge was found to agree with others, in a sentence."
    )
    mixes_judges = serializers.BooleanField(help_text="Whether ranks are among rows of different judges.")
    metrics = MetricSerializer(many=True)
    breakdowns = BreakdownSerializer(many=True)
    references = ReferencesSerializer(allow_null=True)
    scorer_version = serializers.CharField()
    schemas = serializers.ListField(child=serializers.CharField())
    url = serializers.CharField()
    leaderboard_url = serializers.CharField()
    schema_url = serializers.CharField()


class BenchmarksSerializer(serializers.Serializer):
    results = BenchmarkSerializer(many=True)


class SourceSerializer(serializers.Serializer):
    title = serializers.CharField()
    url = serializers.CharField(allow_blank=True)


class RowSerializer(serializers.Serializer):
    rank = serializers.IntegerField(
        allow_null=True,
        help_text="On the whole board, among what `ranks` says; equal scores share one. A baseline has none.",
    )
    rank_interval_95 = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="The 95% interval of the rank, by a paired bootstrap over the tasks. Null where the row "
        "takes no part in it.",
    )
    tie_group = serializers.IntegerField(
        allow_null=True, help_text="Systems of one group cannot be told from its best; 1 is the first."
    )
    p_next = serializers.FloatField(
        allow_null=True,
        help_text="Of the exact McNemar test against the next ranked row, after Holm's correction over all "
        "neighbours of the board. Null where either takes no part, and at feedback level overall.",
    )
    not_tested = words(WhyNot, allow_null=True, help_text="Why the row takes no part in paired tests.")
    kind = words(Kind)
    judge = serializers.CharField(allow_blank=True, help_text=JUDGE)
    system_id = serializers.IntegerField()
    system = SystemSerializer(
        help_text="As it was at the moment that is shown, but `code_url` and `paper_url` as they are today."
    )
    team = serializers.CharField(allow_null=True)
    right = serializers.IntegerField(
        allow_null=True, help_text="Null where a publication printed the score alone."
    )
    total = serializers.IntegerField(allow_null=True)
    score = serializers.FloatField(allow_null=True)
    metric = serializers.CharField(help_text=METRIC)
    interval_95 = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    metrics = serializers.DictField(child=serializers.FloatField(allow_null=True))
    breakdowns = serializers.DictField(child=serializers.DictField(child=RateSerializer()))
    group_metrics = serializers.DictField(
        child=serializers.DictField(
            child=serializers.DictField(child=serializers.FloatField(allow_null=True))
        ),
        help_text="Figures beside the rate, by breakdown, group and metric.",
    )
    date = serializers.DateTimeField()
    submission = serializers.CharField(allow_null=True, help_text="Null too where it stands no longer.")
    gone = GoneSerializer(
        allow_null=True,
        help_text="Of a table of the past: why the row stands no longer. Null where it does.",
    )
    references = ReferencesSerializer(allow_null=True)
    scorer_version = serializers.CharField(allow_null=True)
    outdated = serializers.BooleanField(help_text="Scored against references that are no longer the board's.")
    source = SourceSerializer(allow_null=True, help_text="Of a row that was not rescored: where from.")


class AsOfSerializer(serializers.Serializer):
    event = serializers.IntegerField(help_text="The last event of the board's record until then.")
    at = serializers.DateTimeField()


class WorkedSerializer(serializers.Serializer):
    judge = serializers.CharField(allow_blank=True, help_text="Whose rows; empty: all together.")
    method_version = serializers.IntegerField()
    resamples = serializers.IntegerField()
    seed = serializers.IntegerField(allow_null=True)
    tasks = serializers.IntegerField()
    systems = serializers.IntegerField(help_text="How many took part.")
    left_out = serializers.IntegerField(help_text="How many could have, beyond the most that do.")
    computed_at = serializers.DateTimeField()
    digest = serializers.CharField(help_text="sha256 of all that went in.")


class StatisticsSerializer(serializers.Serializer):
    method = serializers.CharField(help_text="Of `rank_interval_95` and `tie_group`, in words.")
    by_judge = WorkedSerializer(many=True, help_text="Empty until they are worked out, in the background.")


class BoardSerializer(serializers.Serializer):
    benchmark = serializers.CharField()
    feedback = words(Feedback)
    systems_rescored = serializers.IntegerField()
    systems_reported = serializers.IntegerField()
    baselines = serializers.IntegerField(help_text="Agents without a model, to be compared with.")
    judges = serializers.DictField(
        child=serializers.IntegerField(), help_text="Ranked rows by the judge that decided on them."
    )
    mixes_judges = serializers.BooleanField()
    ranks = serializers.CharField(help_text="What a rank is among, in a sentence.")
    sort = serializers.CharField()
    count = serializers.IntegerField()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    event = serializers.IntegerField(help_text="`?as_of=` with it gives this table again.")
    references = ReferencesSerializer(allow_null=True)
    scorer_version = serializers.CharField()
    statistics = StatisticsSerializer()
    as_of = AsOfSerializer(allow_null=True, help_text="The moment that was asked for; null: now.")
    rows = RowSerializer(many=True)
