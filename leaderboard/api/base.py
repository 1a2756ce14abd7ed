"""What all views of the API share."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import NotAuthenticated, NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from leaderboard.api.bodies import Body, FieldsParser, UploadParser, fields_body, upload_body
from leaderboard.http.json_encoding import encode
from leaderboard.models import Benchmark, Team, User
from leaderboard.services.accounts import find_team, personal_team


def respond(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return `value` as JSON."""
    return HttpResponse(
        encode(value), status=status, content_type="application/json", headers=dict(headers or {})
    )


class SingleFormat(BaseContentNegotiation):
    """Ignore `Accept`, as there is one format of response. Source: RFC 9110, section 12.4.1."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        return next(iter(parsers))

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class ApiView(APIView):
    """A view whose body is limited."""

    content_negotiation_class = SingleFormat
    http_method_names = ["get", "head", "post"]
    parser_classes = [FieldsParser]

    @staticmethod
    def limit_body(request: HttpRequest) -> Body:
        return fields_body(request)

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        wrapped = super().initialize_request(request, *args, **kwargs)
        wrapped._stream = self.limit_body(request)  # type: ignore[assignment]  # as our parsers read it
        return wrapped

    def finalize_response(  # type: ignore[override]  # REST framework takes any response
        self, request: Request, response: HttpResponse, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        response = super().finalize_response(request, response, *args, **kwargs)  # type: ignore[arg-type]
        if self.authentication_classes:
            # A team sees more of its own submissions.
            patch_vary_headers(response, ["Authorization", "Cookie"])
        return response


class UploadView(ApiView):
    """A view that takes a file."""

    parser_classes = [UploadParser]

    @staticmethod
    def limit_body(request: HttpRequest) -> Body:
        return upload_body(request)


class PublicView(ApiView):
    """A view that shows the same to everyone, and so authenticates no one."""

    authentication_classes = []
    permission_classes = []


def body_of(request: Request) -> Body:
    """Return the limited body, as `ApiView` has set it."""
    assert isinstance(request.stream, Body)
    return request.stream


def user_of(request: Request) -> User:
    """Return who sends the request. Raises NotAuthenticated."""
    if not request.user.is_authenticated:
        raise NotAuthenticated()
    return request.user


def team_of(request: Request) -> Team:
    """Return the team that the request acts for. Raises NotAuthenticated."""
    return personal_team(user_of(request))


def viewer_of(request: Request) -> Team | None:
    """Return the team of the reader; None for a visitor, and for a user without a team."""
    return find_team(request.user) if request.user.is_authenticated else None


def get_benchmark(slug: str) -> Benchmark:
    """Return the board of an address. Raises NotFound."""
    benchmark = find_benchmark(slug)
    if benchmark is None:
        raise NotFound("There is no such benchmark; GET /api/v1/benchmarks/ lists them.")
    return benchmark


def find_benchmark(slug: str) -> Benchmark | None:
    """Return the board of that slug with its revision, without loading the references."""
    if not slug.isprintable():
        # PostgreSQL would refuse to search for a NUL.
        return None
    boards = Benchmark.objects.with_task_ids()
    return boards.filter(slug=slug).first()
