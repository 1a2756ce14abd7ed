"""The OpenAPI document: complete, true to the responses, and shown without other hosts."""

import re
from uuid import uuid4

import pytest
from django.urls import get_resolver

from leaderboard.api.schema import examples
from leaderboard.http import problems
from leaderboard.http.json_encoding import to_plain
from leaderboard.services.boards.columns import SORTINGS
from tests.support.api_client import as_file, assert_problem
from tests.support.factories import make_facts
from tests.support.openapi import assert_matches_schema, ref_of

REFUSED = "#/components/schemas/ProblemDocument"


_NOT_DESCRIBED = {"docs", "openapi", "problems", "problem", "nothing"}


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


def test_the_document_shows_examples_of_success_and_refusal(document):
    responses = document["paths"]["/api/v1/submissions/"]["post"]["responses"]
    assert responses["201"]["content"]["application/json"]["examples"]
    assert len(responses["422"]["content"][problems.MEDIA_TYPE]["examples"]) == 2


def test_every_status_that_a_problem_may_have_is_documented_somewhere(document):
    documented = {
        int(status)
        for path in document["paths"].values()
        for operation in path.values()
        for status in operation["responses"]
    }
    # Any address may answer 405.
    assert {known.status for known in problems.PROBLEM_TYPES.values()} - documented == {405}


def test_every_address_refuses_a_parameter_that_it_does_not_describe_as_the_document_says(
    document, api, anonymous, demo
):
    values = {
        "slug": demo.slug,
        "submission_id": str(uuid4()),
        "webhook_id": str(uuid4()),
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


def test_submitting_needs_a_token_and_checking_does_not(document):
    assert {"apiToken": []} in document["paths"]["/api/v1/submissions/"]["post"]["security"]
    assert {} in document["paths"]["/api/v1/validations/"]["post"]["security"]


def test_the_page_has_no_inline_script_or_style_and_allows_none(anonymous, db):
    page = anonymous.get("/api/")
    policy = page["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-inline" not in policy
    assert b"<style" not in page.content
    assert page.content.count(b"<script src=") == page.content.count(b"<script") == 2
