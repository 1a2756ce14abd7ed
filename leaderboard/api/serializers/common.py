"""Shapes that leaderboards and submissions have in common."""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateField,
    DictField,
    Field,
    FloatField,
    ListField,
)

from leaderboard.api.serializers.fields import Count, Positive, Shape
from leaderboard.models import Board, ReferenceRevision
from leaderboard.models.systems import Facts, System
from leaderboard.services import visibility
from leaderboard.services.judging.references import visible_digest
from leaderboard.services.visibility import GroupMean
from wardboard.scoring.facts import CONDITIONS, LINKS, OF_SYSTEM, Fact, Kind

JUDGE = "What decided on answers in words: mode, model and versions; empty where nothing has to be judged."
UPPER_END = (
    "Where rules leave answers open it is the lower end of a range; `metrics` has the upper end, "
    "answer_correctness_upper, and the share that is open, left_open."
)
HELD_TRACE = (
    "What the file holds of the conversations between the agent and the server: whole (there for every "
    "answer), in-part, posts-only (requests that change data alone) or none. Null where it is not known."
)
PROVENANCE = (
    "How much is known about where the file comes from. account: an account of the team sent it, or a CI job "
    "whose CI system did not sign its digest; ci-attested: a CI job sent it, and its CI system signed its "
    "digest."
)
SCORE_UPPER = "With all answers right that the judge left open; null where it left none open."
UNUSABLE = "Tasks that cannot be graded: they count, and every answer to them is wrong."
INTERVAL = (
    "0..1: Wilson's, or by `interval_clusters`. Of a range it goes from the lower limit of the low end to "
    "the upper limit of the high end."
)
INTERVAL_CLUSTERS = (
    "What tasks share that depend on each other, such as patients, where `interval_95` allows for it. Empty "
    "for a Wilson interval."
)
GROUP_METRICS = (
    "Means beside the rate, by breakdown, group and metric. Null where fewer than 20 tasks of the group have "
    "a value, unless the reference answers are public."
)


class GroupRateSerializer(Shape):
    right = Count(allow_null=True, help_text="Null where the rate alone is known, or it is rounded.")
    total = Count()
    rate = FloatField(allow_null=True, help_text="In 0..1, right / total; null over no tasks.")
    rate_upper = FloatField(allow_null=True, help_text=SCORE_UPPER)
    rounded_to = FloatField(allow_null=True, help_text="The step to which the rate is rounded, or null.")

    get_rate = staticmethod(visibility.visible_rate)
    get_rate_upper = staticmethod(lambda rate: visibility.round_figure(rate.upper))


def rates(**options: Any) -> Field[Any, Any, Any, Any]:
    """Return a field of rates by breakdown and group."""
    return DictField(child=DictField(child=GroupRateSerializer()), **options)


def group_metrics() -> Field[Any, Any, Any, Any]:
    """Return a field of means by breakdown, group and metric."""
    means = DictField(child=FloatField(allow_null=True))
    return DictField(child=DictField(child=means), help_text=GROUP_METRICS)


def means_of(breakdowns: Mapping[str, Mapping[str, Mapping[str, GroupMean]]]) -> dict[str, Any]:
    """Return the values of means, as `group_metrics` shows them."""
    return {
        breakdown: {
            group: {key: mean.value for key, mean in means.items()} for group, means in groups.items()
        }
        for breakdown, groups in breakdowns.items()
    }


def interval(low: float | None, high: float | None) -> list[float] | None:
    """Return the two ends; None where either is not known."""
    return None if low is None or high is None else [low, high]


def field_of(fact: Fact, **options: Any) -> Field[Any, Any, Any, Any]:
    """Return the field of a value of a fact, as it is stated and as it is shown, with its bounds."""
    match fact.kind:
        case Kind.NAMES:
            return ListField(child=CharField(), **options)
        case Kind.YES_NO:
            return BooleanField(**options)
        case Kind.DAY:
            return DateField(**options)
        case Kind.NUMBER:
            return FloatField(min_value=0, max_value=fact.most, **options)
    return CharField(**options)


class _Facts(Shape):
    """Facts of today, or as a row has them of its own time."""

    shown: Iterable[Fact] = ()

    def get_fields(self) -> dict[str, Any]:
        """Return the fields of the facts; empty or null: not stated."""
        fields: dict[str, Any] = {}
        for fact in self.shown:
            name = "name" if fact.is_required else fact.key
            options: dict[str, Any] = {"help_text": fact.explains}
            if fact.kind in (Kind.YES_NO, Kind.DAY, Kind.NUMBER):
                options["allow_null"] = True
            choices = ["", *fact.choices.values] if fact.choices else ()
            fields[name] = ChoiceField(choices, **options) if choices else field_of(fact, **options)
        return {**fields, **super().get_fields()}

    def to_representation(self, instance: tuple[Facts, System]) -> dict[str, Any]:
        facts, links = instance
        shown = {}
        for fact in self.shown:
            value = getattr(links if fact in LINKS else facts, fact.field)
            name = "name" if fact.is_required else fact.key
            shown[name] = None if value is None else self.fields[name].to_representation(value)
        return shown


class ConditionsSerializer(_Facts):
    """As the submitter states them; empty or null: not stated."""

    shown = CONDITIONS


class SystemSerializer(_Facts):
    """A system as its submitter states it."""

    # Shown from a pair: the facts, and the system, whose links are those of today.

    shown = tuple(fact for fact in OF_SYSTEM if fact not in CONDITIONS)
    conditions = ConditionsSerializer(
        help_text="The conditions of its runs, as the submitter states them; nobody checked them."
    )

    def to_representation(self, instance: tuple[Facts, System]) -> dict[str, Any]:
        conditions = self.fields["conditions"].to_representation(instance)
        return {**super().to_representation(instance), "conditions": conditions}


class ReferencesSerializer(Shape):
    """A set of reference answers."""

    # Shown from a pair: the board, and the revision.

    revision = Positive()
    commitment = CharField(
        help_text="HMAC-SHA-256 of the set of reference answers, with a key that stays hidden."
    )
    digest = CharField(
        allow_null=True, help_text="Plain SHA-256 of the set; null where the reference answers are hidden."
    )

    def to_representation(self, instance: tuple[Board, ReferenceRevision]) -> dict[str, Any]:
        board, revision = instance
        digest = visible_digest(board, revision)
        return {"revision": revision.number, "commitment": revision.commitment, "digest": digest}


class ReleaseShape(Shape):
    """What a result is a run of."""

    version = CharField(help_text="Version or release of the system that was run, as stated; or empty.")
    commit = CharField(
        help_text="Commit of the code that was run, or empty: signed by the CI system, else as stated."
    )
    run_url = CharField(
        help_text="Page of the run, such as a job of CI, or empty: signed or stated likewise."
    )
    note = CharField(help_text="What its submitter notes on the run, or empty.")
