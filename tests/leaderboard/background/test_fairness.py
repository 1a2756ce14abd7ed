"""Many slow files of one team keep no other team waiting, nor the statistics of leaderboards."""

import json

import pytest
from django.db import connection

from leaderboard.models import BoardStatistics, JudgeMode, Status, Submission
from leaderboard.services.publishing import publish
from leaderboard.services.submissions import grade, lanes
from tests.support import factories
from tests.support.processes import wait_for

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
MANY = 20


def judged_file(good_answers, number):
    """Return a file whose answers no other file has, so that each has to be judged."""
    records = json.loads(good_answers)
    for record in records:
        record["agent_answer"] = f"{record['agent_answer']} (run {number})"
    return json.dumps(records).encode()


def is_scored(submission):
    return Submission.objects.get(pk=submission.pk).status == Status.SCORED


class TestTurns:
    def test_teams_take_turns_and_each_begins_with_its_oldest(self, user, other_user, demo, good_file, order):
        third = factories.make_user("third@example.org")
        first = [factories.send_queued(user, demo, good_file + b" " * n).pk for n in range(4)]
        second = [factories.send_queued(other_user, demo, good_file + b" " * n).pk for n in range(2)]
        last = [factories.send_queued(third, demo, good_file).pk]
        while lanes.work_on_next(is_long=False):
            pass
        assert order == [first[0], second[0], last[0], first[1], second[1], first[2], first[3]]

    def test_of_two_workers_one_scores_and_the_other_takes_the_next_file(
        self, user, demo, good_file, monkeypatch
    ):
        one, two = (factories.send_queued(user, demo, good_file + b" " * n) for n in range(2))
        choose = lanes.choose_next

        def choose_and_lose(*, is_long):
            chosen = choose(is_long=is_long)
            if chosen and chosen.pk == one.pk:
                grade.score(submission_id=one.pk)
            return chosen

        monkeypatch.setattr(lanes, "choose_next", choose_and_lose)
        assert lanes.work_on_next(is_long=False)
        assert is_scored(one)
        assert is_scored(two)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="this is about PostgreSQL")
def test_with_workers_slow_files_of_a_team_do_not_hold_up_others(
    demo, user, other_user, good_answers, good_file, worker, llm, settings
):
    judged = factories.make_fhir_demo(judge_mode=JudgeMode.LLM)
    settings.WORKERS = False
    scored = factories.make_scored(other_user, demo, good_file)
    settings.WORKERS = True
    for number in range(MANY):
        factories.send(user, judged, judged_file(good_answers, number))
    long = factories.send(other_user, judged, judged_file(good_answers, MANY)).submission
    short = factories.send(other_user, demo, good_file + b" ").submission
    publish.publish(submission_id=scored.pk, team=scored.team, by=other_user)
    assert not BoardStatistics.objects.exists()
    worker("--processes", "1", JUDGE_BASE_URL=llm, JUDGE_MODEL="stub", JUDGE_CONCURRENCY="30")
    wait_for(lambda: is_scored(short) and is_scored(long) and BoardStatistics.objects.exists())
    assert Submission.objects.filter(submitted_by=user).exclude(status=Status.SCORED).count() > MANY // 2
