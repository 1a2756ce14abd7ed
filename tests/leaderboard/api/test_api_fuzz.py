"""No request to any path of the OpenAPI document gets a server error, whatever it contains."""

import json
import string

import pytest
from django.core.cache import cache
from hypothesis import settings
from hypothesis import strategies as st

from leaderboard.api.serializers.forms import MULTIPART, RAW_TYPES, STATED
from leaderboard.http.problems import MEDIA_TYPE
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import as_file
from tests.support.examples import examples, given

pytestmark = pytest.mark.both_databases

# Few examples, so that the whole folder takes seconds.
bounded = settings(max_examples=examples(120))

text = st.text(max_size=60) | st.sampled_from(
    ["", "\x00", "\ud800", "é", "../..", "%00", "medagentbench-demo", "1e999"]
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
results = st.fixed_dictionaries(
    {"version": st.just("demo") | json_values, "results": json_values | st.lists(json_values, max_size=3)},
    optional={"total_tasks": json_values},
)
bodies = (
    st.binary(max_size=300)
    | json_values.map(lambda value: json.dumps(value).encode())
    | results.map(lambda value: json.dumps(value).encode())
    | st.binary(max_size=40).map(lambda tail: b"\x1f\x8b\x08" + tail)
)


def assert_no_fault(response) -> None:
    assert response.status_code < 500, response.content
    if response.status_code >= 400:
        assert response["Content-Type"] == MEDIA_TYPE
        assert response.json()["status"] == response.status_code


def without_surrogates(value: str) -> str:
    # A surrogate cannot be written to a wire; percent-encoding replaces it, as clients do.
    return value.encode("utf-8", "replace").decode()


@bounded
@given(
    raw=bodies, kind=st.sampled_from([*RAW_TYPES, MULTIPART, f"{MULTIPART}; boundary=b", "text/html", "x"])
)
def test_no_body_of_a_submission_gives_a_server_error(api, demo, raw, kind):
    cache.clear()
    assert_no_fault(api.post(f"{SUBMISSIONS}raw/?benchmark={demo.slug}&system=Fuzz", raw, kind))


@bounded
@given(
    raw=bodies,
    fields=st.dictionaries(
        st.sampled_from([*STATED, "benchmark", "publish"])
        | st.text(string.ascii_letters, min_size=1, max_size=8),
        text.map(without_surrogates),
        max_size=8,
    ),
)
def test_no_form_gives_a_server_error(api, demo, raw, fields):
    cache.clear()
    form = {"benchmark": demo.slug, "system": "Fuzz", **fields, "file": as_file(raw)}
    assert_no_fault(api.post(SUBMISSIONS, form))
    assert_no_fault(api.post("/api/v1/validations/", form))


LINES = [b"--b", b"--b--", b"\r\n", b'Content-Disposition: form-data; name="file"; filename="a"']
LINES += [b"Content-Transfer-Encoding: base64", b"{}", b"\xff", b": ", b"filename*=utf-8''%ff"]


@bounded
@given(lines=st.lists(st.sampled_from(LINES), max_size=12))
def test_no_broken_form_gives_a_server_error(api, demo, lines):
    assert_no_fault(api.post(SUBMISSIONS, b"\r\n".join(lines), f"{MULTIPART}; boundary=b"))
