"""Request bodies sent to a real gunicorn: chunked, oversized, cut off, with a wrong length.

No request that is refused leaves a file in the folder, which the server shares with the test.
"""

import socket

import pytest

from leaderboard.models import Submission
from tests.support.wire import LIMIT, in_chunks, make_form, make_head, post_body, raw_exchange

FORM = "multipart/form-data; boundary=b"


def test_a_body_with_a_length_and_one_in_chunks_are_the_same_submission(port, token, good_file):
    status, _, first = post_body(port, token, good_file)
    assert (status, first["status"]) == (201, "scored")
    for body, kind in ((in_chunks(good_file), "application/json"), (in_chunks(make_form(good_file)), FORM)):
        status, _, again = post_body(port, token, body, kind=kind)
        assert (status, again["id"], again["file"]["size_bytes"]) == (200, first["id"], len(good_file))


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("cut", [lambda raw: raw, in_chunks], ids=["with its length", "in chunks"])
def test_a_body_over_the_limit_is_413_and_the_client_gets_to_read_it(port, token, cut):
    for body, kind in (
        (b"{" * (LIMIT + 1), "application/json"),
        (b"{" * 2 * LIMIT, "application/json"),
        (make_form(b"x" * (LIMIT + 1)), FORM),
        # Beyond what a form may have beside its file, too.
        (make_form(b"x" * 2_000_000), FORM),
    ):
        status, answered, problem = post_body(port, token, cut(body), kind=kind)
        assert (status, answered, problem["code"]) == (413, "application/problem+json", "file.too-large")
        assert "200000 bytes" in problem["detail"]
    assert not Submission.objects.exists()


def test_a_body_of_exactly_the_limit_is_read(port, token):
    status, _, problem = post_body(port, token, b" " * LIMIT)
    assert (status, problem["code"]) == (422, "file-rejected")


@pytest.mark.usefixtures("nothing_stays")
def test_a_body_that_ends_too_soon_is_400_and_nothing_is_stored(port, token, good_file):
    length, chunked = f"Content-Length: {len(good_file) + 10}", "Transfer-Encoding: chunked"
    as_json, as_form = "Content-Type: application/json", f"Content-Type: {FORM}"
    for head, body in (
        ((as_json, length), good_file),
        ((as_form, length), make_form(good_file)[:5000]),
        ((as_json, chunked), b'5\r\n{"ver'),
        ((as_json, chunked), b"zz\r\nnonsense\r\n0\r\n\r\n"),
    ):
        response = raw_exchange(port, make_head(token, *head) + body)
        assert response.startswith(b"HTTP/1.1 400"), head
        assert b"request-malformed" in response
    assert not Submission.objects.exists()


@pytest.mark.usefixtures("nothing_stays")
def test_a_client_that_leaves_leaves_nothing(port, token, good_file):
    length = f"Content-Length: {len(good_file)}"
    with socket.create_connection(("127.0.0.1", port), 120) as wire:
        wire.sendall(make_head(token, "Content-Type: application/json", length) + good_file[:5000])


def test_the_charset_of_the_body_does_not_reach_the_address(port, token, good_file):
    for charset in ("bz2_codec", "utf-16", "no-such"):
        kind = f"application/json; charset={charset}"
        assert post_body(port, token, good_file, kind=kind)[0] in (200, 201), charset
