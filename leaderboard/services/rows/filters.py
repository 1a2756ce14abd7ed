"""The filters of the rows of a board: each is one object, from which all that names a filter follows.

From `FILTERS` follow the parameters of pages, files and the API with their descriptions, the select boxes and
chips, the words in the summary and in captions, the texts to translate, and the selection itself.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_noop

from leaderboard.models import Evaluation, Kind, ProvenanceLevel, Standing
from leaderboard.services.text import build_models_text, fold_case
from wardboard.scoring.facts import BY_KEY

MOST_NAMES = 40  # names in a select box
_MOST_LISTS = 400  # distinct lists of models that are counted
_NOT_STATED = "not-stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A filter of the rows of a board. Its texts are English; pages translate them.

    key: its parameter in addresses. label: of its select box; "" for the search box
    explains: the parameter for developers who use the API; its values follow
    condition: returns the condition of the rows that a value selects. Its fields must be of current and past
        rows, or of the submission, which nothing changes once it is published: what only a `System` has, such
        as `code_url`, changes without an event, so past tables would change too.
    values: value -> label; empty where the rows themselves have the names to choose from. Rows that match
        none of them are shown without the filter alone
    names: returns the names in rows with most systems
    joins_spellings: whether its names are of models, of which a board may have several spellings
    """

    key: str
    label: str
    explains: str
    condition: Callable[[str], Q]
    values: Mapping[str, str] = field(default_factory=dict)
    names: Callable[[QuerySet[Standing]], list[str]] | None = None
    joins_spellings: bool = False

    @property
    def is_search(self) -> bool:
        """Whether any text is a value."""
        return not (self.values or self.names)

    def describe(self) -> str:
        """Describe the parameter and its values in a sentence or two, for the API."""
        values = [*self.values]
        listed = f"One of: {', '.join(values)}." if len(values) > 1 else f"{values[0]}." if values else ""
        return f"{self.explains} {listed}".strip()


def _field_is(name: str) -> Callable[[str], Q]:
    return lambda value: Q(**{name: value})


def _level_is(level: str) -> Q:
    # Indexes find the few submissions of CI jobs; a join would read every submission of the board.
    of_jobs = Evaluation.objects.filter(submission__ci_job__isnull=False)
    attested = of_jobs.filter(submission__provenance=ProvenanceLevel.CI_ATTESTED)
    is_attested = Q(evaluation__in=attested.values("pk"))
    return is_attested if level == ProvenanceLevel.CI_ATTESTED else Q(kind=Kind.RESCORED) & ~is_attested


def _matches(text: str) -> Q:
    folded = fold_case(text)
    return Q(search__contains=folded) if folded else Q()


def _most_common_models(rows: QuerySet[Standing]) -> list[str]:
    counts: Counter[str] = Counter()
    counted_rows = rows.exclude(models_text="").values_list("models_text").annotate(number=Count("pk"))
    for text, number in counted_rows.order_by("-number", "models_text")[:_MOST_LISTS]:
        for name in text.strip("\n").split("\n"):
            counts[name] += number
    return _most_common(counts)


def _most_common_organisations(rows: QuerySet[Standing]) -> list[str]:
    counted_rows = rows.exclude(organisation="").values_list("organisation").annotate(number=Count("pk"))
    return _most_common(Counter(dict(counted_rows.order_by("-number", "organisation")[:MOST_NAMES])))


def _judges(rows: QuerySet[Standing]) -> list[str]:
    judged = rows.exclude(kind=Kind.BASELINE).values_list("judge").annotate(number=Count("pk"))
    return [judge for judge, _number in judged.order_by("-number", "judge")]


def _most_common(counts: Counter[str]) -> list[str]:
    """Return the names with the highest counts in alphabetical order."""
    return sorted(
        (name for name, _ in counts.most_common(MOST_NAMES)), key=lambda name: (name.casefold(), name)
    )


def _of_fact(key: str, *, selects_not_stated: bool = False) -> Filter:
    """Return the filter by a fact of few values. Its key is the column of the fact, if the fact has one."""
    fact = BY_KEY[key]
    values: dict[str, Any] = {"yes": True, "no": False}
    labels: dict[str, str] = dict(zip(values, fact.answers, strict=True))
    not_stated = None
    if fact.choices is not None:
        values, labels, not_stated = {v: v for v in fact.choices.values}, dict(fact.choices.choices), ""
    if selects_not_stated:
        values[_NOT_STATED], labels[_NOT_STATED] = not_stated, gettext_noop("Not stated")
    return Filter(
        key=fact.column or key,
        label=fact.column_label or fact.label,
        explains=f"{fact.column_label or fact.label}, as stated.",
        condition=lambda value: Q(**{fact.field: values[value]}),
        values=labels,
    )


# In the order of the select boxes, and of the parameters in canonical addresses.
FILTERS = (
    Filter(
        key="q",
        label="",
        explains="Words in the system's name, models, organisation or team.",
        condition=_matches,
    ),
    Filter(
        key="source",
        label=gettext_noop("Scores"),
        explains="Who computed the figures.",
        condition=_field_is("kind"),
        values={
            Kind.RESCORED: gettext_noop("Verified only"),
            Kind.REPORTED: gettext_noop("As published only"),
            Kind.BASELINE: gettext_noop("Baselines only"),
        },
    ),
    Filter(
        key="weights",
        label=gettext_noop("Weights"),
        explains="Of the system's models, as stated.",
        condition=lambda value: Q(open_weights=value == "open"),
        values={"open": gettext_noop("Open"), "closed": gettext_noop("Closed")},
    ),
    _of_fact("interaction"),
    _of_fact("retrieval"),
    _of_fact("reasoning"),
    _of_fact("harness", selects_not_stated=True),
    _of_fact("task_memory", selects_not_stated=True),
    _of_fact("trained_on_benchmark", selects_not_stated=True),
    Filter(
        key="provenance",
        label=gettext_noop("Uploaded by"),
        explains="Who sent the file: an account, or a CI job whose CI system signed its digest.",
        condition=_level_is,
        values={level: str(level.label) for level in ProvenanceLevel},
    ),
    Filter(
        key="organisation",
        label=gettext_noop("Organisation"),
        explains="Whose systems, word for word.",
        condition=_field_is("organisation"),
        names=_most_common_organisations,
    ),
    Filter(
        key="model",
        label=gettext_noop("Model"),
        explains="A model that systems run on, in any of its spellings on the leaderboard.",
        condition=lambda model: Q(models_text__contains=build_models_text([model])),
        names=_most_common_models,
        joins_spellings=True,
    ),
    Filter(
        key="judge",
        label=gettext_noop("Judge"),
        explains="One of the leaderboard's `judges`, word for word.",
        condition=_field_is("judge"),
        names=_judges,
    ),
)
FILTER_BY_KEY = {each.key: each for each in FILTERS}
