"""The parts of the API that need no account: boards, schemas, validation, problem types, liveness."""

import json

from jsonschema import Draft202012Validator
from rest_framework.throttling import ScopedRateThrottle

from leaderboard.models import Board, Submission
from tests.support.api_client import as_file, assert_problem

VALIDATIONS = "/api/v1/validations/"
SCHEMA = "/api/v1/schemas/medagentbench/result-file-1.0.json"


def test_a_good_file_is_found_valid_and_nothing_is_stored(anonymous, demo, noisy_file):
    response = anonymous.send(noisy_file, {}, path=VALIDATIONS)
    validation = response.json()
    assert (response.status_code, validation["valid"], validation["tasks"]) == (200, True, 50)
    assert validation["results"] < 50
    assert validation["warnings_total"] == len(validation["warnings"]) > 0
    assert not Submission.objects.exists()
    assert anonymous.send_body(noisy_file, {}, path=VALIDATIONS).json() == validation


def test_a_check_counts_the_answers_and_names_the_first_that_the_rules_may_not_read(
    anonymous, fhir_demo, good_answers
):
    records, unread = json.loads(good_answers), "The potassium was 4.1. The sodium was 139."
    records[0]["agent_answer"] = unread
    checked = anonymous.send(json.dumps(records).encode(), {}, path=VALIDATIONS, benchmark=fhir_demo.slug)
    forms = checked.json()["answer_forms"]
    assert forms["answers"] > forms["readable"] > 0
    assert forms["unread"][0] == {"task": records[0]["question_id"], "answer": unread}
    assert (forms["write"], forms["is_part"]) == ("Final answer: …", False)


def test_a_check_counts_problems_to_a_thousand_and_says_that_there_are_more(anonymous, demo):
    # Each item has two.
    results = [{"task_id": "task1_1", "answer": "[]", "post_history": [{}] * 5000}]
    raw = json.dumps({"version": "demo", "results": results}).encode()
    problem = assert_problem(anonymous.send_body(raw, {}, path=VALIDATIONS), 422, "file-rejected")
    assert problem["problems_total"] == 1001
    assert problem["detail"] == "More than 1,000 problems in the file."
    assert problem["problems"][0]["code"] == "file.too-many-problems"


def test_a_check_has_more_time_with_an_account_and_not_all_the_time_there_is(
    anonymous, api, demo, settings, good_file
):
    settings.CHECK_SECONDS_ANONYMOUS = 0
    late = assert_problem(anonymous.send_body(good_file, {}, path=VALIDATIONS), 422, "file-rejected")
    assert [problem["code"] for problem in late["problems"]] == ["records.too-slow"]
    assert api.send_body(good_file, {}, path=VALIDATIONS).status_code == 200
    settings.CHECK_SECONDS = 0
    assert api.send_body(good_file, {}, path=VALIDATIONS).status_code == 422


def test_checking_and_sending_too_often_is_429_and_says_when_to_come_back(
    anonymous, api, demo, scored, monkeypatch
):
    rates = {"validations": "2/min", "submissions": "1/min"}
    monkeypatch.setattr(ScopedRateThrottle, "THROTTLE_RATES", rates)
    for status in (422, 422, 429):
        # A header that any client can set does not make it another client.
        response = anonymous.post(
            VALIDATIONS, {"file": as_file(b"{}")}, **{"X-Forwarded-For": f"10.0.0.{status}"}
        )
        assert response.status_code == status
    assert_problem(response, 429, "too-many-requests")
    assert 1 <= int(response["Retry-After"]) <= 60
    assert api.post(VALIDATIONS, {"file": as_file(b"{}")}).status_code == 422
    assert_problem(api.post("/api/v1/submissions/", {}), 429, "too-many-requests")
    # To ask stays free.
    assert api.get(scored["url"]).status_code == 200


def test_benchmarks_are_listed_with_what_a_client_needs(anonymous, demo):
    Board.objects.create(slug="words", benchmark="fhir-agentbench", version="1", title="Words", question="?")
    boards = {board["slug"]: board for board in anonymous.get("/api/v1/benchmarks/").json()["results"]}
    board, words = boards[demo.slug], boards["words"]
    assert (board["open"], board["tasks"]) == (True, 50)
    revision = demo.active_revision
    digests = {"commitment": revision.commitment, "digest": revision.digest}
    assert board["references"] == {"revision": 1, **digests}
    assert board["schemas"] == ["result-file-1.0", "run-line-1.0"]
    assert anonymous.get(board["url"]).json() == board
    for address in (board["leaderboard_url"], board["schema_url"]):
        assert anonymous.get(address).status_code == 200
    # It has no reference answers.
    assert (words["open"], words["tasks"], words["references"]) == (False, None, None)
    assert (words["judge"], words["mixes_judges"]) == ("rules 7", False)
    units = {metric["key"]: (metric["unit"], metric["higher_is_better"]) for metric in words["metrics"]}
    assert units["answer_correctness"] == ("share", True)
    assert (units["tokens_per_question"], units["cost_per_question"]) == (("count", False), ("usd", False))
    assert_problem(anonymous.send(b"{}", {}, path=VALIDATIONS, benchmark="words"), 409, "board-closed")


def test_a_schema_is_released_for_ever_and_a_board_names_its_own(anonymous, demo):
    response = anonymous.get(SCHEMA)
    assert response["Content-Type"] == "application/schema+json"
    assert "immutable" in response["Cache-Control"]
    Draft202012Validator.check_schema(response.json())
    again = anonymous.get(SCHEMA, **{"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    board = anonymous.get(f"/api/v1/benchmarks/{demo.slug}/").json()
    assert board["schema_url"] == SCHEMA
    lines = anonymous.get(SCHEMA.replace("result-file-1.0", board["schemas"][1]))
    assert (lines.status_code, lines.json() == response.json()) == (200, False)
    for unknown in ("none/result-file-1.0", "medagentbench/none"):
        assert_problem(anonymous.get(f"/api/v1/schemas/{unknown}.json"), 404, "not-found")


def test_every_problem_type_has_a_page_that_says_what_to_do(anonymous, db):
    listed = anonymous.get("/api/problems/").json()["results"]
    assert len(listed) > 15
    for kind in listed:
        assert anonymous.get(kind["type"]).json() == kind
        assert kind["hint"]
    assert_problem(anonymous.get("/api/problems/none/"), 404, "not-found")


def test_a_server_error_shows_only_an_id_that_is_in_the_log(anonymous, demo, monkeypatch, caplog):
    def broken(*_, **__):
        raise RuntimeError("a secret reference")

    monkeypatch.setattr("leaderboard.api.boards.read_board", broken)
    response = anonymous.get(f"/api/v1/benchmarks/{demo.slug}/leaderboard/")
    problem = assert_problem(response, 500, "server-error")
    assert b"secret" not in response.content
    assert b"RuntimeError" not in response.content
    (record,) = [r for r in caplog.records if problem["error_id"] in r.getMessage()]
    assert "a secret reference" in str(record.exc_info[1])


def test_liveness_does_not_ask_the_database(anonymous, db, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = anonymous.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
