"""Recordings: reading them, and writing them from a server."""

import gzip
import json

import pytest

from tests.support.loopback import Loopback, ScriptedReply, bundle
from wardboard.scoring.fhir import FhirError, FhirQueryFailed, RecordedFhir, RecordingInvalid, record

BASE = "http://localhost:8080/fhir/"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def make_bundle(*entries, **more):
    return {"resourceType": "Bundle", **({"entry": list(entries)} if entries else {}), **more}


def line(url, body, status=200):
    return json.dumps({"url": url, "status": status, "body": body}).encode()


@pytest.fixture
def recording(tmp_path):
    def write(*lines, name="fhir.ndjson"):
        path = tmp_path / name
        data = b"\n".join(lines) + b"\n"
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


@pytest.mark.parametrize("name", ["fhir.ndjson", "fhir.ndjson.gz"])
def test_a_query_is_found_whatever_its_base_its_order_and_its_format(recording, name):
    url = "https://other.example/r4/Observation/?code=MG&_format=json&patient=S%31&_count=5000"
    fhir = RecordedFhir(recording(line(url, make_bundle(1)), name=name))
    assert fhir.search("Observation", _count="5000", patient="S1", code="MG")["entry"] == [1]


def test_every_malformed_line_is_named(recording):
    good = line(f"{BASE}Patient?identifier=S1", make_bundle())
    path = recording(
        good,
        b"{",
        b"",
        b"[" * 100_000,
        b'{"url": "x"}',
        line(7, make_bundle()),
        line("http://[/Patient", make_bundle()),
        line(f"{BASE}Patient?identifier=S2", make_bundle(), status=True),
        line(f"{BASE}Patient?_format=json&identifier=S1", make_bundle(1)),
        good,
    )
    with pytest.raises(RecordingInvalid) as caught:
        RecordedFhir(path)
    none = "the line is not JSON with a url, a status and a body"
    assert [*caught.value.faults] == [
        *((number, none) for number in range(2, 9) if number != 3),
        (9, "the line answers the query of an earlier one in another way"),
    ]
    assert str(caught.value).startswith(f"fhir.ndjson is not a FHIR recording: line 2: {none}; ")
    assert isinstance(caught.value, FhirError)


def test_an_empty_or_a_cut_recording_is_refused(recording, tmp_path):
    for data in (b"", b"\n\n"):
        (tmp_path / "r").write_bytes(data)
        with pytest.raises(RecordingInvalid, match="is empty"):
            RecordedFhir(tmp_path / "r")
    path = recording(*(line(f"{BASE}Patient?identifier=S{n}", make_bundle()) for n in range(50)), name="r.gz")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(RecordingInvalid, match="the gzip data is damaged or cut off"):
        RecordedFhir(path)


QUERIES = [
    ("Patient", {"identifier": "S1"}),
    ("Observation", {"patient": "S1", "code": "K", "_count": "5000"}),
]


@pytest.mark.parametrize("name", ["out.ndjson", "out.ndjson.gz"])
def test_a_recording_answers_as_the_server_did_with_its_pages_merged(tmp_path, name):
    def answer(path):
        if path.startswith("/fhir/Patient"):
            return bundle({"name": "Zoë"})
        return bundle(1, next_url="?p=2") if "code=K" in path else bundle(2.0)

    ticks, out = [], tmp_path / name
    with Loopback(answer) as server:
        record(server.url, [*QUERIES, QUERIES[0]], out, lambda: ticks.append(1))
        first = out.read_bytes()
        record(server.url, QUERIES, out)
    fhir = RecordedFhir(out)
    assert fhir.search("Patient", identifier="S1")["entry"] == [{"name": "Zoë"}]
    assert fhir.search("Observation", _count="5000", code="K", patient="S1")["entry"] == [1, 2.0]
    assert len(ticks) == 3
    assert len(server.paths) == 2 * 3
    assert out.read_bytes() == first
    assert (first[:2] == b"\x1f\x8b") == name.endswith(".gz")


def test_a_recording_holds_each_page_and_is_read_as_far_as_wanted(tmp_path):
    pages = bundle(1, next_url="?p=2"), bundle(2, next_url="/fhir/Observation?p=3"), bundle(3)
    out = tmp_path / "out.ndjson"
    with Loopback(*pages) as server:
        record(server.url, [QUERIES[1]], out)
    assert len(out.read_text().splitlines()) == 3
    whole, first = RecordedFhir(out), RecordedFhir(out, all_pages=False)
    kind, parameters = QUERIES[1]
    assert whole.search(kind, **parameters)["entry"] == [1, 2, 3]
    assert first.search(kind, **parameters)["entry"] == [1]
    assert whole.paged == []
    assert first.paged == ["Observation?_count=5000&code=K&patient=S1"]


def test_a_recording_that_fails_half_way_leaves_the_old_file_alone(tmp_path):
    out = tmp_path / "out.ndjson"
    out.write_text("old")
    with (
        Loopback(bundle(1), ScriptedReply(status=404)) as server,
        pytest.raises(FhirQueryFailed, match="code=K"),
    ):
        record(server.url, QUERIES, out)
    assert out.read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_password_in_the_address_is_not_recorded(tmp_path):
    with Loopback(bundle()) as server:
        record(server.url.replace("//", "//ann:s3cret@"), QUERIES[:1], tmp_path / "r")
    assert json.loads((tmp_path / "r").read_text())["url"] == f"{server.url}Patient?identifier=S1"
