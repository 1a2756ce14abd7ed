"""An outage that repeats an error writes few lines, and none of another kind is lost."""

import io
import logging

import pytest

from leaderboard.monitoring import repeats
from leaderboard.monitoring.log_format import LineFormatter
from leaderboard.settings.logs import LOGGING


@pytest.fixture
def now(monkeypatch):
    moment = [1000.0]
    monkeypatch.setattr(repeats, "monotonic", lambda: moment[0])
    return moment


@pytest.fixture
def log(now):
    """Return a logger, and a function that returns the lines written since the last call."""
    output = io.StringIO()
    handler = logging.StreamHandler(output)
    handler.setFormatter(LineFormatter())
    handler.addFilter(repeats.Repeats())
    logger = logging.Logger("storm")
    logger.addHandler(handler)

    def lines():
        text = output.getvalue()
        output.seek(0)
        output.truncate()
        return text.splitlines()

    return logger, lines


def test_an_error_that_repeats_is_written_ten_times_a_minute_and_then_counted(log, now):
    logger, lines = log
    for number in range(326):
        logger.error("could not reach %s", number)
        now[0] += 0.1
    assert len(lines()) == 10
    now[0] += 60
    logger.error("could not reach %s", "it")
    (line,) = lines()
    assert line.endswith("could not reach it (316 more like this were left out in 93 seconds)")
    logger.error("could not reach %s", "it")
    assert len(lines()) == 1


def test_lines_of_another_kind_are_written(log, now):
    logger, lines = log
    for _ in range(50):
        logger.error("the database is away")
        logger.info("scored")
    logger.warning("the database is away")
    logger.error("the bucket is away")
    try:
        raise ValueError
    except ValueError:
        logger.exception("the database is away")
    written = lines()
    assert sum("scored" in line for line in written) == 50
    assert sum("ERROR storm: the database is away" in line for line in written) == 11
    assert sum("the bucket is away" in line for line in written) == 1
    assert sum("WARNING" in line for line in written) == 1


def test_the_log_of_the_service_is_limited_so():
    assert LOGGING["filters"]["repeats"]["()"] is repeats.Repeats
    # After the filter that lowers levels.
    assert LOGGING["handlers"]["console"]["filters"] == ["client_errors", "outages", "repeats"]
