"""What happens to a season at the same moment, each on a connection of its own."""

import threading
from contextlib import suppress
from unittest.mock import patch

import pytest
from django.db import Error, connection, transaction

from leaderboard.models import Evaluation
from leaderboard.services.errors import BoardClosed, WrongState
from leaderboard.services.seasons import reveal, score
from leaderboard.services.submissions.cancel import cancel
from tests.support import factories, seasons
from tests.support.processes import run_at_once
from tests.support.seasons import CLOSED, DURING, LAST_SECOND, REVEALED, assert_one_table, at, work
from wardboard.scoring.medagentbench.demo import MIDDLING

RAW = MIDDLING.read_bytes()
pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def test_a_file_is_scored_by_one_worker(season, sent):
    with patch.object(score, "grade", side_effect=score.grade) as graded, at(DURING):
        run_at_once(*[reveal.work_on_next] * 6)
    assert sorted(call.args[0].pk for call in graded.mock_calls) == sorted(one.pk for one in sent.values())


def test_a_season_is_revealed_once_and_takes_no_late_file_and_no_withdrawal(season, sent, user):
    work(CLOSED)
    one = sent["One"]
    with at(REVEALED):
        done = run_at_once(
            *[reveal.work_on_next] * 3,
            lambda: seasons.is_refused(BoardClosed, factories.send, user, season.board, RAW),
            lambda: seasons.is_refused(WrongState, cancel, submission_id=one.pk, by=user, team=one.team),
        )
    assert sorted(done[:3]) == [False, False, True]
    assert_one_table(season)


def test_the_close_waits_for_a_file_that_comes_in_at_its_last_second(season, user):
    other = threading.Thread(target=run_at_once, args=[reveal.work_on_next])
    with transaction.atomic():
        seasons.send(user, season, RAW, now=LAST_SECOND)
        with at(CLOSED):
            other.start()
            # It waits for the lock.
            other.join(timeout=0.5)
    with at(CLOSED):
        other.join()
    [closed] = seasons.told_of(season, "closed")
    assert (closed["entries"], closed["digest"]) == (1, seasons.digest_shown(season))


def test_a_connection_that_breaks_in_the_reveal_leaves_nothing(season, sent):
    work(CLOSED)
    breaks = patch.object(reveal, "publish_verdicts", seasons.break_connection)
    with breaks, at(REVEALED), suppress(Error):
        reveal.work_on_next()
    connection.close()
    assert not Evaluation.objects.exists()
    work(REVEALED)
    assert_one_table(season)
