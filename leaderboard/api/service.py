"""The resources about the service: its health, metrics, addresses, types of problems and documents."""

import json
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve
from django.utils import translation
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.serializers import CharField, DateTimeField

from leaderboard.api.base import PublicView, respond
from leaderboard.api.boards import LOG, answer_with_log
from leaderboard.api.operation import FREE, LINES, Operation
from leaderboard.api.serializers.fields import Shape
from leaderboard.http.json_encoding import encode
from leaderboard.http.problems import PROBLEM_TYPES, describe, status_of
from leaderboard.monitoring.metrics import server_registry
from leaderboard.services.health.figures import ServiceFigures
from leaderboard.services.health.readiness import read_readiness
from leaderboard.services.record.chain import read_heads, sign_heads
from leaderboard.services.record.keys import published_keys, signer


def healthz(request: HttpRequest) -> HttpResponse:
    """Report that the process answers, whatever the database does. Reveals nothing else."""
    return JsonResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


def readyz(request: HttpRequest) -> HttpResponse:
    """Report whether files are taken and scored: 200, or 503, and for each part `ok` or what is missing."""
    readiness = read_readiness()
    parts = {name: why or "ok" for name, why in asdict(readiness).items()}
    return JsonResponse(
        {"status": "ready" if readiness.is_ready else "not ready", **parts},
        status=200 if readiness.is_ready else status_of("unavailable"),
        headers={"Cache-Control": "no-store"},
    )


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics to Prometheus, which sends METRICS_TOKEN; 404 where that is not set."""
    if not settings.METRICS_TOKEN:
        raise Http404
    given = request.headers.get("Authorization", "")
    if not constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse(
            "METRICS_TOKEN is needed, as a bearer token.\n",
            status=status_of("not-authenticated"),
            content_type="text/plain; charset=utf-8",
            headers={"WWW-Authenticate": "Bearer"},
        )
    figures = CollectorRegistry()
    figures.register(ServiceFigures())
    text = generate_latest(server_registry()) + generate_latest(figures)
    return HttpResponse(text, content_type=CONTENT_TYPE_PLAIN_0_0_4, headers={"Cache-Control": "no-store"})


class KeySerializer(Shape):
    key = CharField(help_text="The public key (Ed25519): 32 bytes in base64.")
    since = DateTimeField(help_text="From when on the service signs with it.")
    until = DateTimeField(
        allow_null=True, help_text="When the next one replaced it; null for the present one."
    )


class KeysSerializer(Shape):
    public_keys = KeySerializer(many=True)


class KeysView(PublicView):
    """The public keys of all receipts and logs, the present one last."""

    @Operation(id="getKeys", summary="The public keys of all receipts and logs", answer=KeysSerializer)
    def get(self, request: Request) -> HttpResponse:
        signer()  # a service that has not signed yet has no key to show
        keys = [
            {"key": key.public_key, "since": key.since, "until": until} for key, until in published_keys()
        ]
        body = KeysSerializer({"public_keys": keys}).data
        return respond(body, headers={"Cache-Control": "public, max-age=300"})


class HeadView(PublicView):
    """The signed ends of the log."""

    @Operation(
        id="getLogHead",
        summary="The signed heads of the log: the last event of every leaderboard with its digest",
        answer=FREE,
    )
    def get(self, request: Request) -> HttpResponse:
        headers = {"Cache-Control": "no-cache"}
        return HttpResponse(sign_heads(read_heads()), content_type="application/json", headers=headers)


class LogView(PublicView):
    """Every event of every board for those who verify it, a JSON object a line."""

    @Operation(
        id="getLog",
        summary="Every event of every leaderboard, chained",
        description=LOG,
        answer=LINES,
        media_type="application/jsonl",
        refusals=["unavailable"],
    )
    def get(self, request: Request) -> HttpResponseBase:
        return answer_with_log("wardboard")


class ProblemTypesView(PublicView):
    def get(self, request: Request) -> HttpResponse:
        return respond({"results": [describe(code) for code in PROBLEM_TYPES]})


class ProblemTypeView(PublicView):
    """Describe one type of problem, at the address that `type` in a problem document points at."""

    def get(self, request: Request, code: str) -> HttpResponse:
        if code not in PROBLEM_TYPES:
            raise NotFound("There is no such problem type; GET /api/problems/ lists them.")
        return respond(describe(code))


class OpenApiView(PublicView):
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(openapi_json(), content_type="application/vnd.oai.openapi+json")


@cache
def openapi_json() -> bytes:
    """Return the document as JSON. It is the same for everyone for as long as the process lives."""
    with translation.override("en"):
        generator = SchemaGenerator(urlconf="leaderboard.urls")  # type: ignore[no-untyped-call]
        return encode(generator.get_schema(public=True))  # type: ignore[no-untyped-call]


def operations() -> list[tuple[str, str, str]]:
    """Return method, path and summary of every operation, in the order of the document."""
    paths = json.loads(openapi_json())["paths"].items()
    return [(method.upper(), path, each["summary"]) for path, item in paths for method, each in item.items()]


class UnknownAddressView(PublicView):
    """Answer every address under /api/ that does not exist."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        text = "There is nothing at this address."
        with suppress(Resolver404):
            if resolve(f"{request.path_info}/").url_name != "nothing":
                text += " With a slash at its end there is."
        raise NotFound(text)
