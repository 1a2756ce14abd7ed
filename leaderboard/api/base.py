"""What all views of the API share."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.datastructures import MultiValueDict
from rest_framework.exceptions import NotAuthenticated, NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from leaderboard.api.authentication import require_board, require_scope, token_of
from leaderboard.api.bodies import FIELDS_LIMIT, MULTIPART_MARGIN, Body, FieldsParser, FileParser
from leaderboard.api.errors import ParameterInvalid
from leaderboard.api.operation import BINARY, JSON, OperationSchema, operation_of
from leaderboard.api.parameters import next_page, read_fields
from leaderboard.api.serializers.forms import MULTIPART
from leaderboard.http.json_encoding import encode
from leaderboard.http.rates import PostThrottle, RequestThrottle
from leaderboard.http.readers import reader_of
from leaderboard.models import Board, Scope, Submission, Team, User
from leaderboard.services.access import may_read
from leaderboard.services.accounts import find_team
from leaderboard.services.boards.query import unknown_value
from leaderboard.services.errors import RequestInvalid
from leaderboard.services.files.read import largest_check
from leaderboard.services.teams.members import shared_teams
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.problems import Problem, Remarks, quote

_EXPOSED = "ETag, Idempotent-Replayed, Link, Retry-After, X-Request-ID"


def respond(value: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return `value` as JSON."""
    return HttpResponse(
        encode(value), status=status, content_type="application/json", headers=dict(headers or {})
    )


class ApiView(APIView):
    """A view whose body is limited, and whose methods are operations."""

    http_method_names = ["get", "head", "post"]
    parser_classes = [FieldsParser]
    # It counts for a view that names its `throttle_scope`.
    throttle_classes = [PostThrottle]
    schema = OperationSchema()
    # What a body is; a form of a few fields is taken too.
    media_type = JSON
    # The scope that a token needs, by method; none is needed for a method that is not here.
    scopes: Mapping[str, Scope] = {"GET": Scope.READ, "HEAD": Scope.READ, "POST": Scope.SUBMIT}
    query: Mapping[str, Any]
    body: Mapping[str, Any]

    def limit_body(self, request: HttpRequest) -> Body:
        """Return the body, which may be as long as the fields and the file that this view takes."""
        return Body(request, limit=FIELDS_LIMIT, has_file=False)

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        wrapped = super().initialize_request(request, *args, **kwargs)
        wrapped._stream = self.limit_body(request)  # type: ignore[assignment]  # as our parsers read it
        return wrapped

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = (request.method or "").lower()
        if method not in self.http_method_names or not hasattr(self, method):
            # The answer is 405, whatever it asks for.
            return
        if problems := self.read_request(request):
            raise ParameterInvalid(*problems)

    def perform_content_negotiation(self, request: Request, force: bool = True) -> Any:
        # `Accept` is ignored, as there is one format of response. Source: RFC 9110, section 12.4.1.
        return super().perform_content_negotiation(request, force=True)

    def check_permissions(self, request: Request) -> None:
        super().check_permissions(request)
        if scope := self.scopes.get(request.method or ""):
            require_scope(request, scope)
        token = token_of(request)
        if token is not None and token.board is not None:
            require_board(request, self.kwargs.get("slug"))
            if submission_id := self.kwargs.get("submission_id"):
                # It gets the same answer whether a submission that it may see on no board exists or not.
                reader = replace(reader_of(request), board=None)
                submission = Submission.objects.select_related("board").filter(pk=submission_id).first()
                is_seen = submission is not None and may_read(reader, submission)
                require_board(request, submission.board.slug if submission and is_seen else None)

    def read_request(self, request: Request) -> list[Problem]:
        """Keep the fields of the query and of the body; return their problems."""
        operation = operation_of(self, request.method or "")
        query, body = (operation.query, operation.body) if operation else (None, None)
        self.query, problems = read_fields(query, request.query_params)
        if request.method == "POST" and isinstance(request.data, MultiValueDict):
            self.body, of_body = read_fields(body, request.data)
            problems += of_body
        return problems

    def page_of(self, listed: Any) -> dict[str, Any]:
        """Return the page of a list that the query asks for, as a `PageShape` has it; empty past the last."""
        paginator, number = Paginator(listed, self.query["per_page"]), self.query["page"]
        return {
            "count": paginator.count,
            "page": number,
            "pages": paginator.num_pages,
            "next": next_page(self.request, number, paginator.num_pages),
            "results": [*paginator.get_page(number)] if number <= paginator.num_pages else [],
        }

    def finalize_response(  # type: ignore[override]  # REST framework takes any response
        self, request: Request, response: HttpResponse, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        response = super().finalize_response(request, response, *args, **kwargs)  # type: ignore[arg-type]
        if self.authentication_classes:
            # A team sees more of its own submissions.
            patch_vary_headers(response, ["Authorization", "Cookie"])
        if request.method in ("GET", "HEAD"):
            # Without credentials, and so what everyone may read.
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Expose-Headers"] = _EXPOSED
        return response


class UploadView(ApiView):
    """A view that takes a form with a file. `read_upload` names its problems, with those of the file."""

    parser_classes = [FileParser]
    media_type = MULTIPART

    def read_request(self, request: Request) -> list[Problem]:
        return [] if request.method == "POST" else super().read_request(request)

    def limit_body(self, request: HttpRequest) -> Body:
        margin = MULTIPART_MARGIN if request.content_type == MULTIPART else 0
        return Body(request, limit=largest_check(has_account=True), margin=margin)

    def handle_exception(self, exc: Exception) -> Response:
        problems = exc.file if isinstance(exc, RequestInvalid) else getattr(exc, "problems", None)
        if isinstance(problems, Remarks) and DocumentCode.TOO_SLOW in problems.counts:
            for throttle in self.get_throttles():
                assert isinstance(throttle, RequestThrottle)
                throttle.charge(self.request, self)
        return super().handle_exception(exc)


class RawUploadView(UploadView):
    """A view that takes a file as the body itself, and the fields of its request in the query."""

    media_type = BINARY


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


def viewer_of(request: Request) -> Team | None:
    """Return the team of the reader; None for a visitor, and for a user without a team.

    That is the team of the token or else the one that the request names, or the person's own. Raises
    ParameterInvalid.
    """
    if not request.user.is_authenticated:
        return None
    problems: list[Problem] = []
    team = read_team(request, request.query_params.get("team", ""), problems)
    if problems:
        raise ParameterInvalid(*problems)
    return team or find_team(request.user)


def read_team(request: Request, handle: str, problems: list[Problem]) -> Team | None:
    """Return the team of the token, or the one of this short name; None for the person's own.

    Adds a problem for a team that the account is not in, and for another team than the token's.
    """
    token, handle = token_of(request), handle.strip()
    own = token.team if token else None
    if not handle:
        return own
    teams = [own] if own else shared_teams(user_of(request))
    if found := next((team for team in teams if team.handle == handle), None):
        return found
    handles = ", ".join(team.handle or "" for team in teams)
    message = f"You are not in a team with the short name “{quote(handle)}”, or the token is for another one."
    hint = f"Those that may be named: {handles}." if handles else "Leave `team` out to act for your own team."
    problems.append(Problem(code="request.value-unknown", pointer="/team", message=message, hint=hint))
    return None


def get_board(slug: str) -> Board:
    """Return the board of an address. Raises NotFound."""
    board = find_board(slug)
    if board is None:
        nearest = nearest_board(slug)
        question = f" Did you mean {nearest}?" if nearest else ""
        raise NotFound(f"There is no such leaderboard; GET /api/v1/benchmarks/ lists them.{question}")
    return board


def nearest_board(slug: str) -> str:
    """Return the slug of a board that is most like `slug`; "" where none is."""
    return unknown_value("benchmark", slug, [*Board.objects.values_list("slug", flat=True)]).nearest


def find_board(slug: str) -> Board | None:
    """Return the board of that slug with its revision, without loading the references."""
    # PostgreSQL would refuse to search for a NUL.
    return Board.objects.with_task_ids().filter(slug=slug).first() if slug.isprintable() else None
