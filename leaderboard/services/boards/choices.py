"""What a reader may choose a board's rows by: its models and organisations."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from leaderboard.models import Benchmark, Standing
from leaderboard.services.record.cache import all_rows, remembered
from leaderboard.services.record.past import Moment
from leaderboard.services.text import build_models_text

MOST = 40
_LISTS = 400  # systems on the same models count as one


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """Names to choose from: of many, those of the most systems, in the order of the alphabet."""

    models: list[str]
    organisations: list[str]


def offers(benchmark: Benchmark, moment: Moment | None = None) -> Offers:
    """Return what the rows of the board may be chosen by."""

    def make() -> Offers:
        rows = all_rows(benchmark, moment)
        return Offers(models=_models(rows), organisations=_organisations(rows))

    return remembered(benchmark, "offers", make, moment)


def models_of(benchmark: Benchmark, moment: Moment | None = None) -> list[str]:
    """Return the models of the board's systems by name: of many, those of the most systems."""
    return offers(benchmark, moment).models


def of_model(rows: QuerySet[Standing], model: str) -> QuerySet[Standing]:
    """Return those of `rows` whose system runs on `model`, alone or among others."""
    return rows.filter(models_text__contains=build_models_text([model]))


def known_name(benchmark: Benchmark, moment: Moment | None, field: str, said: str) -> str:
    """Return `said` where some row of the board has it, "" else. field: model, organisation or judge."""
    if not said:
        return ""
    found = offers(benchmark, moment)
    if said in {"model": found.models, "organisation": found.organisations}.get(field, ()):
        return said
    rows = all_rows(benchmark, moment)
    fits = of_model(rows, said) if field == "model" else rows.filter(**{field: said})
    return said if fits.exists() else ""


def _models(rows: QuerySet[Standing]) -> list[str]:
    counts: Counter[str] = Counter()
    lists = rows.exclude(models_text="").values_list("models_text").annotate(number=Count("pk"))
    for text, number in lists.order_by("-number", "models_text")[:_LISTS]:
        for name in text.strip("\n").split("\n"):
            counts[name] += number
    return _most(counts)


def _organisations(rows: QuerySet[Standing]) -> list[str]:
    named = rows.exclude(organisation="").values_list("organisation").annotate(number=Count("pk"))
    return _most(Counter(dict(named.order_by("-number", "organisation")[:MOST])))


def _most(counts: Counter[str]) -> list[str]:
    return sorted((name for name, _ in counts.most_common(MOST)), key=lambda name: (name.casefold(), name))
