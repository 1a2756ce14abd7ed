"""The shapes of comparisons and of a board's record, for the OpenAPI document only, as those of shapes.py."""

from rest_framework import serializers

from leaderboard.api.shapes import JUDGE, METRIC, words
from leaderboard.models import BoardAction, Kind
from leaderboard.services.statistics.known import WhyNot

FROM_BY_TYPE = "Null at feedback level overall."


class DifferenceSerializer(serializers.Serializer):
    difference = serializers.FloatField(help_text="The first less the second, in the unit of the figure.")
    interval_95 = serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2)


class GroupDifferenceSerializer(DifferenceSerializer):
    tasks = serializers.IntegerField()
    right_a = serializers.IntegerField()
    right_b = serializers.IntegerField()


class PairedTableSerializer(serializers.Serializer):
    both = serializers.IntegerField(help_text="Tasks that both got right.")
    only_a = serializers.IntegerField()
    only_b = serializers.IntegerField()
    neither = serializers.IntegerField()


class PairSerializer(serializers.Serializer):
    a = serializers.IntegerField(help_text="`system_id` of the first.")
    b = serializers.IntegerField()
    not_tested = words(WhyNot, allow_null=True, help_text="Why they are not tested; the rest is null then.")
    better = serializers.IntegerField(
        allow_null=True, help_text="`system_id` of the better; null: the data cannot tell the two apart."
    )
    p = serializers.FloatField(
        allow_null=True, help_text=f"Of the exact McNemar test, two-sided. {FROM_BY_TYPE}"
    )
    p_holm = serializers.FloatField(
        allow_null=True,
        help_text="After Holm's correction over the pairs compared here; `better` goes by it. Null at "
        "feedback level overall, where `better` goes by each pair's own p.",
    )
    difference = serializers.FloatField(allow_null=True, help_text="Of the rates, a less b.")
    interval_95 = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text=FROM_BY_TYPE
    )
    table = PairedTableSerializer(allow_null=True, help_text=FROM_BY_TYPE)
    metrics = serializers.DictField(child=DifferenceSerializer(allow_null=True))
    groups = serializers.DictField(child=serializers.DictField(child=GroupDifferenceSerializer()))
    only_a = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="Tasks; at feedback level by-task only."
    )
    only_b = serializers.ListField(child=serializers.CharField(), allow_null=True)


class SideSerializer(serializers.Serializer):
    system_id = serializers.IntegerField()
    name = serializers.CharField()
    kind = words(Kind)
    judge = serializers.CharField(allow_blank=True, help_text=JUDGE)
    score = serializers.FloatField(allow_null=True)
    interval_95 = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    not_tested = words(WhyNot, allow_null=True)


class ComparisonSerializer(serializers.Serializer):
    benchmark = serializers.CharField()
    metric = serializers.CharField(help_text=METRIC)
    tasks = serializers.IntegerField(help_text="That the tests are about; 0 where nothing could be tested.")
    resamples = serializers.IntegerField(help_text="Of the intervals of `metrics`.")
    systems = SideSerializer(many=True)
    pairs = PairSerializer(many=True)


class GoneSerializer(serializers.Serializer):
    action = words(BoardAction)
    at = serializers.DateTimeField()
    reason = serializers.CharField(allow_blank=True)


class ChangeSerializer(serializers.Serializer):
    event = serializers.IntegerField(help_text="`?as_of=` with it gives the board as it was after it.")
    at = serializers.DateTimeField()
    action = words(BoardAction)
    system_id = serializers.IntegerField(allow_null=True)
    system = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)
    right = serializers.IntegerField(allow_null=True)
    total = serializers.IntegerField(allow_null=True)
    score = serializers.FloatField(allow_null=True)
    score_before = serializers.FloatField(allow_null=True, help_text="Of a rescored result.")
    submission = serializers.CharField(allow_null=True, help_text="While it is published.")
    on_board = serializers.BooleanField(help_text="Whether the result is its system's row of today.")
    gone = GoneSerializer(allow_null=True, help_text="Why the result stands no longer; null where it does.")


class ChangesSerializer(serializers.Serializer):
    benchmark = serializers.CharField()
    count = serializers.IntegerField()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    results = ChangeSerializer(many=True)


class RecordSerializer(serializers.Serializer):
    at = serializers.DateTimeField(help_text="When the result was published.")
    system_id = serializers.IntegerField()
    system = serializers.CharField()
    kind = words(Kind)
    judge = serializers.CharField(allow_blank=True, help_text=JUDGE)
    score = serializers.FloatField()
    interval_95 = serializers.ListField(child=serializers.FloatField(), allow_null=True)


class RecordsSerializer(serializers.Serializer):
    benchmark = serializers.CharField()
    metric = serializers.CharField(help_text=METRIC)
    results = RecordSerializer(many=True)
