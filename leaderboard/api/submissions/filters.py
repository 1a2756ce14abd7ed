"""The filters of the list of a team's submissions."""

from collections.abc import Mapping
from typing import Any

from leaderboard.api.parameters import unknown_choice
from leaderboard.models import Board, System
from leaderboard.models.submissions import SubmissionQuerySet
from leaderboard.services.rows.same_name import is_same_name
from wardboard.scoring.reading.problems import Problem


def filter_submissions(
    rows: SubmissionQuerySet, query: Mapping[str, Any], problems: list[Problem]
) -> SubmissionQuerySet:
    """Return the rows that the query selects; add a problem for each board or system that there is not.

    rows: submissions of one team. query: as `SubmissionsQuery` reads it
    """
    if "benchmark" in query:
        rows = _by_benchmark(rows, query["benchmark"], problems)
    if "system" in query:
        rows = _by_system(rows, query["system"], problems)
    if "status" in query:
        rows = rows.filter(status=query["status"])
    if "sha256" in query:
        rows = rows.filter(sha256=query["sha256"].lower())
    if "commit" in query:
        rows = rows.filter(commit__startswith=query["commit"].lower())
    return rows


def _by_benchmark(rows: SubmissionQuerySet, value: str, problems: list[Problem]) -> SubmissionQuerySet:
    slugs = [*Board.objects.values_list("slug", flat=True)]
    if value in slugs:
        return rows.filter(board__slug=value)
    problems.append(unknown_choice("benchmark", value, slugs, "GET /api/v1/benchmarks/ lists them."))
    return rows


def _by_system(rows: SubmissionQuerySet, value: str, problems: list[Problem]) -> SubmissionQuerySet:
    systems = System.objects.filter(pk__in=rows.order_by().values("system"))
    names = systems.values_list("pk", "name")
    if same := [pk for pk, name in names if is_same_name(name, value)]:
        return rows.filter(system__in=same)
    hint = "Your team has sent no file of a system of that name; without `system` the list names all."
    problems.append(unknown_choice("system", value, [*systems.values_list("name", flat=True)], hint))
    return rows
