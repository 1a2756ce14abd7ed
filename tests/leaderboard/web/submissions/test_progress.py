"""The page of a submission on its way to its score, and the requests of that page."""

import re
import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from leaderboard.models import Board, JudgeMode, Status, Submission
from leaderboard.services.submissions import grade
from leaderboard.web.submissions.progress import describe_duration
from tests.support import factories
from tests.support.databases import shared_rows
from wardboard.scoring.fhir_agentbench.demo import GOOD

PROGRESS = {"total": 60, "read": 60, "to_judge": 40, "judged": 10, "undecided": 2, "seconds_left": 95}


@shared_rows
def key() -> uuid.UUID:
    """Make a submission and leave it queued."""
    user, board = factories.make_user(), factories.make_fhir_demo()
    with pytest.MonkeyPatch.context() as busy:
        busy.setattr(grade, "score", lambda **_: None)
        return factories.send(user, board, GOOD.read_bytes()).submission.pk


@pytest.fixture
def queued(key, db) -> Submission:
    return Submission.objects.get(pk=key)


def become(submission, status, **fields):
    """Put a submission into a state, as its worker does."""
    claim = uuid.uuid4() if status == Status.SCORING else None
    Submission.objects.filter(pk=submission.pk).update(status=status, claim=claim, **fields)


def get_page(client, submission):
    return client.get(f"/submissions/{submission.pk}/").content.decode()


def get_progress(client, submission, announced=""):
    return client.get(f"/submissions/{submission.pk}/progress/?announced={announced}")


def read_words(content):
    return " ".join(re.sub(r"<[^>]+>", " ", content).split())


def test_a_queued_submission_shows_its_place_in_the_queue(ada, queued):
    assert "Received, and waiting to be scored. It is next." in read_words(get_page(ada, queued))
    for n, hours in enumerate((-2, -1, 1)):  # two before it, one after
        other = Submission.objects.get(pk=queued.pk)
        other.pk, other.stored_as, other.sha256 = uuid.uuid4(), uuid.uuid4(), f"{n:064d}"
        other.save(force_insert=True)
        at = queued.received_at + timedelta(hours=hours)
        Submission.objects.filter(pk=other.pk).update(received_at=at, moved_at=at)
    assert "2 submissions are before it." in read_words(get_page(ada, queued))


def test_the_progress_bar_counts_records_while_they_are_read(ada, queued):
    become(
        queued, Status.SCORING, progress={**PROGRESS, "read": 25, "to_judge": 0, "judged": 0, "undecided": 0}
    )
    content = get_page(ada, queued)
    assert '<progress max="60" value="25" aria-label="Records read">' in content
    assert "Records read 25 of 60 tasks" in read_words(content)
    assert "Judged" not in read_words(content)


def test_the_progress_bar_counts_answers_while_judging_and_shows_the_time_left(ada, queued):
    become(queued, Status.SCORING, progress=PROGRESS)
    content = get_page(ada, queued)
    assert '<progress max="40" value="10" aria-label="Answers judged">' in content
    text = read_words(content)
    assert "Judged 10 of 40 answers Undecided 2 Time left about 2 minutes" in text
    become(queued, Status.SCORING, progress={**PROGRESS, "seconds_left": None})
    assert "Time left" not in read_words(get_page(ada, queued))


def test_the_progress_bar_is_indeterminate_before_anything_is_known(ada, queued):
    become(queued, Status.SCORING, progress=None)
    assert '<progress aria-label="Records read"></progress>' in get_page(ada, queued)


@pytest.mark.parametrize(
    ("reason", "expected_text"),
    [
        ("provider-down", "is not responding right now"),
        ("provider-refused", "refuses our requests"),
        ("budget-spent", "The budget for judging is used up"),
        ("reply-unusable", "no usable reply"),
        ("judge-not-set-up", "is not set up yet"),
        ("judge-without-day-budget", "is not set up yet"),
        ("something-new", "could not be judged yet"),
    ],
)
def test_an_incomplete_submission_says_what_it_waits_for_and_until_when(ada, queued, reason, expected_text):
    retry_at = timezone.now() + timedelta(minutes=20, seconds=20)
    become(queued, Status.INCOMPLETE, waits_for=reason, resume_at=retry_at, progress=PROGRESS)
    text = read_words(get_page(ada, queued))
    assert expected_text in text
    assert f"Next attempt in about 20 minutes, at {retry_at:%H:%M} UTC." in text
    assert "Undecided answers do not count as wrong" in text
    assert "Undecided 2" in text
    assert "Time left" not in text


def test_an_incomplete_submission_without_a_time_waits_for_the_organisers(ada, queued):
    become(queued, Status.INCOMPLETE, waits_for="judge-not-set-up", resume_at=None)
    assert "once the organisers have resolved this" in read_words(get_page(ada, queued))


def test_a_time_hours_away_names_the_day(ada, queued):
    retry_at = timezone.now() + timedelta(hours=9)
    become(queued, Status.INCOMPLETE, waits_for="budget-spent", resume_at=retry_at)
    assert f"in about 9 hours, at {retry_at.day} {retry_at:%b, %H:%M} UTC" in read_words(
        get_page(ada, queued)
    )


def test_a_polling_response_is_small_and_not_cached(ada, queued):
    become(queued, Status.SCORING, progress=PROGRESS)
    response = get_progress(ada, queued)
    assert "no-store" in response["Cache-Control"]
    assert "<html" not in response.content.decode()
    assert len(response.content) < 2000
    assert 'hx-trigger="every 1s"' in response.content.decode()


@pytest.mark.parametrize(
    ("status", "fields"),
    [
        (Status.QUEUED, {}),
        (Status.SCORING, {"progress": PROGRESS}),
        (Status.INCOMPLETE, {"waits_for": "provider-down"}),
        (Status.CANCELLED, {}),
    ],
)
def test_a_polling_request_takes_few_queries(ada, queued, django_assert_max_num_queries, status, fields):
    become(queued, status, **fields)
    get_progress(ada, queued)
    # Three of them read who asks.
    with django_assert_max_num_queries(7):
        get_progress(ada, queued)


def test_screen_readers_announce_quarters_and_states_not_every_second(ada, queued):
    become(queued, Status.SCORING, progress=PROGRESS)
    first = get_progress(ada, queued, "scoring-1").content.decode()
    assert "announced=scoring-1" in first
    assert "hx-swap-oob" not in first
    become(queued, Status.SCORING, progress={**PROGRESS, "judged": 30})
    assert "It is being scored: 75% done." in get_progress(ada, queued, "scoring-1").content.decode()
    become(queued, Status.INCOMPLETE, waits_for="provider-down")
    assert "Incomplete: it waits for the judge." in get_progress(ada, queued, "scoring-3").content.decode()


def test_the_final_poll_returns_the_whole_content_and_ends_polling(ada, queued):
    grade.score(submission_id=queued.pk)
    response = get_progress(ada, queued, "scoring-3")
    content = response.content.decode()
    assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#submission", "innerHTML")
    assert "<dt>Answer correctness</dt>" in content
    assert "Publish" in content
    assert "hx-trigger" not in content
    right = Submission.objects.get(pk=queued.pk).evaluation.right
    assert re.search(rf'hx-swap-oob="innerHTML">\s*Scored: {right} of 60 correct\.', content)


def test_without_javascript_the_page_refreshes_itself(ada, queued):
    assert re.search(
        r'<noscript>\s*<meta http-equiv="refresh" content="3">\s*</noscript>', get_page(ada, queued)
    )
    become(queued, Status.INCOMPLETE, waits_for="provider-down")
    assert re.search(r'content="30">\s*</noscript>', get_page(ada, queued))
    become(queued, Status.CANCELLED, waits_for="")
    assert "http-equiv" not in get_page(ada, queued)


def test_cancelling_says_what_it_costs_and_what_is_kept(ada, grace, visitor, queued, fhir_demo):
    Board.objects.filter(pk=fhir_demo.pk).update(daily_limit=5)
    text = read_words(get_page(ada, queued))
    assert "It still counts as one of the 5 files that your team may submit in 24 hours" in text
    address = f"/submissions/{queued.pk}/cancel/"
    assert grace.post(address).status_code == 404
    assert visitor.post(address).status_code == 302
    assert ada.get(address).status_code == 405
    text_after = read_words(ada.post(address, follow=True).content.decode())
    assert text_after.count("Cancelled.") == 1
    assert "Cancelled. Scoring can resume where it stopped." in text_after
    assert "Send the same file again" in text_after
    assert Submission.objects.get(pk=queued.pk).status == Status.CANCELLED
    assert "cancelled" in read_words(ada.get("/submissions/").content.decode())


def test_a_scored_submission_can_no_longer_be_cancelled(ada, queued):
    assert "Cancel it" in get_page(ada, queued)
    grade.score(submission_id=queued.pk)
    assert "Cancel it" not in get_page(ada, queued)
    html = ada.post(f"/submissions/{queued.pk}/cancel/", follow=True).content.decode()
    assert "Only a submission in progress can be cancelled; this one is scored." in html


def test_a_board_whose_judge_is_not_set_up_says_so_on_the_page(ada, user, good_answers, settings):
    settings.JUDGE = {**settings.JUDGE, "base_url": None, "api_key": None}
    board = factories.make_fhir_demo("asks-a-model", judge_mode=JudgeMode.LLM)
    submission = factories.send(user, board, good_answers).submission
    assert "This leaderboard’s judge is not set up yet" in read_words(get_page(ada, submission))


@pytest.mark.parametrize(
    ("seconds", "expected_text"),
    [
        (0, "a few seconds"),
        (12, "about 10 seconds"),
        (54, "about 55 seconds"),
        (58, "about 1 minute"),
        (100, "about 2 minutes"),
        (3500, "about 58 minutes"),
        (3590, "about 1 hour"),
        (9000, "about 2 hours"),
    ],
)
def test_a_duration_is_written_in_common_units(seconds, expected_text):
    assert describe_duration(seconds) == expected_text


@pytest.fixture
def organiser(client, db):
    """Sign in someone who may only view submissions."""
    looker = factories.make_user("looker@example.org", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_submission"))
    client.force_login(looker)
    return client


def test_the_organiser_sees_the_progress_of_a_private_submission(organiser, queued):
    become(queued, Status.SCORING, progress=PROGRESS, judge_calls=12)
    text = read_words(get_page(organiser, queued))
    assert "Judged 10 of 40 answers Undecided 2" in text
    assert "Calls of the judge 12" in text
    assert "Undecided" in get_progress(organiser, queued).content.decode()


def test_the_organiser_gets_no_actions_on_a_private_submission(organiser, queued):
    content = get_page(organiser, queued)
    assert "Cancel it" not in content
    assert organiser.post(f"/submissions/{queued.pk}/cancel/").status_code == 404
    grade.score(submission_id=queued.pk)
    text = read_words(get_page(organiser, queued))
    assert "only its team and the organisers can see this page" in text
    assert "Publish" not in text
    assert organiser.post(f"/submissions/{queued.pk}/publish/").status_code == 404
    assert organiser.get(f"/submissions/{queued.pk}/tasks/").status_code == 404
