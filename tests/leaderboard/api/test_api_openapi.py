"""The OpenAPI document: complete, true to the responses, and shown without other hosts."""

import re
from uuid import uuid4

import pytest
from django.urls import get_resolver
from jsonschema import ValidationError

from leaderboard.http import problems
from leaderboard.services.boards.columns import SORTINGS
from tests.support.api_client import as_file, assert_problem
from tests.support.factories import make_facts
from tests.support.openapi import assert_matches_schema, ref_of
from tests.support.rows import put_row

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
    assert len(served) == 31
    (sort,) = (
        parameter
        for parameter in document["paths"]["/api/v1/benchmarks/{slug}/leaderboard/"]["get"]["parameters"]
        if parameter["name"] == "sort"
    )
    assert set(SORTINGS) <= set(re.findall(r"[\w-]+", sort["description"]))


def test_responses_have_the_documented_shape(document, api, demo, good_file, malformed_file):
    type(demo).objects.update(feedback="answers")
    put_row(demo, "Printed", 0.5)
    submission = api.send(good_file, make_facts(), publish="true").json()
    rejected = api.send(malformed_file, make_facts())
    form = {"benchmark": demo.slug, "file": as_file(good_file)}
    one, board = "/api/v1/submissions/{submission_id}/", "/api/v1/benchmarks/{slug}/"
    table = f"{board}leaderboard/"
    answers = [
        ("/api/v1/submissions/", "post", "201", submission),
        ("/api/v1/submissions/", "post", "422", rejected.json()),
        ("/api/v1/validations/", "post", "200", api.post("/api/v1/validations/", form).json()),
    ]
    for path, status, rest in (
        ("/api/v1/submissions/", "200", ""),
        (one, "200", ""),
        (f"{one}tasks/", "200", ""),
        (f"{one}comparison/", "200", ""),
        ("/api/v1/benchmarks/", "200", ""),
        (board, "200", ""),
        (table, "200", ""),
        (table, "200", "?as_of=1"),
        (table, "400", "?as_of=never"),
        (f"{board}allowance/", "200", ""),
        ("/api/v1/me/", "200", ""),
        ("/api/v1/keys/", "200", ""),
    ):
        address = path.format(submission_id=submission["id"], slug=demo.slug)
        answer = api.get(f"{address}{rest}")
        assert answer.status_code == int(status), answer.content
        answers.append((path, "get", status, answer.json()))
    for path, method, status, body in answers:
        assert_matches_schema(document, ref_of(document, path, method, status), body)
    with pytest.raises(ValidationError, match="lost"):
        assert_matches_schema(document, "#/components/schemas/Submission", submission | {"status": "lost"})
    with pytest.raises(ValidationError, match="unexpected"):
        assert_matches_schema(document, "#/components/schemas/Submission", submission | {"more": 1})


def test_every_refusal_of_every_operation_is_a_problem_document_and_no_parameter_is_a_field_too(document):
    schemas = document["components"]["schemas"]
    for path, methods in document["paths"].items():
        for operation in methods.values():
            refusals = {status: r for status, r in operation["responses"].items() if status[0] in "45"}
            assert refusals, path
            for refusal in refusals.values():
                ((media_type, content),) = refusal["content"].items()
                shape = {"$ref": "#/components/schemas/ProblemDocument"}
                assert (media_type, content["schema"]) == (problems.MEDIA_TYPE, shape)
            names = {each["name"] for each in operation.get("parameters", ())}
            for content in operation.get("requestBody", {}).get("content", {}).values():
                shape = content["schema"].get("$ref", "").rpartition("/")[2]
                assert not names & schemas.get(shape, {}).get("properties", {}).keys(), path


def test_a_body_is_required_where_a_request_without_one_is_refused(document, api, scored):
    required = {
        operation["operationId"]
        for methods in document["paths"].values()
        for operation in methods.values()
        if operation.get("requestBody", {}).get("required")
    }
    assert {"submit", "submitBody", "validate", "validateBody", "exchangeIdToken"} <= required
    assert not {"withdrawSubmission", "publishSubmission"} & required
    assert_problem(api.post("/api/v1/validations/"), 422, "request-invalid")
    assert api.post(f"{scored['url']}publish/").status_code == 200


def test_every_address_refuses_a_parameter_that_it_does_not_describe_and_strangers_where_it_says_so(
    document, api, anonymous, demo
):
    values = {"slug": demo.slug, "submission_id": str(uuid4()), "family": demo.benchmark, "name": "none"}
    for path, methods in document["paths"].items():
        if "get" not in methods:
            continue
        operation = methods["get"]
        refused = assert_problem(api.get(f"{path.format(**values)}?pge=1&éé=2"), 400, "parameter-invalid")
        assert {problem["pointer"] for problem in refused["problems"]} == {"/pge", "/éé"}, path
        assert "400" in operation["responses"], path
        is_public = not operation.get("security") or {} in operation["security"]
        assert (anonymous.get(path.format(**values)).status_code == 401) is not is_public, path


def test_the_reference_page_has_no_inline_script_or_style_and_allows_none(anonymous, db):
    page = anonymous.get("/api/")
    policy = page["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-inline" not in policy
    assert b"<style" not in page.content
    assert (
        page.content.count(b"<script")
        == len(re.findall(rb"<script (?:type=\"module\" )?src=", page.content))
        > 0
    )
    assert "<code>POST /api/v1/validations/</code>" in page.text
