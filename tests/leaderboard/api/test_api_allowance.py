"""What a team may still send, and its request for approval, in the API."""

import pytest

from leaderboard.models import TeamApproval
from leaderboard.services.publishing import approvals
from tests.support.api_client import assert_problem
from tests.support.factories import make_hidden, with_wrong
from tests.support.openapi import assert_matches_schema, ref_of

ALLOWANCE, APPROVAL = (f"/api/v1/benchmarks/hidden/{name}/" for name in ("allowance", "approval"))


@pytest.fixture
def hidden(db):
    return make_hidden(daily_limit=5, newcomer_limit=1, address_limit=3, publication_limit=1)


def by_kind(body) -> dict:
    limits = [limit for limit in body["limits"] if limit["unit"] == "files"]
    return {limit["kind"]: (limit["used"], limit["left"]) for limit in limits}


def test_the_limits_are_those_that_the_next_file_meets(api, anonymous, hidden, good_file, system_facts):
    document = anonymous.get("/api/v1/openapi.json").json()
    before = api.get(ALLOWANCE).json()
    assert (before["left"], before["approval"]) == (1, "not-requested")
    assert by_kind(before) == {"day": (0, 5), "before-approval": (0, 1), "address": (0, 3)}
    assert api.send(good_file, system_facts, benchmark="hidden").status_code == 201
    after = api.get(ALLOWANCE).json()
    assert_matches_schema(
        document, ref_of(document, "/api/v1/benchmarks/{slug}/allowance/", "get", "200"), after
    )
    assert after["left"] == 0
    assert by_kind(after) == {"day": (1, 4), "before-approval": (1, 0), "address": (1, 2)}
    refused = api.send(with_wrong(good_file, 1), system_facts, benchmark="hidden")
    assert "approve" in assert_problem(refused, 403, "approval-needed")["detail"]


def test_a_team_asks_for_approval_and_sees_the_decision(api, anonymous, hidden, user):
    document = anonymous.get("/api/v1/openapi.json").json()
    asked = api.post(APPROVAL, {"message": "A lab in Ghent."})
    assert_matches_schema(
        document, ref_of(document, "/api/v1/benchmarks/{slug}/approval/", "post", "200"), asked.json()
    )
    approval = TeamApproval.objects.get()
    assert (asked.json()["approval"], approval.message) == ("requested", "A lab in Ghent.")
    api.post(APPROVAL, {"message": "A lab in Bruges."})
    approval.refresh_from_db()
    assert approval.message == "A lab in Bruges."
    approvals.refuse(approval=approval, by=user, answer="Write to us first.")
    shown = api.get(ALLOWANCE).json()
    assert (shown["approval"], shown["answer"]) == ("refused", "Write to us first.")
    assert_problem(api.post(APPROVAL, {"message": "again"}), 409, "wrong-state")


def test_the_api_shows_the_room_for_files_and_api_and_form_refuse_what_exceeds_it(
    api, ada, demo, good_file, system_facts, settings, upload
):
    settings.UPLOAD_TEAM_BYTES = 1000
    document = api.get("/api/v1/openapi.json").json()
    address = "/api/v1/benchmarks/{slug}/allowance/"
    shown = api.get(address.format(slug=demo.slug)).json()
    assert_matches_schema(document, ref_of(document, address, "get", "200"), shown)
    assert shown["limits"][0] == {
        "kind": "storage",
        "unit": "bytes",
        "allowed": 1000,
        "used": 0,
        "left": 1000,
        "renews_at": None,
        "renewals": [],
    }
    problem = assert_problem(api.send(good_file, system_facts), 413, "storage-spent")
    assert problem["problems"][0]["pointer"] == "/file"
    assert "gzip" in problem["problems"][0]["hint"]
    form = {**system_facts, "file": upload(good_file)}
    refused = ada.post(f"/benchmarks/{demo.slug}/submit/", form)
    assert refused.status_code == 413
    assert "too little room for this one" in refused.content.decode()


@pytest.mark.parametrize("address", [ALLOWANCE, APPROVAL])
def test_visitors_have_no_allowance_and_cannot_ask_for_approval(anonymous, hidden, address):
    call = anonymous.get if address == ALLOWANCE else anonymous.post
    assert_problem(call(address), 401, "not-authenticated")
