"""The pages of results that were public and are not any more."""

import pytest
from django.urls import reverse

from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import withdraw
from tests.support.factories import make_published, make_scored, make_user, with_wrong

pytestmark = [pytest.mark.django_db]


def test_a_removed_result_says_so_with_the_reason_and_without_its_scores(client, demo, user, good_file):
    submission = make_published(user, demo, with_wrong(good_file, 7))
    page = reverse("web:submission", args=[submission.pk])
    withdraw(submission_id=submission.pk, team=submission.team, by=user, reason="a <wrong> prompt")
    answer = client.get(page)
    assert answer.status_code == 410
    assert "The team withdrew this result." in answer.text
    assert "a &lt;wrong&gt; prompt" in answer.text
    assert submission.sha256 not in answer.text
    assert "%" not in answer.text.partition("<main")[2].partition("</main>")[0].replace("%20", "")
    system = client.get(reverse("web:system", args=[submission.system_id]))
    assert (system.status_code, "a &lt;wrong&gt; prompt" in system.text) == (200, True)

    disqualify(submission_id=submission.pk, by=make_user("olga@example.org"), reason="trained on the tasks")
    answer = client.get(page)
    assert answer.status_code == 410
    assert "The organisers disqualified this result." in answer.text
    assert "trained on the tasks" in answer.text


def test_a_result_that_was_never_public_is_not_found_whatever_became_of_it(client, demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    page = reverse("web:submission", args=[submission.pk])
    assert client.get(page).status_code == 404
    disqualify(submission_id=submission.pk, by=make_user("olga@example.org"), reason="trained on the tasks")
    assert client.get(page).status_code == 404
