"""GETs of a trace are answered again from a recording; only a certain difference counts as one."""

import gzip
import json
from copy import deepcopy

import pytest

from tests.support.shared_data import MEDAGENTBENCH, needs_shared
from wardboard.scoring.fhir import RecordedFhir, write_recording
from wardboard.scoring.medagentbench.demo import RECORDING
from wardboard.scoring.traces.conversation import TracedCall, TracedMessage
from wardboard.scoring.traces.replay import Replay, ReplayCounts

BASE = "http://localhost:8080/fhir/"
SEARCH = "Observation?patient=S9100002&code=MG&_count=5000"


def responses():
    return {line["url"]: line["body"] for line in map(json.loads, RECORDING.read_text().splitlines())}


@pytest.fixture(scope="module")
def replay():
    return Replay(RecordedFhir(RECORDING))


@pytest.fixture
def body():
    found = responses()[BASE + "Observation?_count=5000&code=MG&patient=S9100002"]
    assert len(found["entry"]) > 1
    return deepcopy(found)


def by_text(request, response, intro="Here is the response from the GET request:\n"):
    text = response if isinstance(response, str) else json.dumps(response)
    return [
        TracedMessage(role="user", text="How much magnesium?"),
        TracedMessage(role="agent", text=f"GET {request}"),
        TracedMessage(role="user", text=f"{intro}{text}. Please call FINISH if you have the answer."),
    ]


def by_call(arguments, result, cut=0):
    call = TracedCall(name="fhir_get", arguments=arguments, result=result, cut=cut)
    return [TracedMessage(role="agent", calls=[call])]


def compared(replay, messages) -> tuple[int, int, int, int]:
    counts = replay.compare([("task4_1", 1, messages)])
    return counts.gets, counts.recorded, counts.same, counts.different


SAME, DIFFERENT, UNCERTAIN, NOT_RECORDED = (1, 1, 1, 0), (1, 1, 0, 1), (1, 1, 0, 0), (1, 0, 0, 0)


def test_every_recorded_response_of_the_demo_is_the_same(replay):
    traces = [(f"task{n}", 1, by_text(url, body)) for n, (url, body) in enumerate(responses().items())]
    counts = replay.compare(traces)
    assert counts == ReplayCounts(gets=len(traces), recorded=len(traces), same=len(traces), different=0)


def test_a_forged_value_is_found_and_its_place_names_the_agents_own_request(replay, body):
    body["entry"][0]["resource"]["valueQuantity"]["value"] = 0.123
    counts = replay.compare([("task4_1", 2, by_text(f"{BASE}{SEARCH}", body))])
    assert (counts.same, counts.different) == (0, 1)
    (place,) = counts.places
    assert (place.task_id, place.run, place.message, place.request) == ("task4_1", 2, 2, SEARCH)


def test_an_added_entry_and_another_total_are_found(replay, body):
    more = body | {"entry": [*body["entry"], {"resource": {"resourceType": "Observation", "id": "forged"}}]}
    twice = body | {"entry": body["entry"] * 2}
    for forged in (more, twice):
        assert compared(replay, by_text(BASE + SEARCH, forged)) == DIFFERENT
    nothing = {"resourceType": "Bundle", "type": "searchset", "total": 0}
    assert compared(replay, by_text(BASE + SEARCH, nothing)) == DIFFERENT


def test_a_harness_may_shorten_a_response_which_then_cannot_be_compared(replay, body):
    fewer = body | {"entry": body["entry"][1:]}
    slim = deepcopy(body)
    for entry in slim["entry"]:
        del entry["resource"]["status"], entry["resource"]["code"]["coding"]
    nameless = deepcopy(body)
    for entry in nameless["entry"]:
        del entry["resource"]["id"]
    for shortened in (fewer, slim, nameless):
        assert compared(replay, by_text(BASE + SEARCH, shortened)) == UNCERTAIN
    strange = {"resourceType": "Bundle", "entry": [{"resource": {"id": ["S9100002-MG-1"]}}]}
    assert compared(replay, by_text(BASE + SEARCH, strange)) == DIFFERENT
    slim["entry"][0]["resource"]["code"]["text"] = "forged"
    assert compared(replay, by_text(BASE + SEARCH, slim)) == DIFFERENT


def test_what_differs_between_servers_and_times_is_no_difference(replay, body):
    body["entry"].reverse()
    body["id"], body["timestamp"] = "another", "2031-01-01T00:00:00Z"
    body["meta"] = {"lastUpdated": "2031-01-01T00:00:00Z"}
    body["link"] = [{"relation": "self", "url": "http://elsewhere/Observation"}]
    for entry in body["entry"]:
        entry["fullUrl"] = "http://elsewhere/" + entry["resource"]["id"]
        entry["resource"]["meta"] = {"versionId": "7", "lastUpdated": "2031-01-01T00:00:00Z", "source": "#x"}
        entry["resource"]["text"] = {"status": "generated", "div": "<div>MG</div>"}
    assert compared(replay, by_text(BASE + SEARCH, body)) == SAME


@pytest.mark.parametrize(
    "request_",
    [
        "http://127.0.0.1:9/r4/Observation?code=MG&_format=json&patient=S9100002&_count=5000",
        "Observation?patient=S9100002&code=MG&_sort=-date",
        "/fhir/Observation?patient=S9100002&code=MG",
    ],
)
def test_base_address_order_and_form_of_a_request_do_not_count(replay, body, request_):
    assert compared(replay, by_text(request_, body)) == SAME


def test_a_page_holds_entries_of_the_recorded_result_and_no_others(replay, body):
    page = body | {
        "entry": body["entry"][:1],
        "link": [{"relation": "next", "url": "http://x/fhir?_getpages"}],
    }
    assert compared(replay, by_text(f"{BASE}Observation?patient=S9100002&code=MG", page)) == SAME
    del page["link"]
    assert compared(replay, by_text(f"{BASE}Observation?patient=S9100002&code=MG&_count=1", page)) == SAME
    assert compared(replay, by_text(f"{BASE}Observation?patient=S9100002&code=MG", page)) == UNCERTAIN
    page = deepcopy(page)
    page["entry"][0]["resource"]["status"] = "forged"
    assert (
        compared(replay, by_text(f"{BASE}Observation?patient=S9100002&code=MG&_count=1", page)) == DIFFERENT
    )


@pytest.mark.parametrize(
    "request_",
    [
        "Observation?patient=S9100002&code=MG&date=ge2023",
        "Condition?patient=S9100002",
        "Observation/S9100002-MG-1",
        "metadata",
        "http://[/Observation?code=MG",
    ],
)
def test_a_request_that_the_recording_does_not_hold_is_never_held_against_an_agent(replay, request_):
    assert compared(replay, by_text(request_, {"resourceType": "Bundle"})) == NOT_RECORDED


@pytest.mark.parametrize(
    "response",
    [
        "",
        "Error in sending the GET request: timed out",
        '{"resourceType":"Bundle","type":"searchset","entry":[{"resource":{"resourceType":"Observation"}',
        '{"values": [1.6]}',
        '{"resourceType":"OperationOutcome","issue":[]}',
        '{"resourceType":"Bundle","entry":{}}',
        '{"a":' * 5000,
    ],
)
def test_a_response_that_is_cut_or_no_result_cannot_be_compared(replay, response):
    assert compared(replay, by_text(BASE + SEARCH, response)) == UNCERTAIN


def test_a_response_that_storing_cut_cannot_be_compared(replay, body):
    assert compared(replay, by_call({"url": BASE + SEARCH}, body | {"entry": []}, cut=9)) == UNCERTAIN
    messages = by_text(BASE + SEARCH, body | {"entry": []})
    messages[-1].cut = 9
    assert compared(replay, messages) == UNCERTAIN
    assert compared(replay, messages[:2]) == UNCERTAIN


@pytest.mark.parametrize(
    "wrap",
    [
        lambda body: body,
        json.dumps,
        lambda body: {"status": 200, "body": body},
        lambda body: {"result": {"response": json.dumps(body)}},
    ],
)
def test_a_response_in_the_wrapper_of_a_tool_is_compared(replay, body, wrap):
    assert compared(replay, by_call({"url": BASE + SEARCH}, wrap(body))) == SAME
    body["total"] += 1
    assert compared(replay, by_call({"method": "GET", "path": SEARCH}, wrap(body))) == DIFFERENT


def test_an_address_that_other_arguments_may_add_to_is_not_looked_up(replay, body):
    arguments = {"url": f"{BASE}Observation", "params": {"patient": "S9100002", "code": "MG"}}
    assert compared(replay, by_call(arguments, body)) == NOT_RECORDED
    reply = {"method": "GET", "url": f"{BASE}Patient", "response": json.dumps(body)}
    assert compared(replay, by_call({"patient": "S9100002"}, reply)) == NOT_RECORDED
    stated = reply | {"url": BASE + SEARCH}
    assert compared(replay, by_call({"patient": "S9100002"}, {"tool": "list", "result": stated})) == SAME


def test_a_post_is_no_get(replay, body):
    messages = by_text(BASE + SEARCH, body)
    messages[1].text = f"POST {BASE}Observation\n{{}}"
    assert compared(replay, messages) == (0, 0, 0, 0)


def test_the_read_of_a_recorded_resource_is_compared(tmp_path):
    read = {"resourceType": "Patient", "id": "S1", "birthDate": "1950-02-01", "meta": {"versionId": "1"}}
    path = tmp_path / "recording.ndjson.gz"
    write_recording(path, [{"url": f"{BASE}Patient/S1", "status": 200, "body": read}])
    replay = Replay(RecordedFhir(path))
    assert (
        compared(replay, by_text(f"{BASE}Patient/S1?_format=json", read | {"meta": {"versionId": "2"}}))
        == SAME
    )
    assert compared(replay, by_text("Patient/S1", read | {"birthDate": "1960-02-01"})) == DIFFERENT
    assert compared(replay, by_text("Patient/S1", {"resourceType": "Patient", "id": "S1"})) == UNCERTAIN
    assert compared(replay, by_text("Patient/S1", {"resourceType": "Patient", "id": "S2"})) == DIFFERENT
    assert compared(replay, by_text("Practitioner/S1", read)) == NOT_RECORDED


def test_a_recorded_failure_is_no_response(tmp_path):
    path = tmp_path / "recording.ndjson"
    write_recording(
        path, [{"url": f"{BASE}Patient?name=x", "status": 500, "body": {"resourceType": "Bundle"}}]
    )
    assert (
        compared(Replay(RecordedFhir(path)), by_text("Patient?name=x", {"resourceType": "Bundle"}))
        == NOT_RECORDED
    )


def test_the_first_places_are_kept_and_all_are_counted(replay, body):
    body["total"] += 1
    counts = replay.compare((f"task4_{n}", 1, by_text(BASE + SEARCH, body)) for n in range(30))
    assert counts.different == 30
    assert [place.task_id for place in counts.places] == [f"task4_{n}" for n in range(20)]


@needs_shared
def test_a_snapshot_of_the_official_server_agrees_with_itself_and_an_open_result_stays_uncertain():
    path = MEDAGENTBENCH / "fhir_snapshot.ndjson.gz"
    with gzip.open(path, "rt") as lines:
        recorded = [json.loads(line) for line in lines]
    replay = Replay(RecordedFhir(path))
    traces = [("task", n, by_text(line["url"], line["body"])) for n, line in enumerate(recorded)]
    counts = replay.compare(traces)
    assert (counts.gets, counts.recorded, counts.same, counts.different) == (531, 531, 531, 0)
    # Its result has a next page, which was not recorded.
    (patients,) = (line["body"] for line in recorded if line["url"].endswith("Patient?_count=500"))
    part = patients | {"entry": patients["entry"][:3]}
    assert compared(replay, by_text("Patient?_count=3", part)) == UNCERTAIN
