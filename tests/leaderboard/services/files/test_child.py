"""Work on strangers' bytes in child processes that are limited and killed."""

import os
import signal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from leaderboard.services import turns
from leaderboard.services.errors import Busy
from leaderboard.services.files import child
from wardboard.scoring.reading.problems import SubmissionInvalid


def spin():
    while True:
        pass


def hold_memory():
    return len(bytearray(2 * child.MEMORY))


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def die_with_its_server():
    os.kill(os.getppid(), signal.SIGKILL)
    die()


def divide():
    return 1 / 0


def test_what_takes_more_than_it_may_is_ended_and_refused():
    limits = (spin, 0, "longer than 0 seconds"), (hold_memory, 30, "more than 400 MiB of memory")
    for work, seconds, message in limits:
        with pytest.raises(SubmissionInvalid, match="1 problem") as refused:
            child.run(work, seconds=seconds)
        assert message in refused.value.problems.listed[0].message


def test_a_child_that_is_killed_may_be_tried_again_and_one_that_fails_says_where():
    with pytest.raises(Busy):
        child.run(die, seconds=5)
    with pytest.raises(child.ChildFailed, match=r"in divide\s+return 1 / 0"):
        child.run(divide, seconds=5)
    with pytest.raises(Busy):
        child.run(die_with_its_server, seconds=5)


def show(client, board, raw):
    form = {"benchmark": board.slug, "file": SimpleUploadedFile("results.json", raw)}
    return client.post(reverse("web:choose"), form).status_code


def test_two_slow_files_of_an_address_are_all_that_it_may_send_in_a_minute(
    demo, visitor, ada, good_file, settings
):
    settings.CHECK_SECONDS_ANONYMOUS = -1
    checks = f"/api/v1/validations/raw/?benchmark={demo.slug}"

    def check(client):
        return client.post(checks, good_file, content_type="application/json").status_code

    answers = [answer for _ in range(2) for answer in (check(visitor), show(visitor, demo, good_file))]
    assert answers == [422, 422, 429, 429]
    answers = [check(ada), show(ada, demo, good_file)]
    assert answers == [429, 302], "the page counts an account, the check of its address alone"


def test_senders_without_an_account_keep_nobody_else_waiting(demo, visitor, ada, good_file, monkeypatch):
    taken = turns.Turns(1)
    monkeypatch.setattr(turns, "reading_for_visitors", taken)
    monkeypatch.setattr(turns, "PATIENCE_OF_CHECKS", 0.01)
    with taken.take():
        assert [show(client, demo, good_file) for client in (visitor, ada)] == [503, 302]
