"""Request bodies sent to a real gunicorn: chunked, oversized, cut off, with a wrong length."""

import gzip

import pytest

from leaderboard.models import Submission
from tests.support.wire import LIMIT, in_chunks, make_form, make_head, post_body, raw_exchange


def test_a_body_with_a_length_and_one_in_chunks_are_the_same_submission(port, token, good_file):
    status, _, first = post_body(port, token, good_file)
    assert (status, first["status"]) == (201, "scored")
    status, _, again = post_body(port, token, in_chunks(good_file))
    assert (status, again["id"]) == (200, first["id"])


def test_a_form_in_chunks_is_read_whole(port, token, good_file):
    status, _, submission = post_body(
        port, token, in_chunks(make_form(good_file)), kind="multipart/form-data; boundary=b"
    )
    assert (status, submission["status"], submission["file"]["size_bytes"]) == (201, "scored", len(good_file))


def test_gzip_that_unpacks_within_the_limit_is_accepted(port, token, good_file):
    assert post_body(port, token, gzip.compress(good_file), kind="application/gzip")[0] == 201


@pytest.mark.parametrize("size", [LIMIT + 1, 2 * LIMIT])
@pytest.mark.parametrize("cut", [lambda raw: raw, in_chunks], ids=["with its length", "in chunks"])
def test_a_body_over_the_limit_is_413_and_the_client_gets_to_read_it(port, token, cut, size):
    status, kind, problem = post_body(port, token, cut(b"{" * size))
    assert (status, kind, problem["code"]) == (413, "application/problem+json", "file.too-large")
    assert "200000 bytes" in problem["detail"]
    assert not Submission.objects.exists()


def test_a_body_of_exactly_the_limit_is_read(port, token):
    status, _, problem = post_body(port, token, b" " * LIMIT)
    assert (status, problem["code"]) == (422, "file-rejected")


def test_a_file_over_the_limit_in_a_form_is_413(port, token):
    kind = "multipart/form-data; boundary=b"
    for body in (make_form(b"x" * (LIMIT + 1)), in_chunks(make_form(b"x" * (LIMIT + 1)))):
        status, _, problem = post_body(port, token, body, kind=kind)
        assert (status, problem["code"]) == (413, "file.too-large")
    assert not Submission.objects.exists()


def test_a_content_length_beyond_the_body_is_400_and_nothing_is_stored(port, token, good_file):
    request_bytes = (
        make_head(token, "Content-Type: application/json", f"Content-Length: {len(good_file) + 10}")
        + good_file
    )
    response = raw_exchange(port, request_bytes)
    assert response.startswith(b"HTTP/1.1 400")
    assert b"request-malformed" in response
    assert not Submission.objects.exists()


def test_a_content_length_of_a_gigabyte_is_413_without_waiting_for_the_body(port, token):
    response = raw_exchange(
        port, make_head(token, "Content-Type: application/json", "Content-Length: 1000000000")
    )
    assert response.startswith(b"HTTP/1.1 413")
    assert b"file.too-large" in response


def test_a_content_length_below_the_body_reads_no_more_than_stated(port, token, good_file):
    request_bytes = (
        make_head(token, "Content-Type: application/json", "Content-Length: 100", "Connection: close")
        + good_file
    )
    response = raw_exchange(port, request_bytes)
    assert response.startswith(b"HTTP/1.1 422")
    assert Submission.objects.get().size_bytes == 100


@pytest.mark.parametrize(
    "broken", [b'5\r\n{"ver', b"zz\r\nnonsense\r\n0\r\n\r\n"], ids=["cut off", "no size"]
)
def test_broken_chunks_are_400(port, token, broken):
    response = raw_exchange(
        port, make_head(token, "Content-Type: application/json", "Transfer-Encoding: chunked") + broken
    )
    assert response.startswith(b"HTTP/1.1 400")
    assert b"request-malformed" in response
    assert not Submission.objects.exists()


@pytest.mark.parametrize("charset", ["bz2_codec", "utf-16", "no-such"])
def test_the_charset_of_the_body_does_not_reach_the_address(port, token, good_file, charset):
    assert post_body(port, token, good_file, kind=f"application/json; charset={charset}")[0] == 201
