"""A recorded call of a tool becomes a POST of the history exactly where the specification says so."""

import json

from wardboard.scoring.medagentbench.grading.posts import accepted_posts, any_post
from wardboard.scoring.medagentbench.reading.tool_calls.calls import Kind, Sign, decide

BASE = "http://localhost:8080/fhir/"
URL = f"{BASE}Observation"
RESOURCE = {"resourceType": "Observation", "status": "final"}


def test_a_call_that_sends_no_post_to_the_fhir_server_is_none():
    for name, arguments in [
        ("http", {"request": {"method": "GET", "url": URL}}),
        ("fhir_post", {"url": URL, "body": RESOURCE, "dry_run": True}),
        ("create_plan", {"steps": ["POST the order"]}),
        ("list_medication_orders", {"patient": "S1"}),
        ("bash", {"command": "echo POST http://localhost:8080/fhir/Observation"}),
        ("bash", {"command": f"curl -G -d code=MG {URL}"}),
        ("python", {"code": "requests.post('https://example.org/log')"}),
    ]:
        decision = decide(name, arguments, {"status": 200}, BASE)
        assert (decision.kind, decision.history) == (Kind.NOT_A_POST, ()), name


def test_a_post_is_found_by_method_name_or_resource():
    for name, arguments in [
        ("http", {"request": {"method": "post", "url": URL, "body": RESOURCE}}),
        ("httpPost", {"uri": "Observation", "data": json.dumps(RESOURCE)}),
        ("mcp__x__post_resource", {"path": "/fhir/Observation", "resource": RESOURCE}),
        ("create_vital", {"observation": RESOURCE}),
        ("create", RESOURCE),
        ("fhir_observation_create", {"resource": RESOURCE}),
        ("fhir.post", json.dumps({"resource": RESOURCE})),
    ]:
        decision = decide(name, arguments, {"status": 201}, BASE)
        assert (decision.kind, decision.url, decision.payload) == (Kind.POST, URL, RESOURCE), name
        assert [post.payload for post in accepted_posts(decision.history)] == [RESOURCE], name


def test_a_reply_may_tell_of_a_post_by_a_tool_of_any_name():
    for reply in [
        "POST request accepted and executed successfully.",
        {"status": 201, "message": "POST request accepted"},
        {"status_code": 201, "fhir_post": {"fhir_url": URL, "parameters": RESOURCE, "accepted": True}},
    ]:
        decision = decide("write_resource", {"resource": RESOURCE}, reply, BASE)
        assert (decision.kind, decision.url, decision.accepted) == (Kind.POST, URL, True), reply
        assert decide("write_note", {"text": "x"}, reply, BASE).kind is Kind.NOT_A_POST, reply
    assert decide("write_resource", {"resource": RESOURCE}, "done", BASE).kind is Kind.NOT_A_POST


def test_the_benchmarks_own_command_shows_its_address_and_body():
    for field, text in [
        ("command", "python /usr/local/bin/medagentbench_cli.py post URL 'BODY'"),
        ("command", "medagentbench_cli.py post --url URL --payload='BODY' && echo sent"),
        ("command", "medagentbench_cli.py post Observation 'BODY'"),
        ("command", "medagentbench_cli.py get URL; medagentbench_cli.py post \\\n  URL \\\n  'BODY'"),
        ("keystrokes", "medagentbench_cli.py post URL 'BODY'\nmedagentbench_cli.py finish '[]'\n"),
    ]:
        command = text.replace("URL", URL).replace("BODY", json.dumps(RESOURCE))
        decision = decide("bash_command", {field: command}, "POST request accepted", BASE)
        assert (decision.kind, decision.url, decision.payload) == (Kind.POST, URL, RESOURCE), field
        assert decision.accepted, field


def test_a_body_that_a_shell_makes_is_unknown():
    for command in [
        "python medagentbench_cli.py post " + URL + " '$BODY'",
        f'python medagentbench_cli.py post {URL} "$(cat order.json)"',
        f"python medagentbench_cli.py post {URL} <<'END'\n{json.dumps(RESOURCE)}\nEND",
        f"python medagentbench_cli.py post {URL} '{{",
        f"python medagentbench_cli.py post {URL} '{{}}'; python medagentbench_cli.py post {URL} '{{}}'",
    ]:
        decision = decide("Bash", {"command": command}, "POST request accepted", BASE)
        assert (decision.kind, decision.url, decision.signs) == (Kind.UNKNOWN, URL, (Sign.SHELL,)), command
        assert any_post(decision.history), command
        assert accepted_posts(decision.history) == [], command


def test_a_post_is_accepted_only_if_the_reply_proves_it():
    for result, accepted in [
        ("HTTP/1.1 201 Created", True),
        ([{"type": "text", "text": '{"status": 200}'}], True),
        ({"accepted": True}, True),
        ({**RESOURCE, "id": "7"}, True),
        ("400 Bad Request: not POST request accepted", False),
        ({"status": 500, "message": "POST request accepted"}, False),
        ({"isError": True, "content": [{"type": "text", "text": "POST request accepted"}]}, False),
        ("ERROR: HTTP 503 Service Unavailable", False),
        ({"status": 202}, None),
        ("Success", None),
        (RESOURCE, None),
        ({"resourceType": "Patient", "id": "7"}, None),
    ]:
        decision = decide("fhir_post", {"url": URL, "body": RESOURCE}, result, BASE)
        assert decision.accepted is accepted, result
        assert len(accepted_posts(decision.history)) == bool(accepted), result
        assert (Sign.UNCLEAR_REPLY in decision.signs) == (accepted is None), result
