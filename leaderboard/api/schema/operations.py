"""The operations of the API, their parameters and responses, for the OpenAPI document."""

from collections.abc import Mapping

from msgspec import Struct

from leaderboard.api.schema import examples
from leaderboard.api.schema.allowances import AllowanceSchema, ApprovalFields
from leaderboard.api.schema.boards import (
    BenchmarkSchema,
    BenchmarksSchema,
    BestScoresSchema,
    BoardSchema,
    ChangesSchema,
)
from leaderboard.api.schema.comparisons import ComparisonSchema
from leaderboard.api.schema.forms import MULTIPART, RAW_TYPES, CheckFields, SubmitFields, WithdrawFields
from leaderboard.api.schema.me import ME_OPERATIONS, SIGN_IN_OPERATIONS
from leaderboard.api.schema.operation import BodySchema, Example, Operation, SuccessResponse
from leaderboard.api.schema.parameters import (
    PAGE,
    TEAM,
    WAIT,
    in_query,
    non_empty_in_query,
    of_fields,
    repeated_in_query,
)
from leaderboard.api.schema.record import RECORD_OPERATIONS
from leaderboard.api.schema.service import HealthSchema, RootSchema, ServiceStatusSchema
from leaderboard.api.schema.submissions import SubmissionPageSchema, SubmissionSchema, ValidationSchema
from leaderboard.models import Status
from leaderboard.services.boards.columns import SORTINGS
from leaderboard.services.rows.filters import FILTERS

TAGS = {
    "submissions": "Sending files in, and looking after what was sent.",
    "validations": "Checking files without an account.",
    "benchmarks": "Leaderboards, their rows and their past.",
    "service": "The service about itself.",
}
SECURITY_SCHEMES = {
    "apiToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API token, made on your Tokens page or exchanged for the ID token of a CI job: "
        "`Authorization: Bearer wb_…`",
    },
    "browserSession": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sessionid",
        "description": "Signed in to the pages; this page sends it by itself.",
    },
}


def _file_in(fields: type[Struct]) -> dict[str, BodySchema]:
    binary = {"type": "string", "format": "binary"}
    return {MULTIPART: fields, **dict.fromkeys(RAW_TYPES, binary)}


_OWN = ("apiToken", "browserSession")
_JSON_SCHEMA = SuccessResponse(
    body={"type": "object", "additionalProperties": {}}, media_type="application/schema+json"
)
_SUBMISSION = SuccessResponse(body=SubmissionSchema)

_submit = Operation(
    id="submit",
    tag="submissions",
    summary="Send a file in",
    description=(
        "Takes the file as the form field `file`, or as the body itself with the facts as query parameters. "
        "The same bytes from the same team for the same leaderboard give the same "
        "submission: 200 then, not 201. "
        "A large file comes back as `received`, to be checked later, and with a queue configured any other "
        "as `queued`: ask again after `Retry-After`."
    ),
    security=_OWN,
    parameters=[
        *of_fields(SubmitFields),
        {
            "name": "Idempotency-Key",
            "in": "header",
            "description": "Up to 255 ASCII characters. The same key and request give the same answer.",
            "schema": {"type": "string"},
        },
    ],
    body=_file_in(SubmitFields),
    responses=[
        SuccessResponse(
            status=201, body=SubmissionSchema, description="Taken in; `Location` is its address."
        ),
        SuccessResponse(body=SubmissionSchema, description="These bytes were here already."),
    ],
    problems=(400, 401, 403, 409, 413, 415, 422, 429, 500, 507),
    examples=[
        Example(summary="Scored", value=examples.SCORED, status=201),
        Example(summary="A rejected file", value=examples.REJECTED, status=422),
        Example(summary="A request that needs correcting", value=examples.REQUEST_INVALID, status=422),
    ],
)
_list_submissions = Operation(
    id="listSubmissions",
    tag="submissions",
    summary="The team's own submissions, newest first, 50 a page",
    security=_OWN,
    parameters=[
        TEAM,
        non_empty_in_query("benchmark", "Slug of a leaderboard."),
        {"name": "status", "in": "query", "schema": {"type": "string", "enum": list(Status.values)}},
        non_empty_in_query("system", "Name of a system of the team, in any case."),
        non_empty_in_query("sha256", "Of the file, as the list and the submission have it."),
        non_empty_in_query("commit", "As stated with the file, or the first seven digits of it or more."),
        PAGE,
    ],
    responses=[SuccessResponse(body=SubmissionPageSchema)],
    problems=(400, 401, 403),
)
_get_submission = Operation(
    id="getSubmission",
    tag="submissions",
    summary="One submission: the team's own, or a published one",
    description="A request with If-None-Match and its `ETag` is answered with 304 while nothing has changed.",
    security=(*_OWN, ""),
    parameters=[WAIT],
    responses=[_SUBMISSION],
    problems=(400, 401, 403, 404),
)
_publish = Operation(
    id="publishSubmission",
    tag="submissions",
    summary="Put a scored submission on the leaderboard",
    security=_OWN,
    responses=[_SUBMISSION],
    problems=(400, 401, 403, 404, 409, 413, 415, 429),
)
_withdraw = Operation(
    id="withdrawSubmission",
    tag="submissions",
    summary="Take a published submission off the leaderboard",
    security=_OWN,
    body=dict.fromkeys(("application/json", "application/x-www-form-urlencoded", MULTIPART), WithdrawFields),
    responses=[_SUBMISSION],
    problems=(400, 401, 403, 404, 409, 413, 415, 429),
)
_cancel = Operation(
    id="cancelSubmission",
    tag="submissions",
    summary="Stop a submission that is on its way",
    description=(
        "Nothing more of it is judged. It counts against the quota; what was judged is kept, so that the "
        "same file, sent again, goes on from there and is not counted twice. Twice is the same as once."
    ),
    security=_OWN,
    responses=[_SUBMISSION],
    problems=(400, 401, 403, 404, 409, 413, 415, 429),
)
_validate = Operation(
    id="validate",
    tag="validations",
    summary="Check a file: no account, nothing stored, no score",
    security=("apiToken", ""),
    parameters=of_fields(CheckFields),
    body=_file_in(CheckFields),
    responses=[SuccessResponse(body=ValidationSchema)],
    problems=(400, 401, 403, 409, 413, 415, 422, 429, 507),
    examples=[
        Example(summary="A good file", value=examples.VALID, status=200),
        Example(summary="A file with problems", value=examples.INVALID, status=422),
    ],
)
_list_benchmarks = Operation(
    id="listBenchmarks",
    tag="benchmarks",
    summary="All leaderboards",
    responses=[SuccessResponse(body=BenchmarksSchema)],
    problems=[400],
)
_get_benchmark = Operation(
    id="getBenchmark",
    tag="benchmarks",
    summary="One leaderboard",
    responses=[SuccessResponse(body=BenchmarkSchema)],
    problems=(400, 404),
)
_allowance = Operation(
    id="getAllowance",
    tag="submissions",
    summary="How many files your team may still send to a leaderboard, and when each limit renews",
    security=_OWN,
    parameters=[TEAM],
    responses=[SuccessResponse(body=AllowanceSchema)],
    problems=(400, 401, 403, 404),
)
_approval = Operation(
    id="requestApproval",
    tag="submissions",
    summary="Ask the organisers of a leaderboard to approve your team",
    description="Sending it again replaces the message, until the organisers have decided.",
    security=_OWN,
    parameters=[TEAM],
    body=dict.fromkeys(("application/json", "application/x-www-form-urlencoded", MULTIPART), ApprovalFields),
    responses=[SuccessResponse(body=AllowanceSchema)],
    problems=(400, 401, 403, 404, 409, 413, 415, 429),
)
_leaderboard = Operation(
    id="getLeaderboard",
    tag="benchmarks",
    summary="The ranked table of a leaderboard, 50 rows a page",
    description="An unknown parameter or value is refused; the problem names the nearest known one.",
    parameters=[
        in_query(
            "as_of",
            "The leaderboard as of a date (2026-11-01: at its end, UTC), a time, or the number of an event.",
        ),
        *(in_query(each.key, each.describe()) for each in FILTERS),
        repeated_in_query("columns", "Of the page; the API shows every column."),
        repeated_in_query("compare", "Of the page: systems that are chosen there."),
        in_query(
            "sort",
            f"{', '.join(SORTINGS)}, or the key of a metric of the leaderboard; `-` before it: descending.",
        ),
        PAGE,
    ],
    responses=[SuccessResponse(body=BoardSchema)],
    problems=(400, 404),
    examples=[Example(summary="An unknown `as_of`", value=examples.AS_OF_UNKNOWN, status=400)],
)
_compare = Operation(
    id="compareSystems",
    tag="benchmarks",
    summary="Two to four systems of a leaderboard, compared task by task",
    description="As far as the leaderboard's feedback level allows: counts, intervals and scores by group "
    "from by-type on, tasks at by-task.",
    parameters=[
        {
            "name": "system",
            "in": "query",
            "required": True,
            "description": "A `system_id` of the leaderboard; two to four times.",
            "schema": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1},
                "minItems": 2,
                "maxItems": 4,
                "uniqueItems": True,
            },
        }
    ],
    responses=[SuccessResponse(body=ComparisonSchema)],
    problems=(400, 404),
    examples=[
        Example(summary="Two systems", value=examples.COMPARED, status=200),
        Example(summary="Too few", value=examples.SYSTEMS_INVALID, status=400),
    ],
)
_changes = Operation(
    id="getChanges",
    tag="benchmarks",
    summary="What happened to a leaderboard, newest first, 50 a page",
    parameters=[PAGE],
    responses=[SuccessResponse(body=ChangesSchema)],
    problems=(400, 404),
    examples=[Example(summary="A page", value=examples.CHANGES, status=200)],
)
_best_scores = Operation(
    id="getRecords",
    tag="benchmarks",
    summary="Who held the best score of a leaderboard from when, newest first",
    responses=[SuccessResponse(body=BestScoresSchema)],
    problems=(400, 404),
    examples=[Example(summary="Two records", value=examples.BEST_SCORES, status=200)],
)
_benchmark_schema = Operation(
    id="getBenchmarkSchema",
    tag="benchmarks",
    summary="The current JSON Schema of the leaderboard's files",
    parameters=[
        in_query("name", "One of the leaderboard's `schemas`; without it the first, that of a result file.")
    ],
    responses=[_JSON_SCHEMA],
    problems=(400, 404),
)
_schema = Operation(
    id="getSchema",
    tag="benchmarks",
    summary="A released JSON Schema, at an address that never changes its content",
    responses=[_JSON_SCHEMA],
    problems=(400, 404),
)
_root = Operation(
    id="getRoot",
    tag="service",
    summary="Where is what",
    responses=[SuccessResponse(body=RootSchema)],
    problems=[400],
)
_health = Operation(
    id="getHealth",
    tag="service",
    summary="Whether the service and its database answer",
    responses=[SuccessResponse(body=HealthSchema)],
    problems=(400, 503),
)

_status = Operation(
    id="getStatus",
    tag="service",
    summary="What works now, and how much waits",
    responses=[SuccessResponse(body=ServiceStatusSchema)],
    problems=[400],
)

_SUBMISSIONS, _BENCHMARKS = "/api/v1/submissions/", "/api/v1/benchmarks/"
OPERATIONS: Mapping[str, Mapping[str, Operation]] = {
    "/api/v1/": {"get": _root},
    "/api/v1/health/": {"get": _health},
    "/api/v1/status/": {"get": _status},
    **ME_OPERATIONS,
    **SIGN_IN_OPERATIONS,
    **RECORD_OPERATIONS,
    "/api/v1/validations/": {"post": _validate},
    _SUBMISSIONS: {"get": _list_submissions, "post": _submit},
    f"{_SUBMISSIONS}{{submission_id}}/": {"get": _get_submission},
    f"{_SUBMISSIONS}{{submission_id}}/cancel/": {"post": _cancel},
    f"{_SUBMISSIONS}{{submission_id}}/publish/": {"post": _publish},
    f"{_SUBMISSIONS}{{submission_id}}/withdraw/": {"post": _withdraw},
    _BENCHMARKS: {"get": _list_benchmarks},
    f"{_BENCHMARKS}{{slug}}/": {"get": _get_benchmark},
    f"{_BENCHMARKS}{{slug}}/allowance/": {"get": _allowance},
    f"{_BENCHMARKS}{{slug}}/approval/": {"post": _approval},
    f"{_BENCHMARKS}{{slug}}/leaderboard/": {"get": _leaderboard},
    f"{_BENCHMARKS}{{slug}}/compare/": {"get": _compare},
    f"{_BENCHMARKS}{{slug}}/changes/": {"get": _changes},
    f"{_BENCHMARKS}{{slug}}/records/": {"get": _best_scores},
    f"{_BENCHMARKS}{{slug}}/schema/": {"get": _benchmark_schema},
    "/api/v1/schemas/{family}/{name}.json": {"get": _schema},
}
