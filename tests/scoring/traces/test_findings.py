"""What looks like a name or a key in traces."""

import time

import pytest

from wardboard.scoring.traces.conversation import TracedCall, TracedMessage
from wardboard.scoring.traces.findings import FindingCollector

RANDOM = "aB3dE5fG7hI9jK1lM3nO5pQ7rS"


def found(*texts, calls=()) -> list[tuple[str, str]]:
    collector = FindingCollector()
    for number, text in enumerate(texts or ("",)):
        collector.add(f"t{number}", [TracedMessage(role="agent", text=text, calls=[*calls])])
    return [(str(finding.kind), finding.text) for finding in collector.findings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the key is sk-proj-abcdefghij1234567890", ("key", "sk-proj-abcdefghij1234567890")),
        ("ghp_" + "a1" * 18, ("key", "ghp_" + "a1" * 18)),
        ("AKIAIOSFODNN7EXAMPLE", ("key", "AKIAIOSFODNN7EXAMPLE")),
        ("Authorization: Bearer abcdefghijklmnop1234", ("key", "Bearer abcdefghijklmnop1234")),
        ("-----BEGIN RSA PRIVATE KEY-----", ("key", "-----BEGIN RSA PRIVATE KEY-----")),
        ("password=hunter22", ("key", "password=hunter22")),
        ("http://ada:hunter2@localhost/", ("key", "://ada:hunter2@")),
        (f"token {RANDOM}", ("key", RANDOM)),
        ("write to ada@ward.test", ("email", "ada@ward.test")),
        ('File "/home/ada/run.py"', ("path", "/home/ada")),
        ("C:\\Users\\Bob\\run.py", ("path", "C:\\Users\\Bob")),
        ("GET http://fhir7.hospital.test:8080/fhir/Patient", ("host", "fhir7.hospital.test")),
        ("connect to db3.internal failed", ("host", "db3.internal")),
        ("at 10.20.3.4:8080", ("host", "10.20.3.4")),
    ],
)
def test_it_is_found(text, expected):
    assert found(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "GET http://localhost:8080/fhir/Observation?patient=S1234567&code=MG&_count=5000",
        "http://terminology.hl7.org/CodeSystem/v3-ActCode http://loinc.org http://127.0.0.1:8080/",
        "Patient/a1b2c3d4-e5f6-4a1b-9c2d-123456789abc",
        "urn:oid:2.16.840.1.113883.6.1 and 1.2.840.10008.5.1.4",
        "Basic metabolic panel, basic sodium-potassium-chloride",
        "Peter Stafford, born 1932-12-29, MRN S6534835",
        "a" * 60,
        "2023-11-13T10:15:00+00:00",
    ],
)
def test_what_the_tasks_and_the_server_are_full_of_is_not(text):
    assert found(text) == []


def test_arguments_and_replies_are_searched_too():
    call = TracedCall(name="x", arguments={"headers": {"api_key": "warden"}}, result=["by ada@ward.test"])
    assert found(calls=[call]) == [("key", "api_key: warden"), ("email", "ada@ward.test")]


def test_each_text_is_counted_with_its_first_tasks():
    collector = FindingCollector()
    for number in range(7):
        collector.add(f"t{number}", [TracedMessage(role="agent", text="ada@ward.test, ada@ward.test")])
    (finding,) = collector.findings
    assert (finding.count, finding.task_ids) == (14, ["t0", "t1", "t2", "t3", "t4"])


def test_a_confirmation_holds_for_these_findings_alone():
    def digest(*texts):
        collector = FindingCollector()
        for text in texts:
            collector.add("t", [TracedMessage(role="agent", text=text)])
        return collector.digest

    assert digest() == ""
    assert digest("ada@ward.test", "bob@ward.test") == digest("bob@ward.test", "ada@ward.test")
    assert digest("ada@ward.test") != digest("bob@ward.test")


@pytest.mark.parametrize(
    "text", ["a.", "@", "://", "eyJ", "/home/", "api_key", "bearer ", "ab-.", "1.", "https://a", ".local"]
)
def test_hostile_texts_take_no_time(text):
    began = time.process_time()
    found(text * (131_072 // len(text)))
    assert time.process_time() - began < 2
