"""The filters of the list of a team's submissions."""

import re
from collections.abc import Mapping

from leaderboard.api.parameters.query import invalid_value, unknown_choice
from leaderboard.models import Board, Status, System
from leaderboard.models.submissions import SubmissionQuerySet
from leaderboard.services.rows.same_name import is_same_name
from wardboard.scoring.reading.problems import Problem

_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def filter_submissions(
    rows: SubmissionQuerySet, params: Mapping[str, str], problems: list[Problem]
) -> SubmissionQuerySet:
    """Return the rows that the parameters select; add a problem for each value that there is not.

    rows: submissions of one team
    params: benchmark (the slug of a board), status, system (a name, in any case), sha256, commit (its
        beginning too)
    """
    for name, read in _FILTERS.items():
        if name not in params:
            continue
        if value := params[name].strip():
            rows = read(rows, value, problems)
        else:
            # A script whose variable is not set would take the whole list for what it asked for.
            problems.append(
                invalid_value(name, f"`{name}` is empty.", f"Give a value, or leave `{name}` out.")
            )
    return rows


def _by_benchmark(rows: SubmissionQuerySet, value: str, problems: list[Problem]) -> SubmissionQuerySet:
    slugs = [*Board.objects.values_list("slug", flat=True)]
    if value in slugs:
        return rows.filter(board__slug=value)
    problems.append(unknown_choice("benchmark", value, slugs, "GET /api/v1/benchmarks/ lists them."))
    return rows


def _by_status(rows: SubmissionQuerySet, value: str, problems: list[Problem]) -> SubmissionQuerySet:
    if value in Status.values:
        return rows.filter(status=value)
    problems.append(unknown_choice("status", value, Status.values, f"One of: {', '.join(Status.values)}."))
    return rows


def _by_system(rows: SubmissionQuerySet, value: str, problems: list[Problem]) -> SubmissionQuerySet:
    systems = System.objects.filter(pk__in=rows.order_by().values("system"))
    names = systems.values_list("pk", "name")
    if same := [pk for pk, name in names if is_same_name(name, value)]:
        return rows.filter(system__in=same)
    hint = "Your team has sent no file of a system of that name; without `system` the list names all."
    problems.append(unknown_choice("system", value, [*systems.values_list("name", flat=True)], hint))
    return rows


def _by_sha256(rows: SubmissionQuerySet, value: str, problems: list[Problem]) -> SubmissionQuerySet:
    if _SHA256.fullmatch(value.lower()):
        return rows.filter(sha256=value.lower())
    problems.append(invalid_value("sha256", "It is not a SHA-256.", "64 digits from 0 to 9 and a to f."))
    return rows


def _by_commit(rows: SubmissionQuerySet, value: str, problems: list[Problem]) -> SubmissionQuerySet:
    if _COMMIT.fullmatch(value.lower()):
        return rows.filter(commit__startswith=value.lower())
    hint = "7 to 64 digits from 0 to 9 and a to f: a commit, or its beginning."
    problems.append(invalid_value("commit", "It is not a commit.", hint))
    return rows


_FILTERS = {
    "benchmark": _by_benchmark,
    "status": _by_status,
    "system": _by_system,
    "sha256": _by_sha256,
    "commit": _by_commit,
}
