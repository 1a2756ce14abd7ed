"""The OpenAPI document: what each operation takes and gives, with examples."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from leaderboard.api import board_shapes, examples, record_shapes, shapes
from leaderboard.api.bodies import MULTIPART, RAW_TYPES
from leaderboard.api.problems import KINDS, MEDIA_TYPE

undocumented = extend_schema(exclude=True)

_TITLES = {
    status: [kind.title for kind in KINDS.values() if kind.status == status] for status in range(400, 600)
}


def _problems(*statuses: int) -> dict:
    return {
        (status, MEDIA_TYPE): OpenApiResponse(
            shapes.ProblemDocumentSerializer, description="; ".join(_TITLES[status]) + "."
        )
        for status in statuses
    }


def _asked(name: str, description: str, **more) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.QUERY, description=description, **more)


def _in_query(form) -> list[OpenApiParameter]:
    """Return the fields of `form` as query parameters, for a file that is sent as the body itself."""
    return [
        _asked(name, f"With the file as body. {field.help_text or ''}".strip())
        for name, field in form().fields.items()
        if name != "file"
    ]


def _file_request(form) -> dict:
    return {MULTIPART: form, **dict.fromkeys(RAW_TYPES, OpenApiTypes.BINARY)}


def _success(name: str, value: dict, status: str) -> OpenApiExample:
    return OpenApiExample(name, value=value, response_only=True, status_codes=[status])


def _refusal(name: str, value: dict) -> OpenApiExample:
    return OpenApiExample(
        name, value=value, response_only=True, status_codes=[str(value["status"])], media_type=MEDIA_TYPE
    )


def _operation(*, summary: str, description: str = "", **more):
    # Said always: without a description the docstring of the view would be taken, which is for programmers.
    return extend_schema(summary=summary, description=description or f"{summary}.", **more)


submit = _operation(
    operation_id="submit",
    tags=["submissions"],
    summary="Send a file in",
    description=(
        "Takes the file as the form field `file`, or as the body itself with the facts as query parameters. "
        "The same bytes from the same team for the same board give the same submission: 200 then, not 201. "
        "A large file comes back as `received`, to be checked later, and with a queue configured any other "
        "as `queued`: ask again after `Retry-After`."
    ),
    parameters=[
        *_in_query(shapes.SubmitForm),
        OpenApiParameter(
            "Idempotency-Key",
            str,
            OpenApiParameter.HEADER,
            description="Up to 255 ASCII characters. The same key and request give the same answer.",
        ),
    ],
    request=_file_request(shapes.SubmitForm),
    responses={
        201: OpenApiResponse(shapes.SubmissionSerializer, description="Taken in; `Location` is its address."),
        200: OpenApiResponse(shapes.SubmissionSerializer, description="These bytes were here already."),
        **_problems(400, 401, 403, 409, 413, 415, 422, 429, 500, 507),
    },
    examples=[
        _success("Scored", examples.SCORED, "201"),
        _refusal("A rejected file", examples.REJECTED),
        _refusal("A request that needs mending", examples.REQUEST_INVALID),
    ],
)
list_submissions = _operation(
    operation_id="listSubmissions",
    tags=["submissions"],
    summary="The team's own submissions, newest first, 50 a page",
    parameters=[OpenApiParameter("page", int, OpenApiParameter.QUERY)],
    responses={200: shapes.SubmissionPageSerializer, **_problems(401)},
)
get_submission = _operation(
    operation_id="getSubmission",
    tags=["submissions"],
    summary="One submission: the team's own, or a published one",
    responses={200: shapes.SubmissionSerializer, **_problems(401, 404)},
)
publish = _operation(
    operation_id="publishSubmission",
    tags=["submissions"],
    summary="Put a scored submission on the board",
    request=None,
    responses={200: shapes.SubmissionSerializer, **_problems(401, 403, 404, 409, 429)},
)
withdraw = _operation(
    operation_id="withdrawSubmission",
    tags=["submissions"],
    summary="Take a published submission off the board",
    request=dict.fromkeys(
        ("application/json", "application/x-www-form-urlencoded", MULTIPART), shapes.WithdrawForm
    ),
    responses={200: shapes.SubmissionSerializer, **_problems(400, 401, 403, 404, 409, 413, 415, 429)},
)
cancel = _operation(
    operation_id="cancelSubmission",
    tags=["submissions"],
    summary="Stop a submission that is on its way",
    description=(
        "Nothing more of it is judged. It counts against the quota; what was judged is kept, so that the "
        "same file, sent again, goes on from there and is not counted twice. Twice is the same as once."
    ),
    request=None,
    responses={200: shapes.SubmissionSerializer, **_problems(401, 403, 404, 409, 429)},
)
validate = _operation(
    operation_id="validate",
    tags=["validations"],
    summary="Check a file: no account, nothing stored, no score",
    parameters=_in_query(shapes.CheckForm),
    request=_file_request(shapes.CheckForm),
    responses={200: shapes.ValidationSerializer, **_problems(400, 401, 409, 413, 415, 422, 429, 507)},
    examples=[
        _success("A good file", examples.VALID, "200"),
        _refusal("A file with problems", examples.INVALID),
    ],
)
list_benchmarks = _operation(
    operation_id="listBenchmarks",
    tags=["benchmarks"],
    summary="All boards",
    responses={200: board_shapes.BenchmarksSerializer},
)
get_benchmark = _operation(
    operation_id="getBenchmark",
    tags=["benchmarks"],
    summary="One board",
    responses={200: board_shapes.BenchmarkSerializer, **_problems(404)},
)
leaderboard = _operation(
    operation_id="getLeaderboard",
    tags=["benchmarks"],
    summary="The ranked table of a board, 50 rows a page",
    description="Parameters with a value that is not known count as not given, but `as_of`.",
    parameters=[
        _asked(
            "as_of",
            "The board as it stood: a date (2026-11-01: at its end, UTC), a time, or the number of an event.",
        ),
        _asked("q", "Words in the system's name, models, organisation or team."),
        _asked("interaction", "single-turn or multi-turn."),
        _asked("retrieval", "query-generator, retriever, both or none."),
        _asked("reasoning", "language or code."),
        _asked("weights", "open or closed."),
        _asked("source", "rescored, reported or baseline."),
        _asked("judge", "One of the board's `judges`, word for word."),
        _asked("model", "A model that systems run on, word for word."),
        _asked("organisation", "Whose systems, word for word."),
        _asked(
            "sort",
            "score, system, date, low, organisation, models, judge, or the key of a metric of the "
            "board; `-` before it: descending.",
        ),
        OpenApiParameter("page", int, OpenApiParameter.QUERY),
    ],
    responses={200: board_shapes.BoardSerializer, **_problems(400, 404)},
    examples=[_refusal("A moment that is none", examples.AS_OF_UNKNOWN)],
)
compare = _operation(
    operation_id="compareSystems",
    tags=["benchmarks"],
    summary="Two to four systems of a board, compared task by task",
    description="As far as the board's feedback level lets see: counts, intervals and figures by group from "
    "by-type on, tasks at by-task.",
    parameters=[
        OpenApiParameter(
            "system",
            int,
            OpenApiParameter.QUERY,
            many=True,
            required=True,
            description="A `system_id` of the leaderboard; two to four times.",
        )
    ],
    responses={200: record_shapes.ComparisonSerializer, **_problems(400, 404)},
    examples=[
        _success("Two systems", examples.COMPARED, "200"),
        _refusal("Too few", examples.SYSTEMS_INVALID),
    ],
)
changes = _operation(
    operation_id="getChanges",
    tags=["benchmarks"],
    summary="What happened to a board, newest first, 50 a page",
    parameters=[OpenApiParameter("page", int, OpenApiParameter.QUERY)],
    responses={200: record_shapes.ChangesSerializer, **_problems(404)},
    examples=[_success("A page", examples.CHANGES, "200")],
)
records = _operation(
    operation_id="getRecords",
    tags=["benchmarks"],
    summary="Who held the best score of a board from when, newest first",
    responses={200: record_shapes.RecordsSerializer, **_problems(404)},
    examples=[_success("Two records", examples.RECORDS, "200")],
)
benchmark_schema = _operation(
    operation_id="getBenchmarkSchema",
    tags=["benchmarks"],
    summary="The current JSON Schema of the board's files",
    parameters=[_asked("name", "One of the board's `schemas`; without it the first, that of a result file.")],
    responses={(200, "application/schema+json"): OpenApiTypes.OBJECT, **_problems(404)},
)
schema = _operation(
    operation_id="getSchema",
    tags=["benchmarks"],
    summary="A released JSON Schema, at an address that never changes its content",
    parameters=[
        OpenApiParameter("family", str, OpenApiParameter.PATH),
        OpenApiParameter("name", str, OpenApiParameter.PATH),
    ],
    responses={(200, "application/schema+json"): OpenApiTypes.OBJECT, **_problems(404)},
)
root = _operation(
    operation_id="getRoot", tags=["service"], summary="Where is what", responses={200: shapes.RootSerializer}
)
health = _operation(
    operation_id="getHealth",
    tags=["service"],
    summary="Whether the service and its database answer",
    responses={200: shapes.HealthSerializer, **_problems(503)},
)
