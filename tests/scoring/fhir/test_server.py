"""The client of a FHIR server, against a real server on loopback."""

import traceback
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.loopback import Loopback, ScriptedReply, bundle
from wardboard.scoring.fhir import FhirQueryFailed, FhirServer, FhirUnavailable


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def client(server, **options):
    return FhirServer(server.url, **{"retries": 2, "backoff": 0.01, "timeout": 5} | options)


def magnesium(server, **options):
    return client(server, **options).search("Observation", patient="S1", code="MG", _count="5000")


def test_a_search_sends_its_parameters_and_asks_for_json_whose_numbers_keep_their_type():
    with Loopback(bundle({"a": 7, "b": 7.0}), bundle(total=0)) as server:
        [entry] = magnesium(server)["entry"]
        assert "entry" not in magnesium(server)
    parts = urlsplit(server.paths[0])
    assert parts.path == "/fhir/Observation"
    wanted = {"patient": ["S1"], "code": ["MG"], "_count": ["5000"], "_format": ["json"]}
    assert parse_qs(parts.query) == wanted
    assert server.headers[0]["Accept"].startswith("application/fhir+json")
    assert [type(entry["a"]), type(entry["b"])] == [int, float]


def test_pages_are_merged_in_order_from_the_configured_host_and_the_next_link_is_gone():
    elsewhere = bundle(4, next_url="https://elsewhere.invalid:9/fhir?_getpages=x%20y")
    pages = bundle(1, 2, next_url="?_getpages=x&o=2", total=4), bundle(3, next_url="/fhir?p=3")
    with Loopback(*pages, elsewhere, bundle(5)) as server:
        merged = magnesium(server)
    assert merged == {**merged, "entry": [1, 2, 3, 4, 5], "link": [], "total": 4}
    assert server.paths[1:] == ["/fhir/Observation?_getpages=x&o=2", "/fhir?p=3", "/fhir?_getpages=x%20y"]


def test_the_first_page_alone_is_read_where_that_is_wanted_and_its_query_is_named():
    with Loopback(bundle(1, 2, next_url="?_getpages=x"), bundle(3)) as server:
        fhir = client(server, all_pages=False)
        assert fhir.search("Observation", code="K")["entry"] == [1, 2]
        assert fhir.search("Observation", code="MG")["entry"] == [3]
    assert fhir.paged == ["Observation?code=K"]
    assert len(server.paths) == 2


def test_pages_in_a_circle_or_without_end_end_in_an_error(monkeypatch):
    monkeypatch.setattr("wardboard.scoring.fhir.bundles.MAX_PAGES", 5)
    numbers = iter(range(100))
    for answer, why, requests in (
        (bundle(1, next_url="?p=2"), "circle", 3),
        (lambda _: bundle(1, next_url=f"?p={next(numbers)}"), "more than 5 pages", 6),
    ):
        with Loopback(answer) as server, pytest.raises(FhirQueryFailed, match=why):
            magnesium(server)
        assert len(server.paths) == requests


@pytest.mark.parametrize("link", ["http://[", 7])
def test_the_error_of_an_invalid_next_link_names_the_query(link):
    with Loopback(bundle(1, next_url=link)) as server, pytest.raises(FhirQueryFailed) as caught:
        magnesium(server)
    assert "next page" in caught.value.why


def test_the_proxy_of_the_environment_is_used(monkeypatch):
    with Loopback(bundle(1)) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//ann:s3cret@"))
        fhir = FhirServer("http://elsewhere.invalid/fhir/", retries=0)
        assert fhir.search("Patient", identifier="S1")["entry"] == [1]
    assert proxy.paths[0].startswith("http://elsewhere.invalid/fhir/Patient")
    assert proxy.headers[0]["proxy-authorization"].startswith("Basic ")


@pytest.mark.parametrize("cut", [-1, 0, 10])
def test_a_broken_connection_is_retried_even_inside_the_body(cut):
    broken = ScriptedReply(body=b'{"resourceType": "Bundle"}', cut=cut)
    with Loopback(broken, bundle(1)) as server:
        assert magnesium(server)["entry"] == [1]
    with Loopback(broken) as server, pytest.raises(FhirUnavailable, match="3 time"):
        magnesium(server)
    assert len(server.paths) == 3


def test_a_lasting_error_means_unavailable_and_names_the_query():
    with (
        Loopback(ScriptedReply(status=503, body=b"secret trace")) as server,
        pytest.raises(FhirUnavailable) as caught,
    ):
        magnesium(server)
    assert len(server.paths) == 3
    assert caught.value.query == "Observation?_count=5000&code=MG&patient=S1"
    assert "3 time(s) (too many 503 error responses)" in caught.value.why
    assert str(caught.value) == f"FHIR query {caught.value.query}: {caught.value.why}"
    assert "secret" not in str(caught.value)


def test_a_slow_answer_and_an_invalid_retry_after_mean_unavailable():
    busy = ScriptedReply(status=503, headers={"Retry-After": "soon"})
    for reply, why, requests in (
        (ScriptedReply(delay=30), r"no answer, 3 time.*timed out", 3),
        (busy, "Retry-After is malformed", 1),
    ):
        with Loopback(reply) as server, pytest.raises(FhirUnavailable, match=why):
            magnesium(server, timeout=1)
        assert len(server.paths) == requests


def test_a_refusal_a_redirect_and_a_wrongly_packed_body_are_final():
    for reply, why in (
        *((ScriptedReply(status=status), f"HTTP {status}") for status in (400, 401, 404, 422)),
        (ScriptedReply(status=413, headers={"Retry-After": "1"}), "HTTP 413"),
        (ScriptedReply(status=302, headers={"Location": "http://elsewhere.invalid/"}), "redirects"),
        (ScriptedReply(body=b"plain", headers={"Content-Encoding": "gzip"}), "malformed"),
    ):
        with Loopback(reply) as server, pytest.raises(FhirQueryFailed, match=why):
            magnesium(server)
        assert len(server.paths) == 1, why


def test_the_error_of_an_answer_that_is_not_a_bundle_says_what_it_is():
    for body, why in [
        (b"<!doctype html><title>Log in</title>", "an HTML or XML page"),
        (b'{"resourceType": "Bundle", "entry": [', "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"\xff{}", "no JSON"),
        (b"  ", "empty"),
        (b"[1]", "JSON, no Bundle"),
        (b'{"resourceType": "OperationOutcome"}', "OperationOutcome, no Bundle"),
        (b'{"resourceType": "Bundle", "entry": {}}', "`entry` of the Bundle is not a list"),
        (b'{"resourceType": "Bundle", "link": null}', "`link` of the Bundle is not a list"),
    ]:
        with Loopback(ScriptedReply(body=body)) as server, pytest.raises(FhirQueryFailed) as caught:
            magnesium(server)
        assert why in caught.value.why, body
        assert len(server.paths) == 1, body


def test_a_password_in_the_address_is_sent_and_never_shown():
    with Loopback(ScriptedReply(status=503)) as server:
        fhir = FhirServer(server.url.replace("//", "//ann:s3cret@"), retries=0)
        with pytest.raises(FhirUnavailable) as caught:
            fhir.search("Patient", identifier="S1")
    assert server.headers[0]["authorization"].startswith("Basic ")
    assert fhir.base_url == server.url
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))


def test_an_invalid_base_address_is_refused_at_once():
    for url in ["localhost:8080/fhir", "ftp://host/fhir", "http:///fhir", "http://h/fhir?x=1", ""]:
        with pytest.raises(ValueError, match="must look like"):
            FhirServer(url)
