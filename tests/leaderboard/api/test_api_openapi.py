"""The OpenAPI document: complete, true to the responses, and shown without other hosts."""

import re
from uuid import uuid4

import pytest
from django.urls import get_resolver
from jsonschema import ValidationError

from leaderboard.api.schema import examples
from leaderboard.http import problems
from leaderboard.http.json_encoding import to_plain
from leaderboard.services.boards.columns import SORTINGS
from tests.support.api_client import as_file, assert_problem
from tests.support.factories import make_facts
from tests.support.openapi import assert_allowed, assert_matches_schema, ref_of

REFUSED = "#/components/schemas/ProblemDocument"


_NOT_DESCRIBED = {"docs", "try", "openapi", "problems", "problem", "nothing"}


def test_the_document_has_every_path_and_method_of_the_api(document):
    served = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", f"/api/{pattern.pattern}"), method)
        for pattern in get_resolver("leaderboard.api.urls").url_patterns
        if pattern.name not in _NOT_DESCRIBED
        for method in ("get", "post")
        if hasattr(pattern.callback.cls, method)
    }
    assert {(path, method) for path, methods in document["paths"].items() for method in methods} == served
    assert len(served) > 15


def test_the_table_is_described_with_every_sort_key(document, demo):
    operation = document["paths"]["/api/v1/benchmarks/{slug}/leaderboard/"]["get"]
    (sort,) = (parameter for parameter in operation["parameters"] if parameter["name"] == "sort")
    assert set(SORTINGS) <= set(re.findall(r"[\w-]+", sort["description"]))


def test_responses_have_the_documented_shape(document, api, demo, good_file, malformed_file):
    type(demo).objects.update(feedback="by-task")
    submission = api.send(good_file, make_facts(), publish="true").json()
    rejected = api.send(malformed_file, make_facts())
    form = {"benchmark": demo.slug, "file": as_file(good_file)}
    board = f"/api/v1/benchmarks/{demo.slug}/"
    for path, method, status, body in (
        ("/api/v1/submissions/", "post", "201", submission),
        ("/api/v1/submissions/", "post", "422", rejected.json()),
        ("/api/v1/submissions/", "get", "200", api.get("/api/v1/submissions/").json()),
        ("/api/v1/submissions/{submission_id}/", "get", "200", api.get(submission["url"]).json()),
        ("/api/v1/validations/", "post", "200", api.post("/api/v1/validations/", form).json()),
        ("/api/v1/benchmarks/", "get", "200", api.get("/api/v1/benchmarks/").json()),
        ("/api/v1/benchmarks/{slug}/", "get", "200", api.get(board).json()),
        ("/api/v1/benchmarks/{slug}/leaderboard/", "get", "200", api.get(f"{board}leaderboard/").json()),
        ("/api/v1/", "get", "200", api.get("/api/v1/").json()),
        ("/api/v1/health/", "get", "200", api.get("/api/v1/health/").json()),
        ("/api/v1/status/", "get", "200", api.get("/api/v1/status/").json()),
        ("/api/v1/benchmarks/{slug}/", "get", "404", api.get("/api/v1/benchmarks/none/").json()),
    ):
        assert_matches_schema(document, ref_of(document, path, method, status), body)


_SHAPES = {
    "SCORED": "Submission",
    "VALID": "Validation",
    "COMPARED": "Comparison",
    "CHANGES": "Changes",
    "BEST_SCORES": "BestScores",
}
_REFUSALS = ("REJECTED", "INVALID", "REQUEST_INVALID", "AS_OF_UNKNOWN", "SYSTEMS_INVALID")


@pytest.mark.parametrize("name", [*_SHAPES, *_REFUSALS])
def test_the_examples_have_the_documented_shape(document, name):
    value = getattr(examples, name)
    assert_matches_schema(
        document, f"#/components/schemas/{_SHAPES[name]}" if name in _SHAPES else REFUSED, value
    )
    if "type" in value:
        kind = to_plain(problems.describe(value["code"]))
        assert {key: value[key] for key in kind} == kind


def test_every_body_has_an_example_that_its_schema_allows(document):
    shared, checked = document["components"]["examples"], 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            bodies = [operation["requestBody"]] if "requestBody" in operation else []
            bodies += [answer for status, answer in operation["responses"].items() if status[0] == "2"]
            for content in (part for body in bodies for part in body["content"].values()):
                if content["schema"].get("format") == "binary":
                    continue
                assert content["examples"], (path, method)
                for example in content["examples"].values():
                    named = example.get("$ref", "").removeprefix("#/components/examples/")
                    value = shared[named]["value"] if named else example["value"]
                    assert_allowed(document, content["schema"], value)
                    checked += 1
    assert checked > 45


def test_a_wrong_example_does_not_pass(document):
    wrong = document["components"]["examples"]["Submission"]["value"] | {"status": "lost"}
    with pytest.raises(ValidationError, match="lost"):
        assert_matches_schema(document, "#/components/schemas/Submission", wrong)


def test_every_refusal_of_every_operation_is_a_problem_document(document):
    for path, methods in document["paths"].items():
        for operation in methods.values():
            refusals = {status: r for status, r in operation["responses"].items() if status[0] in "45"}
            assert refusals, path
            for refusal in refusals.values():
                ((media_type, content),) = refusal["content"].items()
                assert (media_type, content["schema"]) == (problems.MEDIA_TYPE, {"$ref": REFUSED})


def test_a_body_is_required_where_a_request_without_one_is_refused(document, api, scored):
    required = {
        operation["operationId"]: operation["requestBody"]["required"]
        for methods in document["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    }
    assert required["submit"]
    assert required["validate"]
    assert not required["withdrawSubmission"]
    assert_problem(api.post("/api/v1/validations/"), 422, "request-invalid")
    assert api.post(f"{scored['url']}publish/").status_code == 200


def headers_of(document: dict, path: str, method: str, status: int) -> set[str]:
    """Return the names of the headers of a response that the document describes."""
    described = document["paths"][path][method]["responses"][str(status)]["headers"]
    names = {ref["$ref"].removeprefix("#/components/headers/") for ref in described.values()}
    assert names == set(described) <= set(document["components"]["headers"])
    return names


def test_the_headers_of_real_responses_are_in_the_document(document, api, anonymous, demo, good_file):
    sent, board = api.send(good_file, make_facts()), "/api/v1/benchmarks/{slug}/leaderboard/"
    url = sent["Location"]
    etag = api.get(url)["ETag"]
    one = "/api/v1/submissions/{submission_id}/"
    known = set(document["components"]["headers"])
    for path, method, response in (
        ("/api/v1/submissions/", "post", sent),
        ("/api/v1/submissions/", "post", api.send(good_file, make_facts())),
        ("/api/v1/submissions/", "get", anonymous.get("/api/v1/submissions/")),
        (one, "get", api.get(url)),
        (one, "get", api.get(url, **{"If-None-Match": etag})),
        (board, "get", anonymous.get(board.format(slug=demo.slug))),
    ):
        shown = known & set(response.headers)
        assert shown - headers_of(document, path, method, response.status_code) == set(), path
        assert "X-Request-ID" in shown
    assert {"Location", "RateLimit", "RateLimit-Policy"} <= set(sent.headers)
    assert "WWW-Authenticate" in headers_of(document, one, "get", 401)
    assert "Retry-After" in headers_of(document, "/api/v1/submissions/", "post", 429)


@pytest.mark.parametrize("accept", ["text/html,*/*;q=0.8", "text/html", "image/png", "a"])
def test_an_address_has_one_format_whatever_is_asked_for(anonymous, demo, accept):
    board = f"/api/v1/benchmarks/{demo.slug}/"
    assert anonymous.get(board, Accept=accept)["Content-Type"] == "application/json"
    assert anonymous.get(f"{board}log/", Accept=accept)["Content-Type"] == "application/jsonl"
    assert_problem(anonymous.get("/api/v1/benchmarks/none/", Accept=accept), 404, "not-found")
    assert_problem(anonymous.get("/api/v1/none/", Accept=accept), 404, "not-found")
    assert_problem(anonymous.get("/api/v1/submissions/", Accept=accept), 401, "not-authenticated")


def test_every_address_refuses_a_parameter_that_it_does_not_describe_as_the_document_says(
    document, api, anonymous, demo
):
    values = {
        "slug": demo.slug,
        "submission_id": str(uuid4()),
        "task_id": "task1_1",
        "family": demo.benchmark,
        "name": "none",
    }
    read = {path: methods["get"] for path, methods in document["paths"].items() if "get" in methods}
    assert len(read) > 15
    for path, operation in read.items():
        answer = api.get(f"{path.format(**values)}?none-such=1")
        assert_problem(answer, 400, "parameter-invalid")
        assert "400" in operation["responses"], path
        is_public = not operation["security"] or {} in operation["security"]
        assert (anonymous.get(path.format(**values)).status_code == 401) is not is_public, path


def test_the_page_that_sends_requests_has_no_inline_script_or_style_and_allows_none(anonymous, db):
    page = anonymous.get("/api/try/")
    policy = page["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-inline" not in policy
    assert b"<style" not in page.content
    assert page.content.count(b"<script src=") == page.content.count(b"<script") == 2
