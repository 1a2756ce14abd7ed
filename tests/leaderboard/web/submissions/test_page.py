"""The list of submissions, and the page of one."""

import re
import uuid

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from leaderboard.models import (
    Board,
    Evaluation,
    Feedback,
    ReferenceRevision,
    Standing,
    Status,
    Submission,
)
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import MOST_A_DAY, publish
from leaderboard.web.templatetags.figures import format_words
from tests.support import factories
from wardboard.scoring.medagentbench.reasons import Reason


@pytest.fixture
def scored(demo, user, good_file):
    return factories.make_scored(user, demo, good_file, system="Mine").pk


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
    assert "Only you see it until you publish." in content


def test_tasks_that_cannot_be_graded_are_counted_for_every_reader(ada, visitor, scored, demo):
    # Around the model, which forbids changing a revision.
    QuerySet(ReferenceRevision).filter(pk=demo.active_revision_id).update(unusable_count=21)
    sentence = "21 of them cannot be graded and count as wrong"
    assert sentence in ada.get(make_address(scored)).content.decode()
    assert sentence in visitor.get(f"/benchmarks/{demo.slug}/about/").content.decode()
    assert visitor.get(f"/api/v1/benchmarks/{demo.slug}/").json()["unusable_tasks"] == 21


def test_publishing_and_withdrawing_add_and_remove_the_row(ada, visitor, scored):
    assert "Publishing is permanent" in " ".join(ada.get(make_address(scored)).content.decode().split())
    published = ada.post(f"{make_address(scored)}publish/", follow=True)
    assert (
        published.redirect_chain[-1][0]
        == f"/benchmarks/medagentbench-demo/#system-{Standing.objects.get().system_id}"
    )
    assert "Published on" in published.content.decode()
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


def test_publishing_too_often_a_day_is_refused_with_the_reason(ada, scored):
    for _ in range(MOST_A_DAY):
        ada.post(f"{make_address(scored)}publish/")
        ada.post(f"{make_address(scored)}withdraw/")
    content = ada.post(f"{make_address(scored)}publish/", follow=True).content.decode()
    assert "published 5 times in the last 24 hours" in content
    assert not Standing.objects.exists()


def test_the_page_warns_before_and_after_withdrawing_that_it_cannot_be_published_again_today(
    ada, grace, scored
):
    warning = "once withdrawn, it can be published again only later"
    for time in range(1, MOST_A_DAY + 1):
        is_last = time == MOST_A_DAY
        ada.post(f"{make_address(scored)}publish/")
        html = ada.get(make_address(scored)).content.decode()
        assert (warning in html) is is_last
        assert warning not in grace.get(make_address(scored)).content.decode()
        html = ada.post(f"{make_address(scored)}withdraw/", follow=True).content.decode()
        assert ("You may publish it again." in html) is not is_last
        assert ("It was published 5 times in the last 24 hours, so it can" in html) is is_last
        assert warning not in html


def test_withdrawing_an_unpublished_result_is_refused_with_the_reason(ada, scored):
    content = ada.post(f"{make_address(scored)}withdraw/", follow=True).content.decode()
    assert "Only a published submission can be withdrawn" in content


def test_others_see_no_file_name_warnings_or_tasks_of_a_published_submission(
    visitor, ada, demo, user, noisy_file
):
    Board.objects.filter(pk=demo.pk).update(feedback=Feedback.BY_TASK)
    result = factories.send(user, demo, noisy_file, filename="ward-7-secret.json")
    publish(submission_id=result.submission.pk, team=personal_team(user), by=user)
    own = ada.get(make_address(result.submission.pk)).content.decode()
    public = visitor.get(make_address(result.submission.pk)).content.decode()
    for private in ("ward-7-secret.json", "Wrong tasks", "warning", "Withdraw"):
        assert private in own
        assert private not in public
    assert "60.0%" in public


@pytest.mark.parametrize(
    ("level", "by_type", "by_task"),
    [(Feedback.OVERALL, False, False), (Feedback.BY_TYPE, True, False), (Feedback.BY_TASK, True, True)],
)
def test_the_page_shows_what_the_level_allows_and_nothing_beyond(ada, demo, scored, level, by_type, by_task):
    Board.objects.filter(pk=demo.pk).update(feedback=level)
    content = ada.get(make_address(scored)).content.decode()
    assert "94.0%" in content
    assert ("Last glucose" in content, "Query success rate" in content) == (by_type, by_type)
    assert ("Wrong tasks" in content) == by_task
    tasks = ada.get(f"{make_address(scored)}tasks/?outcome=all")
    assert (tasks.status_code == 200) == by_task
    assert ("task1_1" in tasks.content.decode()) == by_task
    content += tasks.content.decode()
    # The failed check would reveal what the reference requires.
    reasons = ("answer-mismatch", "post-payload", "post-count", "unexpected-post")
    assert set(reasons) <= set(Reason)
    assert [reason for reason in reasons if reason in content] == []


def test_no_reference_is_in_the_page_of_its_owner_at_any_level(ada, demo, scored):
    hidden = set()
    for reference in factories.demo_references().values():
        hidden |= {text for text in (reference.mrn, reference.time, reference.referral) if text}
        if isinstance(reference.value, list | tuple):
            hidden |= {str(part) for part in reference.value} - {"Patient not found"}
    assert len(hidden) > 10
    for level in Feedback.values:
        Board.objects.filter(pk=demo.pk).update(feedback=level)
        content = ada.get(make_address(scored)).content.decode()
        assert not {text for text in hidden if text in content}


def test_a_rejected_file_keeps_its_report(ada, demo, user, malformed_file):
    pk = factories.send(user, demo, malformed_file).submission.pk
    content = ada.get(make_address(pk)).content.decode()
    assert "It was not scored, and costs no quota." in content
    assert "answer.not-a-string" in content
    assert "Submit the corrected file" in content


def test_the_page_of_a_pending_submission_says_so_and_polls(ada, demo, scored):
    Submission.objects.filter(pk=scored).update(status=Status.QUEUED, evaluation=None, scored_at=None)
    content = ada.get(make_address(scored)).content.decode()
    assert "waiting to be scored" in content
    assert re.search(
        rf'hx-get="{make_address(scored)}progress/\?announced=queued"\s+hx-trigger="every 2s"', content
    )
    assert re.search(r'<noscript>\s*<meta http-equiv="refresh" content="3">\s*</noscript>', content)


def test_a_failed_submission_says_why_and_how_to_retry(ada, demo, scored):
    Submission.objects.filter(pk=scored).update(
        status=Status.FAILED, evaluation=None, scored_at=None, failure="A fault of ours."
    )
    content = ada.get(make_address(scored)).content.decode()
    assert "Scoring failed.</strong> A fault of ours." in content
    assert "Send the same file again" in content


def test_a_published_result_that_is_no_entry_names_the_entry_its_score_and_why(
    ada, visitor, demo, user, scored, noisy_file
):
    ada.post(f"{make_address(scored)}publish/")
    weaker = factories.make_scored(user, demo, noisy_file, system="Mine").pk
    ada.post(f"{make_address(weaker)}publish/")
    for reader in (ada, visitor):
        html = " ".join(reader.get(make_address(weaker)).content.decode().split())
        shown = f'<a href="{make_address(scored)}">another result of the system, 94.0%</a>.'
        assert f"The leaderboard shows {shown} It was published first, and the first one is the" in html


def test_the_figures_and_tables_are_those_of_the_benchmark_in_its_units(ada, fhir_demo, user, good_answers):
    submission = factories.make_scored(user, fhir_demo, good_answers)
    content = re.sub(r">\s+<", "><", ada.get(make_address(submission.pk)).content.decode())
    assert "<dt>Answer correctness</dt>" in content
    assert "Success rate" not in content
    figures = submission.evaluation.metrics
    note = '<dd class="sub">over 58 of 60 tasks</dd>'
    assert f"<dt>Precision</dt><dd>{100 * figures['precision']:.1f}%</dd>{note}" in content
    assert f"<dt>Tokens per question</dt><dd>{figures['tokens_per_question']:,.0f}</dd>" in content
    assert f"<dt>Cost per question</dt><dd>${figures['cost_per_question']:.4f}</dd>" in content
    for head in ("Precision", "Recall", "F1"):
        assert f'<th scope="col" class="n"><abbr title="{head}">' in content
    assert "<dt>Judge</dt><dd>Wardboard rules 6</dd>" in content
    list_html = ada.get("/submissions/").content.decode()
    assert "answer correctness" in list_html


def test_figures_by_type_are_hidden_at_the_overall_level(ada, fhir_demo, user, good_answers):
    submission = factories.make_scored(user, fhir_demo, good_answers)
    hidden_texts = ("Precision", "Recall", "F1", "Resource type")
    content = ada.get(make_address(submission.pk)).content.decode()
    assert [hidden for hidden in hidden_texts if hidden not in content] == []
    Board.objects.filter(pk=fhir_demo.pk).update(feedback=Feedback.OVERALL)
    content = ada.get(make_address(submission.pk)).content.decode()
    assert "This leaderboard shows overall scores only." in content
    # A random token may hold “F1”.
    content = re.sub(r'value="[\w-]{43,64}"', "", content)
    assert [hidden for hidden in hidden_texts if hidden in content] == []


def test_my_submissions_lists_only_my_own(ada, grace, visitor, scored):
    assert "Mine" in ada.get("/submissions/").content.decode()
    assert "No submissions yet" in grace.get("/submissions/").content.decode()
    assert visitor.get("/submissions/").status_code == 302


def test_a_get_changes_nothing(ada, scored):
    assert ada.get(f"{make_address(scored)}publish/").status_code == 405
    assert not Submission.objects.published().exists()


def test_an_unknown_submission_is_not_found(ada, db):
    assert ada.get(make_address(uuid.uuid4())).status_code == 404
    assert ada.get("/submissions/not-an-id/").status_code == 404


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
    with django_assert_max_num_queries(5):
        visitor.get(make_address(scored))


def test_groups_and_tables_without_a_task_are_left_out(ada, user, fhir_demo, good_answers):
    submission = factories.make_scored(user, fhir_demo, good_answers)
    html = ada.get(make_address(submission.pk)).content.decode()
    assert "Number of gold resources" in html
    assert re.search(r"\b0 of 1\b", html)
    # Around the model, which forbids changing an evaluation.
    QuerySet(Evaluation).filter(submission=submission).update(
        breakdowns={"resource_type": {"unknown": [40, 60]}, "true_resources": {"1": [0, 0]}}
    )
    html = ada.get(make_address(submission.pk)).content.decode()
    assert "Not known" in html
    assert "0 of 0" not in html
    assert "Number of gold resources" not in html


def test_the_format_of_a_file_is_named_in_words(ada, user, scored, fhir_demo, good_answers):
    assert ", read as a result file" in ada.get(make_address(scored)).content.decode()
    submission = factories.make_scored(user, fhir_demo, good_answers)
    assert ", read as a JSON array" in ada.get(make_address(submission.pk)).content.decode()
    assert format_words("parquet", fhir_demo.benchmark) == "parquet"
