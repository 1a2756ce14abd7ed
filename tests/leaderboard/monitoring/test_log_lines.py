"""What is expected is one line; everything else has its traceback, without a text that may quote a file."""

import json
import logging
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.http.request import UnreadablePostError

from leaderboard.monitoring import withheld
from leaderboard.monitoring.log_format import FORMATS, LogFormatter


def formatter(name="line"):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOG_FORMAT", name)
        return LogFormatter()


def record_of(error: BaseException, message="the sweep failed", *args) -> logging.LogRecord:
    try:
        raise error
    except BaseException:
        return logging.LogRecord("tests", logging.ERROR, __file__, 1, message, args, sys.exc_info())


EXPECTED = [
    OperationalError("connection to server failed\nIs the server running?"),
    ConnectionResetError("Connection reset by peer"),
    UnreadablePostError("the client went away"),
    TimeoutError("timed out"),
]


@pytest.mark.parametrize("error", EXPECTED, ids=lambda error: type(error).__qualname__)
def test_a_cut_connection_and_a_database_that_is_away_are_one_line(error):
    line = formatter().format(record_of(error))
    assert line.count("\n") == 0
    assert line.endswith(f"the sweep failed ({type(error).__name__}: {str(error).splitlines()[0]})")
    parsed = json.loads(formatter("json").format(record_of(error)))
    assert "exception" not in parsed
    assert parsed["message"] in line


@pytest.mark.parametrize("name", FORMATS)
def test_a_fault_of_ours_has_its_traceback_and_not_its_text(name):
    record = record_of(
        KeyError("the hidden answer"), "Task %s raised: %s", "42", repr(KeyError("the hidden answer"))
    )
    text = formatter(name).format(record)
    assert "in record_of" in text
    assert "Task 42 raised: KeyError" in text
    assert "hidden answer" not in text


def test_what_led_to_an_error_is_in_its_traceback():
    text = "the hidden answer"
    try:
        try:
            raise ValueError(text)
        except ValueError as error:
            raise ImproperlyConfigured("SECRET_KEY is not set") from error
    except ImproperlyConfigured as error:
        trace = withheld.format_trace(error)
    assert trace.index("ValueError") < trace.index("ImproperlyConfigured: SECRET_KEY is not set")
    assert text not in trace


def test_secrets_are_replaced_wherever_they_are():
    for text, kept in {
        "token wb_0123456789abcdef": "token wb_[hidden]",
        "token eyJhbGciOiJFUzI1NiJ9.eyJqdGkiOjF9.c2ln-_0 of a job": "token eyJ[hidden] of a job",
        "Authorization: Bearer abcdefgh.ijkl": "Authorization: Bearer [hidden]",
        "/accounts/password/reset/key/1-cn-0a1b2c/": "/accounts/password/reset/key/[hidden]/",
        "/zh-hant/accounts/confirm-email/MQ:1t:xyz/ is": "/zh-hant/accounts/confirm-email/[hidden]/ is",
        "GET /teams/join/0f1e:AbC-d_e/": "GET /teams/join/[hidden]/",
        "?next=%2Fteams%2Fjoin%2F0f1e:AbC-d_e%2F": "?next=%2Fteams%2Fjoin%2F[hidden]",
        "amqp://wardboard:secret@mq:5672//": "amqp://wardboard:[hidden]@mq:5672//",
        "/submissions/0b7a/": "/submissions/0b7a/",
    }.items():
        assert withheld.hide_secrets(text) == kept
