"""Benchmarks, their leaderboards and the schemas of their files: public, to be read."""

import hashlib
import json
from functools import cache

from django.http import HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from rest_framework.exceptions import NotFound
from rest_framework.response import Response

from leaderboard.api import documents
from leaderboard.api.base import ApiView
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.representations import show_benchmark, show_board
from leaderboard.api.uploads import find_benchmark
from leaderboard.http.conditional import answer, state_of_board
from leaderboard.models import Benchmark
from leaderboard.services.boards.board import read_board, read_query
from scoring import registry
from scoring.reading.problems import Problem

_SCHEMA_TYPE = "application/schema+json"
_AS_OF = Problem(
    code="request.as-of-unknown",
    pointer="/as_of",
    message="as_of names no moment of the board's record.",
    hint="A date such as 2026-11-01 (its end, UTC), a time, or the number of an event; not in the future.",
)


class PublicView(ApiView):
    """Shows the same to everybody, and so asks nobody who they are."""

    authentication_classes = []
    permission_classes = []

    @staticmethod
    def benchmark(slug: str) -> Benchmark:
        benchmark = find_benchmark(slug)
        if benchmark is None:
            raise NotFound("There is no such benchmark; GET /api/v1/benchmarks/ lists them.")
        return benchmark


class Benchmarks(PublicView):
    @documents.list_benchmarks
    def get(self, request):
        boards = Benchmark.objects.select_related("active_revision").defer("active_revision__content")
        return Response({"results": [show_benchmark(board) for board in boards]})


class BenchmarkDetail(PublicView):
    @documents.get_benchmark
    def get(self, request, slug: str):
        return Response(show_benchmark(self.benchmark(slug)))


class Leaderboard(PublicView):
    @documents.leaderboard
    def get(self, request, slug: str):
        return answer(request, lambda: state_of_board(slug), lambda: self._shown(request, slug))

    def _shown(self, request, slug: str) -> Response:
        benchmark = self.benchmark(slug)
        query = read_query(request.query_params, benchmark)
        if query.unknown_as_of:
            # Today's table for a moment that was mistyped would be taken for that of the moment.
            raise ParameterInvalid(_AS_OF)
        return Response(show_board(read_board(query)))


class BenchmarkSchema(PublicView):
    @documents.benchmark_schema
    def get(self, request, slug: str):
        family = self.benchmark(slug).family
        name = request.query_params.get("name") or next(iter(registry.get(family).schemas()))
        response = _schema_response(request, family, name, "no-cache")
        response["Content-Location"] = reverse("api:schema", args=[family, name])
        return response


class Schema(PublicView):
    """The address of one released schema; what is there never changes."""

    @documents.schema
    def get(self, request, family: str, name: str):
        return _schema_response(request, family, name, "public, max-age=31536000, immutable")


def _schema_response(request, family: str, name: str, caching: str) -> HttpResponse:
    if family not in registry.FAMILIES or name not in registry.get(family).schemas():
        raise NotFound("There is no such schema; a benchmark's `schemas` names those there are.")
    body, etag = _schema(family, name)
    response = HttpResponse(body, content_type=_SCHEMA_TYPE, headers={"ETag": etag, "Cache-Control": caching})
    return get_conditional_response(request, etag=etag, response=response)


@cache
def _schema(family: str, name: str) -> tuple[bytes, str]:
    body = json.dumps(registry.get(family).schemas()[name], ensure_ascii=False, indent=2).encode() + b"\n"
    return body, f'"{hashlib.sha256(body).hexdigest()[:32]}"'
