"""Keys, tokens and passwords are taken out of traces."""

from wardboard.scoring.traces.redaction import redacted

RANDOM = "aB3dE5fG7hI9jK1lM3nO5pQ7rS"
PEM = "-----BEGIN RSA PRIVATE KEY-----"


def test_a_key_is_redacted():
    for text, expected in [
        ("the key is sk-proj-abcdefghij1234567890", "the key is [redacted]"),
        ("ghp_" + "a1" * 18, "[redacted]"),
        ("AKIAIOSFODNN7EXAMPLE.", "[redacted]."),
        ("Authorization: Bearer abcdefghijklmnop1234", "Authorization: [redacted]"),
        (f"{PEM}\nMIIB\n-----END RSA PRIVATE KEY----- is it", "[redacted] is it"),
        (f"cut off {PEM}\nMIIB", "cut off [redacted]"),
        ("?password=hunter22&name=A", "?[redacted]&name=A"),
        ("http://ada:hunter2@localhost/", "http://[redacted]@localhost/"),
        (f"token {RANDOM}, {RANDOM}", "token [redacted], [redacted]"),
    ]:
        assert redacted(text) == expected, text


def test_what_the_tasks_and_the_server_are_full_of_stays():
    for text in [
        "GET http://localhost:8080/fhir/Observation?patient=S1234567&code=MG&_count=5000",
        "http://terminology.hl7.org/CodeSystem/v3-ActCode http://loinc.org http://127.0.0.1:8080/",
        "Patient/a1b2c3d4-e5f6-4a1b-9c2d-123456789abc",
        "urn:oid:2.16.840.1.113883.6.1 and 1.2.840.10008.5.1.4",
        "Basic metabolic panel, basic sodium-potassium-chloride",
        "Peter Stafford, born 1932-12-29, MRN S6534835",
        "a" * 60,
        "2023-11-13T10:15:00+00:00",
    ]:
        assert redacted(text) == text, text


def test_arguments_and_replies_are_redacted_within_json():
    value = {"headers": {"API-Key": "warden", "n": 1}, "log": [f"used {RANDOM}", None, 2.5, True]}
    expected = {"headers": {"API-Key": "[redacted]", "n": 1}, "log": ["used [redacted]", None, 2.5, True]}
    assert redacted(value) == expected
