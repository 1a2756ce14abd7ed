"""A deprecated operation says so in its headers and in the OpenAPI document; none other does."""

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


def test_every_entry_of_the_table_is_an_operation_of_the_api():
    ids = {
        operation["operationId"]
        for path in openapi_document()["paths"].values()
        for operation in path.values()
    }
    assert set(deprecations.DEPRECATED) <= ids
