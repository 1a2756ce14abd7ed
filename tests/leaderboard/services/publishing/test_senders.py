"""What holds once for a team holds once for a person with several."""

import pytest

from leaderboard.services.errors import QuotaSpent, WrongState
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import publish
from tests.support.factories import make_demo, make_published, make_scored, make_user, send, with_wrong
from tests.support.processes import run_at_once

pytestmark = pytest.mark.both_databases


def test_a_disqualified_file_is_not_published_through_another_team_of_its_sender(user, lab, good_file):
    board = make_demo()
    first = make_published(user, board, good_file)
    disqualify(submission_id=first.pk, by=make_user("boss@example.org"), reason="trained on the tasks")
    again = send(user, board, good_file, team=lab).submission
    with pytest.raises(WrongState, match="trained on the tasks"):
        publish(submission_id=again.pk, team=again.team, by=user)


@pytest.mark.django_db(transaction=True)
def test_of_two_teams_of_a_person_that_publish_at_once_one_does(user, lab, good_file):
    board = make_demo(publication_limit=1)
    own = make_scored(user, board, good_file)
    second = send(user, board, with_wrong(good_file, 1), team=lab).submission

    def publish_one(submission):
        try:
            publish(submission_id=submission.pk, team=submission.team, by=user)
        except QuotaSpent:
            return "refused"
        return "published"

    outcomes = run_at_once(lambda: publish_one(own), lambda: publish_one(second))
    assert sorted(outcomes) == ["published", "refused"]
