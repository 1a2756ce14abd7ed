"""The systems that are ranked."""

from typing import TYPE_CHECKING, Any

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from leaderboard.models.teams import Team
from wardboard.scoring import facts
from wardboard.scoring.facts import About, Fact, Harness, Interaction, Kind, Reasoning, Retrieval

__all__ = ["Facts", "Harness", "Interaction", "Reasoning", "Release", "Retrieval", "System"]

IMAGE_DIGEST = r"^sha256:[0-9a-f]{64}\Z"
CONDITIONS = tuple(fact.field for fact in facts.CONDITIONS)
RELEASE = tuple(fact.field for fact in facts.RELEASE)


def _field_for(fact: Fact) -> "models.Field[Any, Any]":
    """Return the field that stores a fact. "" or None: not stated."""
    if fact.kind is Kind.NAMES:
        return models.JSONField(default=list)
    if fact.kind is Kind.YES_NO:
        return models.BooleanField(null=True, blank=True)
    if fact.kind is Kind.NUMBER:
        limits = [MinValueValidator(0), MaxValueValidator(fact.most)]
        return models.FloatField(null=True, blank=True, validators=limits)
    if fact.kind is Kind.DAY:
        return models.DateField(null=True, blank=True)
    options: dict[str, Any] = {"max_length": 20 if fact.choices else fact.longest}
    if not fact.is_required:
        options["blank"] = True
    if fact.key == "contact_url":
        options |= {"default": "", "db_default": ""}  # the release before it writes none
    if fact.choices:
        # Use plain texts, as in migrations.
        options["choices"] = [(value, str.__str__(label)) for value, label in fact.choices.choices]
    if fact.kind is Kind.DIGEST:
        options["validators"] = [RegexValidator(IMAGE_DIGEST)]
    return models.URLField(**options) if fact.kind is Kind.URL else models.CharField(**options)


def _add_fields(model: type[models.Model], *about: About) -> None:
    for fact in facts.FACTS:
        if fact.about in about:
            model.add_to_class(fact.field, _field_for(fact))


class Release(models.Model):
    """What a submission is a run of, as its submitter states it: `wardboard.scoring.facts.RELEASE`."""

    if TYPE_CHECKING:
        version: str
        commit: str

    class Meta:
        abstract = True

    @property
    def has_release(self) -> bool:
        return any(getattr(self, name) for name in RELEASE)


class Facts(models.Model):
    """Facts about a system, kept with the system and, as of its time, in each row of a board.

    They are `wardboard.scoring.facts.IN_ROWS`; those that code reads by their names have their types here.
    """

    if TYPE_CHECKING:
        name: str
        model_names: list[str]
        organisation: str
        interaction: str
        retrieval: str
        reasoning: str
        open_weights: bool | None
        harness: str
        harness_name: str
        trained_on_benchmark: bool | None

    class Meta:
        abstract = True

    @property
    def traits(self) -> list[str]:
        words = (fact.trait(getattr(self, fact.field)) for fact in facts.IN_ROWS)
        return [word for word in words if word]


_add_fields(Release, About.RELEASE)
_add_fields(Facts, About.SYSTEM, About.CONDITIONS)


class System(Facts):
    """An agent with its models, and its links (the facts `wardboard.scoring.facts.LINKS`).

    It belongs to a team or, with `source`, is known from a publication only.
    """

    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="systems")
    source = models.CharField(
        max_length=200, blank=True, help_text="For a system as published elsewhere: its source."
    )
    source_url = models.URLField(blank=True, max_length=300)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("team", Lower("name"), name="system_name_once_a_team"),
            models.UniqueConstraint(
                "source", Lower("name"), condition=Q(team__isnull=True), name="system_name_once_a_source"
            ),
            # A system has a team or a source, not both.
            models.CheckConstraint(
                condition=Q(team__isnull=False, source="") | (Q(team__isnull=True) & ~Q(source="")),
                name="system_has_team_or_source",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="system_has_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def team_name(self) -> str:
        return self.team.name if self.team else ""

    @property
    def organisation_confirmed(self) -> bool | None:
        """Whether an organiser confirmed the organisation; None where no team states one."""
        if self.team is None or not self.organisation:
            return None
        return self.organisation in self.team.confirmed_organisations


_add_fields(System, About.LINK)
