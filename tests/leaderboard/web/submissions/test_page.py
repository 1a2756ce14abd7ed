"""The list of submissions, the page of one in each state, and that on which a team corrects its system."""

import json
import re
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Access, Board, BoardEvent, Feedback, Standing, Status, Submission, Work
from leaderboard.services.accounts import create_token, personal_team
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.record.event_kinds import words_of
from tests.support.api_client import Api
from tests.support.factories import (
    make_demo,
    make_hidden,
    make_published,
    make_scored,
    make_user,
    publish_runs,
    send,
    with_wrong,
)
from tests.support.pages.visible_text import text_of


@pytest.fixture
def scored(demo, user, good_file):
    return make_scored(user, demo, good_file, system="Mine").pk


def make_address(pk) -> str:
    return f"/submissions/{pk}/"


def test_the_owner_sees_score_breakdowns_and_provenance(ada, scored, demo):
    content = ada.get(make_address(scored)).content.decode()
    submission = Submission.objects.get(pk=scored)
    for expected_text in (
        "<dt>Success rate</dt>",
        "94.0%",
        "47 of 50 tasks",
        "83.8% to 97.9%",
        "Last glucose",
        "UTC",
        submission.sha256,
    ):
        assert expected_text in content
    assert demo.active_revision.digest in content


def test_publishing_and_withdrawing_add_and_remove_the_row(ada, visitor, scored):
    assert "Publishing is permanent" in " ".join(ada.get(make_address(scored)).content.decode().split())
    published = ada.post(f"{make_address(scored)}publish/", follow=True)
    # The message is in sight, and leads to the row.
    assert published.redirect_chain[-1][0] == "/benchmarks/medagentbench-demo/"
    for text in ("Published on", f'href="#system-{Standing.objects.get().system_id}"'):
        assert text in published.content.decode()
    entry_html = ada.get(make_address(scored)).content.decode()
    assert "The leaderboard shows this result for the system. It is the only published" in entry_html
    assert visitor.get(make_address(scored)).status_code == 200
    assert "Mine" in visitor.get("/benchmarks/medagentbench-demo/").content.decode()
    withdraw_html = ada.post(
        f"{make_address(scored)}withdraw/", {"reason": "A wrong prompt."}, follow=True
    ).content.decode()
    assert "Reason given: A wrong prompt." in withdraw_html
    assert visitor.get(make_address(scored)).status_code == 410
    assert not Standing.objects.exists()


def test_others_see_no_file_name_warnings_or_tasks_of_a_published_submission(
    visitor, ada, demo, user, noisy_file
):
    Board.objects.filter(pk=demo.pk).update(feedback=Feedback.BY_TASK)
    result = send(user, demo, noisy_file, filename="ward-7-secret.json")
    publish(submission_id=result.submission.pk, team=personal_team(user), by=user)
    own = ada.get(make_address(result.submission.pk)).content.decode()
    public = visitor.get(make_address(result.submission.pk)).content.decode()
    for private in ("ward-7-secret.json", "Wrong tasks", "warning", "Withdraw"):
        assert private in own
        assert private not in public
    assert "60.0%" in public


def test_readers_see_what_is_theirs_and_a_get_changes_nothing(ada, grace, visitor, scored):
    assert "Mine" in ada.get("/submissions/").content.decode()
    assert "No submissions yet" in grace.get("/submissions/").content.decode()
    # What others are refused: test_readers.
    assert visitor.get("/submissions/").status_code == 302
    assert ada.get(f"{make_address(scored)}publish/").status_code == 405
    assert ada.get("/submissions/not-an-id/").status_code == 404
    assert not Submission.objects.published().exists()


def test_the_pages_of_submissions_take_few_queries(
    ada, visitor, demo, user, scored, django_assert_max_num_queries
):
    ada.post(f"{make_address(scored)}publish/")
    ada.get("/submissions/")
    rows = [
        Submission(
            board=demo,
            team=personal_team(user),
            submitted_by=user,
            system=Submission.objects.get(pk=scored).system,
            sha256=f"{n:064d}",
            stored_as=uuid.uuid4(),
            size_bytes=1,
            received_at=timezone.now(),
            moved_at=timezone.now(),
        )
        for n in range(60)
    ]
    Submission.objects.bulk_create(rows)
    with django_assert_max_num_queries(10):
        ada.get("/submissions/")
    # One of them for the links for reviewers, which only its team sees.
    with django_assert_max_num_queries(12):
        ada.get(make_address(scored))
    with django_assert_max_num_queries(6):
        visitor.get(make_address(scored))


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


@pytest.fixture
def three_runs(good_file):
    """Return three files of which 47, 45 and 42 of 50 answers are right."""
    return [with_wrong(good_file, wrong) for wrong in (0, 2, 5)]


def test_with_hidden_references_no_run_shows_a_score_and_no_file_its_name(visitor, user, three_runs):
    board = make_hidden("secret", rounding=1, access=Access.ANYONE, feedback=Feedback.BY_TYPE)
    submission = publish_runs(user, board, three_runs)
    assert " about 80% about 100% " in text_of(visitor.get("/benchmarks/secret/views/by-task-type/"))
    for address in (f"/submissions/{submission.pk}/", f"/systems/{submission.system_id}/"):
        text = text_of(visitor.get(address))
        assert "These are rounded, means by group are rounded to whole tasks, and single runs show no" in text
        assert "Run-to-run standard deviation about 6 points" in text
        assert "Correct in each of 3 randomly chosen runs (pass^3) about 84% (50 tasks)" in text
        assert "(pass^2)" not in text
        assert "47 of 50" not in text
        assert "a.json" not in text


def test_several_runs_count_tasks_and_a_spread_below_half_a_step_is_not_nothing(
    visitor, user, three_runs, demo
):
    open_runs = publish_runs(user, demo, three_runs)
    secret = make_hidden("secret", rounding=1, access=Access.ANYONE)
    alike = publish_runs(user, secret, three_runs[:1] * 2, system="Alike")
    texts = [text_of(visitor.get(f"/systems/{each.system_id}/")) for each in (open_runs, alike)]
    assert "(pass^3) 84.0% (95% CI 71.5% to 91.7%, 50 tasks)" in texts[0]
    assert "44.7 of 50" in texts[0]
    assert "standard deviation below 3 points" in texts[1]


@pytest.fixture
def submission(user, good_file):
    hidden = make_demo(is_demo=False, rounding=1, feedback=Feedback.BY_TASK)
    return make_scored(user, hidden, good_file)


def test_its_pages_say_about_how_much_and_until_when_and_an_organiser_sees_the_exact_figure(
    ada, admin_client, submission
):
    address = f"/submissions/{submission.pk}/"
    page, row = text_of(ada.get(address)), text_of(ada.get("/submissions/"))
    arrived = ada.get(f"{address}progress/").content.decode()
    for text, place in (
        ("about 96%", page),
        ("higher scores are shown as this one", page),
        ("Rounded to 6 percentage points before publication", page),
        ("about 96%", row),
        ("Scored. about 96%", arrived),
    ):
        assert text in place
    for exact in ("95% interval", "Wrong tasks", "This leaderboard shows overall scores"):
        assert exact not in page
    for place in (page, row, arrived):
        assert "94.0%" not in place
        assert "47 of" not in place
    assert ada.get(f"{address}tasks/").status_code == 404
    assert "94.0%" in text_of(admin_client.get(address))
    assert "47 of 50" in text_of(admin_client.get(f"/organise{address}"))


def test_the_api_gives_the_rounded_score_and_nothing_beside_it(user, submission):
    program = Api(create_token(user=user, name="tests", days=1)[1])
    body = program.get(f"/api/v1/submissions/{submission.pk}/").json()
    assert body["result"] == {
        "right": None, "total": 50, "score": 0.96, "rounded_to": 0.06, "metric": "success_rate",
        "interval_95": None, "metrics": {"success_rate": 0.96}, "breakdowns": {}, "group_metrics": {},
        "runs": 1, "spread": None, "per_run": None, "interval_clusters": [],
    }  # fmt: skip
    assert body["tasks"] is None
    [line] = program.get("/api/v1/submissions/").json()["results"]
    assert (line["score"], line["rounded_to"]) == (0.96, 0.06)
    assert not re.search(r"(?<![\d:])0\.94|: 47\b", json.dumps([body, line]))


def test_progress_is_shown_in_tenths(ada, submission):
    counts = {"total": 50, "read": 50, "to_judge": 31, "judged": 12, "undecided": 1}
    Submission.objects.filter(pk=submission.pk).update(
        status=Status.SCORING, evaluation=None, scored_at=None,
        claim="6d5a0d8a-0a0c-4d1c-9d3b-7b9a86ed8f54",
    )  # fmt: skip
    Work.objects.update(progress=counts)
    page = ada.get(f"/submissions/{submission.pk}/progress/").content.decode()
    assert '<progress max="10" value="3"' in page
    assert "about 30%" in page
    assert "31" not in re.sub(r"<[^>]+>", "", page)


def address(system):
    return reverse("web:edit-system", args=[system.pk])


def test_a_correction_is_shown_before_it_is_made_and_then_logged(client, demo, user, good_file):
    system = make_published(user, demo, good_file, organisation="First").system
    client.force_login(user)
    assert address(system) in client.get(reverse("web:system", args=[system.pk])).text
    assert 'value="First"' in client.get(address(system)).text

    typed = {"system": "New name", "models": "model-a, model-b"}
    preview = client.post(address(system), typed)
    # What was emptied is no longer stated.
    assert [word in preview.text for word in ("First", "not stated", "model-a, model-b")] == [True] * 3
    system.refresh_from_db()
    assert system.organisation == "First"

    done = client.post(address(system), {**typed, "confirmed": "yes"}, follow=True)
    assert "The details of the system are changed." in done.text
    system.refresh_from_db()
    assert (system.name, system.organisation, system.model_names) == ("New name", "", ["model-a", "model-b"])
    event = BoardEvent.objects.latest("number")
    assert words_of(event).startswith("renamed from “Careful agent”")
    log = client.get(reverse("web:changes", args=[demo.slug])).text
    assert "renamed from “Careful agent”" in log
