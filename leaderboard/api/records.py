"""What happened to a board, who held its best score, and systems of it compared: public, to be read."""

from typing import Any

from django.urls import reverse
from rest_framework.exceptions import NotFound
from rest_framework.response import Response

from leaderboard.api import documents
from leaderboard.api.boards import PublicView
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.representations import show_gone
from leaderboard.http.conditional import answer, state_of_board
from leaderboard.services import visibility
from leaderboard.services.boards.best_scores import Record, records
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.exports.rows import written
from leaderboard.services.record import log
from leaderboard.services.statistics import compare
from leaderboard.services.statistics.compare import (
    ComparedPair,
    Comparison,
    NotComparable,
    NotOnBoard,
    Outcome,
    Side,
)
from leaderboard.services.statistics.compare import Untested as UntestedPair
from leaderboard.services.statistics.known import Difference
from scoring.reading.problems import Problem

_HINT = "Two to four different `system_id`s of the leaderboard, as ?system=1&system=2."


class CachedView(PublicView):
    """Answers from one board; who has the answer of today is told so."""

    def answered(self, request, slug: str) -> Response:
        return answer(
            request, lambda: state_of_board(slug), lambda: Response(self.show(request, self.benchmark(slug)))
        )


class Changes(CachedView):
    @documents.changes
    def get(self, request, slug: str):
        return self.answered(request, slug)

    def show(self, request, benchmark) -> dict[str, Any]:
        page, entries = log.events(benchmark=benchmark, page=request.query_params.get("page", "1"))
        return {
            "benchmark": benchmark.slug,
            "count": page.paginator.count,
            "page": page.number,
            "pages": page.paginator.num_pages,
            "results": [_change(entry) for entry in entries],
        }


def _change(entry: log.Entry) -> dict[str, Any]:
    return {
        "event": entry.number,
        "at": written(entry.at),
        "action": entry.action.value,
        "system_id": entry.system_id,
        "system": entry.system_name,
        "reason": entry.reason,
        "right": entry.right,
        "total": entry.total,
        "score": entry.score,
        "score_before": entry.before,
        "submission": entry.submission_id and reverse("api:submission", args=[entry.submission_id]),
        "on_board": entry.stands,
        "gone": show_gone(entry.gone),
    }


class Records(CachedView):
    @documents.records
    def get(self, request, slug: str):
        return self.answered(request, slug)

    def show(self, request, benchmark) -> dict[str, Any]:
        found = records(BoardAt(benchmark))
        return {
            "benchmark": benchmark.slug,
            "metric": visibility.ranked_metric(benchmark).key,
            "results": [_record(record) for record in reversed(found)],
        }


def _record(record: Record) -> dict[str, Any]:
    return {
        "at": written(record.at),
        "system_id": record.system_id,
        "system": record.name,
        "kind": record.kind,
        "judge": record.judge,
        "score": record.score,
        "interval_95": None if record.low is None else [record.low, record.high],
    }


class Compare(CachedView):
    @documents.compare
    def get(self, request, slug: str):
        return self.answered(request, slug)

    def show(self, request, benchmark) -> dict[str, Any]:
        said = request.query_params.getlist("system")
        systems = [int(one) for one in said if one.isascii() and one.isdecimal() and len(one) < 19]
        if len(systems) < len(said):
            raise _invalid("A system is not named by its number.")
        try:
            found = compare.compare(benchmark=benchmark, systems=systems)
        except NotOnBoard as error:
            raise NotFound(error.detail) from None
        except NotComparable as error:
            raise _invalid(error.detail) from None
        return show_comparison(found)


def _invalid(message: str) -> ParameterInvalid:
    return ParameterInvalid(
        Problem(code="request.systems-invalid", pointer="/system", message=message, hint=_HINT)
    )


def show_comparison(found: Comparison) -> dict[str, Any]:
    """Return a comparison, as far as the board's feedback level lets see; `comparing` has seen to that."""
    return {
        "benchmark": found.benchmark.slug,
        "metric": visibility.ranked_metric(found.benchmark).key,
        "tasks": found.tasks,
        "resamples": found.resamples,
        "systems": [_side(side) for side in found.sides],
        "pairs": [_pair(pair) for pair in found.pairs] + [_untested(pair) for pair in found.untested],
    }


def _side(side: Side) -> dict[str, Any]:
    row = side.standing
    return {
        "system_id": side.system_id,
        "name": row.name,
        "kind": row.kind,
        "judge": row.judge,
        "score": row.score,
        "interval_95": None if row.low is None else [row.low, row.high],
        "not_tested": side.why_not and side.why_not.value,
    }


def _pair(pair: ComparedPair) -> dict[str, Any]:
    return {
        "a": pair.a,
        "b": pair.b,
        "not_tested": None,
        "better": {Outcome.A: pair.a, Outcome.B: pair.b, Outcome.NEITHER: None}[pair.outcome],
        "p": pair.p.exact,
        "p_holm": pair.p_holm.exact,
        "difference": pair.difference,
        "interval_95": pair.interval and list(pair.interval),
        "table": pair.table and pair.table._asdict(),
        "metrics": {key: one and _difference(one) for key, one in pair.metrics.items()},
        "groups": {
            breakdown: {
                one.group: {
                    **_difference(one.difference),
                    "tasks": one.tasks,
                    "right_a": one.right_a,
                    "right_b": one.right_b,
                }
                for one in listed
            }
            for breakdown, listed in pair.groups.items()
        },
        "only_a": None if pair.only_a is None else list(pair.only_a),
        "only_b": None if pair.only_b is None else list(pair.only_b),
    }


def _untested(pair: UntestedPair) -> dict[str, Any]:
    nothing = ("better", "p", "p_holm", "difference", "interval_95", "table", "only_a", "only_b")
    said = {"a": pair.a, "b": pair.b, "not_tested": pair.why_not.value, "metrics": {}, "groups": {}}
    return {**said, **dict.fromkeys(nothing)}


def _difference(one: Difference) -> dict[str, Any]:
    return {"difference": one.difference, "interval_95": [one.low, one.high]}
