"""Shapes that leaderboards and submissions have in common."""

from collections.abc import Iterable
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

from leaderboard.api.serializers.fields import Count, Figure, Positive, Shape
from leaderboard.models import Board, ReferenceRevision
from leaderboard.services import visibility
from leaderboard.services.judging.references import visible_digest
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
    rate_upper = Figure(source="upper", allow_null=True, help_text=SCORE_UPPER)
    rounded_to = FloatField(allow_null=True, help_text="The step to which the rate is rounded, or null.")

    get_rate = staticmethod(visibility.visible_rate)


class _MeanField(FloatField):
    """The value of a `GroupMean`."""

    def to_representation(self, value: Any) -> Any:
        return value.value


class Rates(DictField):
    """Rates by breakdown and group."""

    child = DictField(child=GroupRateSerializer())


def group_metrics(**options: Any) -> Field[Any, Any, Any, Any]:
    """Return a field of means by breakdown, group and metric."""
    means = DictField(child=_MeanField(allow_null=True))
    return DictField(child=DictField(child=means), help_text=GROUP_METRICS, **options)


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
            source = f"{'system' if fact in LINKS else 'standing'}.{fact.field}"
            options: dict[str, Any] = {"source": source, "help_text": fact.explains}
            if fact.kind in (Kind.YES_NO, Kind.DAY, Kind.NUMBER):
                options["allow_null"] = True
            choices = ["", *fact.choices.values] if fact.choices else ()
            fields[name] = ChoiceField(choices, **options) if choices else field_of(fact, **options)
        return {**fields, **super().get_fields()}


class ConditionsSerializer(_Facts):
    """As the submitter states them; empty or null: not stated."""

    shown = CONDITIONS


class SystemSerializer(_Facts):
    """A system as its submitter states it."""

    # Shown from a `standing` with the facts, and the `system`, whose links are those of today.

    shown = tuple(fact for fact in OF_SYSTEM if fact not in CONDITIONS)
    conditions = ConditionsSerializer(
        source="*", help_text="The conditions of its runs, as the submitter states them; nobody checked them."
    )


class ReferencesSerializer(Shape):
    """A set of reference answers."""

    # Shown from a pair: the board, and the revision, if there is one.

    revision = Positive()
    commitment = CharField(
        help_text="HMAC-SHA-256 of the set of reference answers, with a key that stays hidden."
    )
    digest = CharField(
        allow_null=True, help_text="Plain SHA-256 of the set; null where the reference answers are hidden."
    )

    def to_representation(self, instance: tuple[Board, ReferenceRevision | None]) -> Any:
        board, revision = instance
        if revision is None:
            return None
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
