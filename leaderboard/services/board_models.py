"""The models that a board's systems run on: which there are to choose from, and the rows of one."""

import json
from collections import Counter

from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast

from leaderboard.models import Benchmark, Standing

MOST = 40
_LISTS = 400  # systems on the same models count as one


def models_of(benchmark: Benchmark) -> list[str]:
    """Return the models of the board's systems by name: of many, those of the most systems."""
    rows = Standing.objects.filter(benchmark=benchmark).values_list("system__model_names")
    counts: Counter[str] = Counter()
    for names, number in rows.annotate(number=Count("pk")).order_by("-number")[:_LISTS]:
        for name in names:
            counts[name] += number
    return sorted((name for name, _ in counts.most_common(MOST)), key=str.casefold)


def with_models_text(rows: QuerySet[Standing]) -> QuerySet[Standing]:
    """Give each row its system's models as the text of a JSON list, `models_text`."""
    return rows.annotate(models_text=Cast("system__model_names", output_field=TextField()))


def of_model(rows: QuerySet[Standing], model: str) -> QuerySet[Standing]:
    """Return those of `rows` whose system runs on `model`, alone or among others."""
    # In its quotes, so that no longer name fits. SQLite keeps JSON with its escapes, PostgreSQL without.
    escaped, plain = json.dumps(model), json.dumps(model, ensure_ascii=False)
    return with_models_text(rows).filter(Q(models_text__contains=escaped) | Q(models_text__contains=plain))
