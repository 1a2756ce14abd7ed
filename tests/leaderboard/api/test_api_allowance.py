"""What a team may still send, and whether it is approved, in the API."""

from tests.support.api_client import assert_problem
from tests.support.factories import make_hidden, with_wrong
from tests.support.openapi import assert_matches_schema

ALLOWANCE = "/api/v1/benchmarks/hidden/allowance/"


def by_kind(body) -> dict:
    limits = [limit for limit in body["limits"] if limit["unit"] == "files"]
    return {limit["kind"]: (limit["used"], limit["left"]) for limit in limits}


def test_the_limits_are_those_that_the_next_file_meets(api, document, good_file, system_facts):
    make_hidden(daily_limit=5, newcomer_limit=1, address_limit=3, publication_limit=1)
    before = api.get(ALLOWANCE).json()
    assert (before["left"], before["approval"]) == (1, "not-requested")
    assert by_kind(before) == {"day": (0, 5), "before-approval": (0, 1), "address": (0, 2)}
    assert api.send(good_file, system_facts, benchmark="hidden").status_code == 201
    after = api.get(ALLOWANCE).json()
    assert_matches_schema(document, "#/components/schemas/Allowance", after)
    assert after["left"] == 0
    assert by_kind(after) == {"day": (1, 4), "before-approval": (1, 0), "address": (1, 1)}
    refused = api.send(with_wrong(good_file, 1), system_facts, benchmark="hidden")
    assert "approve" in assert_problem(refused, 403, "approval-needed")["detail"]


def test_the_room_for_files_is_shown_and_a_file_that_exceeds_it_refused(
    api, ada, demo, good_file, system_facts, settings, upload
):
    settings.UPLOAD_TEAM_BYTES = 1000
    shown = api.get(f"/api/v1/benchmarks/{demo.slug}/allowance/").json()["limits"][0]
    assert (shown["kind"], shown["unit"], shown["allowed"], shown["left"]) == ("storage", "bytes", 1000, 1000)
    problem = assert_problem(api.send(good_file, system_facts), 413, "storage-spent")
    assert problem["problems"][0]["pointer"] == "/file"
    assert "gzip" in problem["problems"][0]["hint"]
    refused = ada.post(f"/benchmarks/{demo.slug}/submit/", {**system_facts, "file": upload(good_file)})
    assert (refused.status_code, "too little room for this one" in refused.content.decode()) == (413, True)
