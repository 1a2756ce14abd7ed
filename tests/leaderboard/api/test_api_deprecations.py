"""What is deprecated says so in headers and in the OpenAPI document; nothing else does."""

from datetime import date

import pytest

from leaderboard.api.schema.document import openapi_document
from leaderboard.http import deprecations
from leaderboard.http.deprecations import Deprecation

STATUS = "/api/v1/status/"
HEADERS = {"Deprecation", "Sunset", "Link"}


@pytest.fixture
def deprecated(monkeypatch, request) -> Deprecation:
    """Deprecate `getStatus`, with a sunset."""
    deprecation = Deprecation(
        since=date(2026, 11, 27), sunset=date(2027, 5, 31), instead="Ask /api/v1/health/ instead."
    )
    monkeypatch.setattr(deprecations, "DEPRECATED", {"getStatus": deprecation})
    return deprecation


@pytest.mark.django_db
def test_a_response_has_the_headers_of_both_rfcs(client, deprecated):
    response = client.get(STATUS)
    assert response.status_code == 200
    assert {name: response[name] for name in HEADERS} == {
        "Deprecation": "@1795737600",
        "Sunset": "Mon, 31 May 2027 00:00:00 GMT",
        "Link": '</docs/ci/#changes-of-the-api>; rel="deprecation"; type="text/html"',
    }
    exposed = response["Access-Control-Expose-Headers"].split(", ")
    assert set(exposed) >= HEADERS


@pytest.mark.django_db
def test_a_refusal_has_them_too(client, deprecated):
    response = client.get(f"{STATUS}?none-such=1")
    assert response.status_code == 400
    assert response["Deprecation"] == "@1795737600"


@pytest.mark.django_db
def test_the_answer_to_head_has_them_too(client, deprecated):
    assert client.head(STATUS)["Deprecation"] == "@1795737600"


@pytest.mark.django_db
def test_other_operations_have_none(client, deprecated):
    response = client.get("/api/v1/health/")
    assert response.status_code == 200
    assert "Deprecation" not in response
    assert "Sunset" not in response


@pytest.mark.django_db
def test_without_a_sunset_there_is_no_such_header(client, monkeypatch):
    deprecation = Deprecation(since=date(2026, 11, 27), instead="Ask another.")
    monkeypatch.setattr(deprecations, "DEPRECATED", {"getStatus": deprecation})
    response = client.get(STATUS)
    assert response["Deprecation"] == "@1795737600"
    assert "Sunset" not in response


def test_the_document_marks_it_and_nothing_else(deprecated):
    marked = {
        operation["operationId"]: operation["description"]
        for path in openapi_document()["paths"].values()
        for operation in path.values()
        if operation.get("deprecated")
    }
    assert list(marked) == ["getStatus"]
    assert marked["getStatus"].endswith(
        "\n\nDeprecated since 2026-11-27. It may be gone from 2027-05-31 on. Ask /api/v1/health/ instead."
    )


def test_a_sunset_leaves_clients_time():
    with pytest.raises(ValueError, match="2026-12-31 is less than 180 days after 2026-11-27"):
        Deprecation(since=date(2026, 11, 27), sunset=date(2026, 12, 31), instead="")


def test_a_deprecated_member_of_a_schema_is_marked_and_its_operations_are_not(monkeypatch):
    deprecation = Deprecation(since=date(2026, 11, 27), instead="Read `id` instead.")
    monkeypatch.setattr(deprecations, "DEPRECATED", {"Problem.code": deprecation})
    document = openapi_document()
    schemas = document["components"]["schemas"]
    marked = {
        f"{name}.{member}": description["description"]
        for name, schema in schemas.items()
        for member, description in schema.get("properties", {}).items()
        if description.get("deprecated")
    }
    assert list(marked) == ["Problem.code"]
    assert marked["Problem.code"].endswith("\n\nDeprecated since 2026-11-27. Read `id` instead.")
    assert not any(
        operation.get("deprecated") for path in document["paths"].values() for operation in path.values()
    )


def test_every_entry_of_the_table_is_in_the_document():
    document = openapi_document()
    operations = {
        operation["operationId"] for path in document["paths"].values() for operation in path.values()
    }
    members = {
        f"{name}.{member}"
        for name, schema in document["components"]["schemas"].items()
        for member in schema.get("properties", {})
    }
    assert set(deprecations.DEPRECATED) <= operations | members
