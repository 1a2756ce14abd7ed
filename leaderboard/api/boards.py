"""The leaderboards, their rows and logs, and the schemas of files: public, read-only."""

import json
from collections.abc import Sequence

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from leaderboard.api.base import PublicView, get_board, respond
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.operation import FREE, LINES, Operation
from leaderboard.api.parameters import next_page
from leaderboard.api.serializers.boards import (
    BenchmarkSerializer,
    BenchmarksSerializer,
    BoardSerializer,
)
from leaderboard.api.serializers.forms import BoardQuery
from leaderboard.http.conditional import answer
from leaderboard.models import Board
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import read_query
from leaderboard.services.errors import Busy
from leaderboard.services.exports.csv_json import chunked
from leaderboard.services.pictures.render_limit import turns
from leaderboard.services.record.chain import read_heads, write_log
from leaderboard.services.turns import TooBusy
from wardboard.scoring import registry
from wardboard.scoring.declared import Declared
from wardboard.scoring.reading.problems import Problem

LARGE = 1000  # events; a longer log waits for its turn
LOG = "A line for each event, and a last one with the signed heads; `wardboard verify` checks it."
_AS_OF = Problem(
    code="request.as-of-unknown",
    pointer="/as_of",
    message="as_of names no moment of the leaderboard's record.",
    hint="A date such as 2026-11-01 (its end, UTC), a time, or the number of an event; not in the future.",
)


class BenchmarksView(PublicView):
    @Operation(id="listBenchmarks", summary="All leaderboards", answer=BenchmarksSerializer)
    def get(self, request: Request) -> HttpResponse:
        boards = Board.objects.with_task_ids().installed().select_related("unranked_lane", "unranked_lane_of")
        return respond(BenchmarksSerializer({"results": boards}).data)


class BenchmarkView(PublicView):
    @Operation(id="getBenchmark", summary="One leaderboard", answer=BenchmarkSerializer)
    def get(self, request: Request, slug: str) -> HttpResponse:
        return respond(BenchmarkSerializer(get_board(slug)).data)


class LeaderboardView(PublicView):
    @Operation(
        id="getLeaderboard",
        summary="The ranked table of a leaderboard, in pages",
        description="An unknown parameter or value is refused; the problem names the nearest known one.",
        query=BoardQuery,
        answer=BoardSerializer,
        is_conditional=True,
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        return answer(request, slug, lambda: respond(self._show(request, get_board(slug))), is_page=False)

    def _show(self, request: Request, board: Board) -> object:
        query = read_query(request.query_params, board)
        if query.unknown_as_of:
            # Otherwise a reader who mistyped `as_of` would take today's table for that of the past.
            raise ParameterInvalid(_AS_OF)
        if query.unknown:
            # One object for all.
            problem = Problem(
                code="request.value-unknown",
                pointer=f"/{query.unknown[0].name}",
                message=query.explain_unknown(),
                hint=query.suggest_known(),
            )
            raise ParameterInvalid(problem)
        page = read_board(query, size=self.query["per_page"])
        number = self.query["page"]
        following = next_page(request, number, page.page.paginator.num_pages)
        return BoardSerializer(page, context={"page": number, "next": following}).data


class BoardLogView(PublicView):
    """Every event of a board for those who verify it, a JSON object a line."""

    @Operation(
        id="getBoardLog",
        summary="Every event of a leaderboard, chained",
        description=LOG,
        answer=LINES,
        media_type="application/jsonl",
        refusals=["unavailable"],
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        return answer_with_log(slug, [get_board(slug).slug])


def answer_with_log(name: str, slugs: Sequence[str] | None = None) -> HttpResponseBase:
    """Answer with the log. slugs: of the boards; None for all. Raises Busy.

    As of a large export, only a few are sent at a time.
    """
    heads = read_heads(slugs)
    try:
        turn = turns.take() if sum(head["number"] for head in heads.values()) >= LARGE else None
    except TooBusy:
        raise Busy("Too many large files are being sent. Ask again in a few seconds.") from None
    headers = {"Content-Disposition": f'attachment; filename="{name}.log.jsonl"', "Cache-Control": "no-cache"}
    parts = chunked(write_log(heads))
    response = StreamingHttpResponse(parts, content_type="application/jsonl", headers=headers)
    if turn:
        # Django calls these when the server closes the response, whether or not all of it was read.
        response._resource_closers.append(turn.end)  # type: ignore[attr-defined]  # has no public name
    return response


class DeclarationView(PublicView):
    @Operation(
        id="getDeclaration",
        summary="The declaration of a benchmark that has no code",
        description="`wardboard validate` checks files by it. 404 for a leaderboard whose benchmark is code.",
        answer=FREE,
        is_conditional=True,
    )
    @method_decorator(conditional_page)
    def get(self, request: Request, slug: str) -> HttpResponse:
        benchmark = registry.find(get_board(slug).benchmark)
        if not isinstance(benchmark, Declared):
            raise NotFound("No file declares the benchmark of this leaderboard: it is code.")
        return respond(benchmark.document)


class SchemaView(PublicView):
    """One released JSON Schema, which never changes."""

    @Operation(
        id="getSchema",
        summary="A released JSON Schema, at an address that never changes its content",
        answer=FREE,
        media_type="application/schema+json",
        is_conditional=True,
    )
    @method_decorator(conditional_page)
    def get(self, request: Request, family: str, name: str) -> HttpResponse:
        benchmark = registry.find(family)
        if benchmark is None or name not in benchmark.schemas():
            raise NotFound("There is no such schema; a benchmark's `schemas` names those there are.")
        schema = json.dumps(benchmark.schemas()[name], ensure_ascii=False, indent=2)
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return HttpResponse(f"{schema}\n", content_type="application/schema+json", headers=headers)
