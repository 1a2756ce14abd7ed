"""List, add, correct and remove results that were published elsewhere."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.http import HttpResponse
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.request import Request

from leaderboard.api.base import ApiView, get_board, respond, user_of
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.parameters.query import invalid_value, read_text
from leaderboard.api.reported.schema import (
    RemoveReportedFields,
    ReportedFields,
    ReportedListSchema,
    ReportedSchema,
)
from leaderboard.api.schema.operation import Operation, SuccessResponse
from leaderboard.http.readers import reader_of
from leaderboard.models import Board, ReportedResult, Scope
from leaderboard.services.access import may_manage
from leaderboard.services.publishing.disqualify import MAX_REASON, ReasonRefused
from leaderboard.services.publishing.reported.fields import FIELDS, Kind, fields_of, row_of
from leaderboard.services.publishing.reported.read import read_result, tasks_of
from leaderboard.services.publishing.reported.results import put_results, remove_result

_OF_ANSWERS = ("id", "system_id")
_LONGEST = 500  # characters of any text; each field has its own limit
_LISTED = "The results that a leaderboard lists as published elsewhere, those without a rank among them"


def _list(board: Board) -> ReportedListSchema:
    results = ReportedResult.objects.filter(board=board, removed_at=None).select_related("board")
    return ReportedListSchema(benchmark=board.slug, results=[_show(result) for result in results])


def _show(result: ReportedResult) -> ReportedSchema:
    row = row_of(result)
    of_row = {each.key: getattr(row, each.key) for each in FIELDS if hasattr(row, each.key)}
    of_result = {
        "id": result.pk,
        "system": result.name,
        "score": result.stated["score"],
        "correct": row.overall.right,
        "tasks": row.overall.total or None,
        "metrics": result.stated["metrics"],
        "source": result.source,
        "system_id": result.system_id if result.is_ranked else None,
    }
    return ReportedSchema(**(of_row | of_result))


def _texts(data: Mapping[str, Any] | list[Any], board: Board) -> dict[str, str]:
    """Return the fields of a body as the texts that the CSV file has. Raises ParameterInvalid."""
    if not isinstance(data, Mapping):
        problem = invalid_value("", "The body is a list.", "Send the fields of one result, as an object.")
        raise ParameterInvalid(problem)
    kinds = {each.key: each.kind for each in fields_of(board)}
    metrics = data.get("metrics", {})
    if not isinstance(metrics, Mapping):
        raise ParameterInvalid(invalid_value("metrics", "`metrics` is not an object.", "Leave it out."))
    values = {name: part[name] for part in (metrics, data) for name in part}
    texts = {
        name: _text(values, name, kinds.get(name)) for name in values if name not in ("metrics", *_OF_ANSWERS)
    }
    # An answer has the fields of all benchmarks.
    return {name: text for name, text in texts.items() if text or name in kinds}


def _text(values: Mapping[str, Any], name: str, kind: Kind | None) -> str:
    value = values[name]
    if value is None:
        return ""
    if kind is Kind.YES_NO and isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if kind is Kind.COUNT:
            return str(value)
        if kind is Kind.PERCENT:
            # Rounded, so that a count's rate, which has no end, is still printed as the count.
            return f"{Decimal(repr(round(value, 12))).scaleb(2):f}%"
    return read_text(values, name, _LONGEST)


class _ChangingView(ApiView):
    """A view that changes results, for organisers of the board; their token has the scope `organise`."""

    scopes: Mapping[str, Scope] = {"POST": Scope.ORGANISE}
    permission_classes = [IsAuthenticated]

    @staticmethod
    def _board(request: Request, slug: str) -> Board:
        """Return the board. Raises NotFound for one that the sender does not organise."""
        board = get_board(slug)
        if not may_manage(reader_of(request), board):
            raise NotFound("You organise no leaderboard with this address.")
        return board

    @staticmethod
    def _result(board: Board, pk: int) -> ReportedResult:
        listed = ReportedResult.objects.filter(board=board, removed_at=None).select_related("board")
        result = listed.filter(pk=pk).first() if pk < 2**63 else None
        if result is None:
            raise NotFound("The leaderboard lists no such result.")
        return result

    def _put(self, request: Request, board: Board, result: ReportedResult | None) -> HttpResponse:
        texts = _texts(request.data, board)
        stated = read_result(texts, board=board, tasks=tasks_of(board), result=result)
        put_results(board=board, results=[stated], by=user_of(request))
        # No other result of the board has this system and source.
        listed = ReportedResult.objects.filter(board=board, removed_at=None).select_related("board")
        stored = listed.get(source__iexact=stated.row.source, name__iexact=stated.row.system)
        return respond(_show(stored), status=200 if result else 201)


class ReportedView(_ChangingView):
    fields = ReportedFields
    permission_classes = [IsAuthenticatedOrReadOnly]

    @Operation(id="listReported", tag="benchmarks", summary=_LISTED, answer=ReportedListSchema)
    def get(self, request: Request, slug: str) -> HttpResponse:
        return respond(_list(get_board(slug)))

    @Operation(
        id="addReported",
        tag="benchmarks",
        summary="Add a result that was published elsewhere",
        description="Each value is as in an answer, or a text as in the organiser's CSV file. One "
        "with the system and the source of a listed result is refused: correct that one.",
        answer=[SuccessResponse(body=ReportedSchema, status=201)],
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        return self._put(request, self._board(request, slug), None)


class CorrectReportedView(_ChangingView):
    fields = ReportedFields

    @Operation(
        id="correctReported",
        tag="benchmarks",
        summary="Correct a result that was published elsewhere",
        description="A field that is left out keeps its value.",
        answer=ReportedSchema,
    )
    def post(self, request: Request, slug: str, pk: int) -> HttpResponse:
        board = self._board(request, slug)
        return self._put(request, board, self._result(board, pk))


class RemoveReportedView(_ChangingView):
    fields = RemoveReportedFields

    @Operation(
        id="removeReported",
        tag="benchmarks",
        summary="Remove a result that was published elsewhere",
        description="The public log keeps it, with the reason.",
        answer=ReportedListSchema,
    )
    def post(self, request: Request, slug: str, pk: int) -> HttpResponse:
        board = self._board(request, slug)
        reason = read_text(request.data, "reason", MAX_REASON)
        try:
            remove_result(result=self._result(board, pk), reason=reason, by=user_of(request))
        except ReasonRefused as error:
            hint = "Say why, on one line."
            raise ParameterInvalid(invalid_value("reason", error.detail, hint)) from error
        return respond(_list(board))
