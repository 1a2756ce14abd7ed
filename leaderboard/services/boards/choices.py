"""List the values by which the rows of a board can be filtered, and name unknown ones."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from django.db.models import Count, F, QuerySet
from django.db.models.lookups import Exact

from leaderboard.database.expressions import Unindexed
from leaderboard.models import Evaluation, Harness, Kind, ProvenanceLevel, Standing, Trace
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services.boards.census import take_census
from leaderboard.services.record.board_at import RecordedBoard
from leaderboard.services.text import build_models_text

# Value -> label in English, of the filters by facts.
SOURCES = {
    "": "Any",
    Kind.RESCORED: "Verified only",
    Kind.REPORTED: "As published only",
    Kind.BASELINE: "Baselines only",
}
WEIGHTS = {"": "Any", "open": "Open", "closed": "Closed"}
UNSTATED = "not-stated"
HARNESSES = {"": "Any", **dict(Harness.choices), UNSTATED: "Not stated"}
RUNS = {"": "Any", "several": "Several runs only"}
STATED = {"": "Any", "yes": "Yes", "no": "No", UNSTATED: "Not stated"}
UNKNOWN = "not-known"
TRACES = {"": "Any", **dict(Trace.choices), UNKNOWN: "Not known"}
# The level of the rows that a filter selects; of CI jobs, the lowest.
PROVENANCES = {
    "": "Any",
    ProvenanceLevel.ACCOUNT: "Account",
    ProvenanceLevel.CI: "Any CI job",
    ProvenanceLevel.CI_ATTESTED: "CI job, attested file",
}

MOST = 40
_LISTS = 400  # distinct lists of models that are counted
_RARE = 10  # one row in so many


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterChoices:
    """Names to choose from in alphabetical order, of each kind the `MOST` with most systems.

    complete: the kinds of which the leaderboard has no further name
    """

    models: list[str]
    organisations: list[str]
    complete: frozenset[str] = frozenset()


_LONGEST_SHOWN = 60  # characters of an unknown value
_UNREADABLE = "\ufffd"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownValue:
    """A value of a parameter that the board does not have. nearest: the known value most like it, or ""."""

    name: str
    value: str
    nearest: str

    @property
    def explanation(self) -> str:
        """A sentence in English."""
        return f"{self.name}={self.value} is not a value of this leaderboard."


def unknown_value(name: str, value: str, known: Sequence[str]) -> UnknownValue:
    """Return a value of the parameter `name` that is not among `known`, with the nearest of these."""
    shown = "".join(c if c.isprintable() else _UNREADABLE for c in value)
    shown = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
    folded = {known_value.casefold(): known_value for known_value in known if known_value}
    nearest = get_close_matches(value.casefold()[:_LONGEST_SHOWN], folded, n=1, cutoff=0.5)
    return UnknownValue(name=name, value=shown, nearest=folded[nearest[0]] if nearest else "")


def filter_choices(board: RecordedBoard) -> FilterChoices:
    """Return the names by which the rows of the board can be filtered."""

    def make() -> FilterChoices:
        models, has_all_models = _models(board.rows)
        organisations, has_all_organisations = _organisations(board.rows)
        kinds = {"model": has_all_models, "organisation": has_all_organisations}
        complete = frozenset(kind for kind, has_all in kinds.items() if has_all)
        return FilterChoices(models=models, organisations=organisations, complete=complete)

    return board.remember("offers", make)


def of_part(
    rows: StandingQuerySet[Standing],
    board: RecordedBoard,
    *,
    kind: str | None = None,
    judge: str | None = None,
) -> StandingQuerySet[Standing]:
    """Return the rows of one kind and one judge; None selects all kinds or all judges."""
    census = take_census(board)
    for field, value, numbers in (("kind", kind, census.kinds), ("judge", judge, census.judges)):
        if value is None:
            continue
        # For a common value, the index that covers all filters is faster than that of the value.
        is_rare = numbers.get(value, 0) * _RARE < census.total
        rows = rows.filter(Exact(F(field) if is_rare else Unindexed(F(field)), value))
    return rows


def of_level(rows: StandingQuerySet[Standing], level: str) -> StandingQuerySet[Standing]:
    """Return the rows whose files accounts sent, any CI job, or a CI job with an attested file."""
    # Few submissions are of CI jobs, and those have an index; a join would read every one of the board.
    of_jobs = Evaluation.objects.filter(submission__ci_job__isnull=False)
    if level == ProvenanceLevel.ACCOUNT:
        return rows.filter(kind=Kind.RESCORED).exclude(evaluation__in=of_jobs.values("pk"))
    if level == ProvenanceLevel.CI_ATTESTED:
        of_jobs = of_jobs.filter(submission__provenance=level)
    return rows.filter(evaluation__in=of_jobs.values("pk"))


def of_model(rows: StandingQuerySet[Standing], model: str) -> StandingQuerySet[Standing]:
    """Return the rows whose system runs on `model`, alone or with others."""
    return rows.filter(models_text__contains=build_models_text([model]))


def is_known(board: RecordedBoard, field: str, name: str) -> bool:
    """Return whether any row of the board has `name`.

    field: model, organisation or judge
    """
    choices = filter_choices(board)
    listed = {"model": choices.models, "organisation": choices.organisations}.get(field, [])
    if name in listed:
        return True
    # SQLite finds a model in either case.
    if field in choices.complete and name.casefold() not in {each.casefold() for each in listed}:
        return False
    rows = of_model(board.rows, name) if field == "model" else board.rows.filter(**{field: name})
    return rows.exists()


def _models(rows: QuerySet[Standing]) -> tuple[list[str], bool]:
    """Return the models with most systems, and whether the rows have no other."""
    counts: Counter[str] = Counter()
    counted_rows = rows.exclude(models_text="").values_list("models_text").annotate(number=Count("pk"))
    lists = list(counted_rows.order_by("-number", "models_text")[: _LISTS + 1])
    for text, number in lists[:_LISTS]:
        for name in text.strip("\n").split("\n"):
            counts[name] += number
    return _most_common_names(counts), len(lists) <= _LISTS and len(counts) <= MOST


def _organisations(rows: QuerySet[Standing]) -> tuple[list[str], bool]:
    """Return the organisations with most systems, and whether the rows have no other."""
    counted_rows = rows.exclude(organisation="").values_list("organisation").annotate(number=Count("pk"))
    counts = list(counted_rows.order_by("-number", "organisation")[: MOST + 1])
    return _most_common_names(Counter(dict(counts[:MOST]))), len(counts) <= MOST


def _most_common_names(counts: Counter[str]) -> list[str]:
    return sorted((name for name, _ in counts.most_common(MOST)), key=lambda name: (name.casefold(), name))
