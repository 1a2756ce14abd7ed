import json

import pytest
from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.forms import URLField
from django.utils.html import escape

from leaderboard.models import (
    AuditEvent,
    Benchmark,
    Evaluation,
    Feedback,
    JudgedAnswer,
    JudgeDay,
    JudgeMode,
    Status,
    Submission,
    System,
    User,
)
from leaderboard.services.accounts import revoke_token
from leaderboard.services.errors import FactsInvalid, NotFound
from leaderboard.services.files import store
from leaderboard.services.submissions.stated_facts import parse_facts
from leaderboard.services.text import file_size
from leaderboard.web.accounts.forms import TokenForm
from tests.support.factories import make_facts, make_fhir_demo, make_scored, make_user, send, with_wrong
from tests.support.pages.admin_forms import filled_form


@pytest.mark.parametrize(
    "address",
    [
        "evaluation/?metrics__query_success_rate__startswith=0",
        "evaluation/?breakdowns__contains=a",
        "evaluation/?verdicts__startswith=a",
        "evaluation/?revision__content__startswith=a",
        "referencerevision/?task_ids__contains=a",
        "referencerevision/?content__startswith=a",
        "submission/?problems__contains=a",
        "submission/?benchmark__active_revision__content__startswith=a",
        "submission/?benchmark__startswith=a",
        "auditevent/?data__contains=a",
        "evaluation/?suspects__contains=a",
        "evaluation/?suspect_answers__contains=a",
        "evaluation/?details__startswith=a",
        "submission/?progress__contains=a",
        "submission/?spent=1",
        "judgedanswer/?key=a",
        "judgedanswer/?correct=1",
    ],
)
def test_no_admin_filter_reads_hidden_content(staff, address):
    assert staff.get(f"/admin/leaderboard/{address}").status_code == 400


@pytest.mark.parametrize(
    "address",
    [
        "submission/?status__exact=scored&benchmark__id__exact=1",
        "submission/?received_at__year=2026",
        "auditevent/?action__exact=submission.scored&at__year=2026",
        "standing/?benchmark__id__exact=1",
        "submission/?waits_for__exact=provider-down",
        "judgeday/?day__year=2026",
    ],
)
def test_the_filters_that_are_shown_work(staff, address):
    assert staff.get(f"/admin/leaderboard/{address}").status_code == 200


def test_counts_in_the_export_are_whole(staff, demo, user, good_file, malformed_file):
    ids = [make_scored(user, demo, good_file).pk, send(user, demo, malformed_file).submission.pk]
    data = {"action": "export_csv", "_selected_action": ids}
    text = staff.post("/admin/leaderboard/submission/", data).content.decode()
    assert ",47,50," in text


def settings_of(board: Benchmark) -> str:
    return f"/admin/leaderboard/benchmark/{board.pk}/change/"


def test_a_change_of_a_board_makes_an_event(staff, demo):
    address = settings_of(demo)
    data = filled_form(staff.get(address), feedback=Feedback.OVERALL)
    assert staff.post(address, data).status_code == 302
    event = AuditEvent.objects.get(action=AuditEvent.Action.BENCHMARK_CHANGED)
    assert event.data == {"fields": {"feedback": {"was": "by-type", "now": "overall"}}}


def test_of_two_organisers_each_changes_only_what_they_changed(staff, demo):
    address = settings_of(demo)
    # Both open the page; the first lowers the feedback level, and the second does not see that.
    first = filled_form(staff.get(address), feedback=Feedback.OVERALL, is_demo=False)
    second = filled_form(staff.get(address), title="Renamed", daily_limit=7)
    for data in (first, second):
        assert staff.post(address, data).status_code == 302
    demo.refresh_from_db()
    assert (demo.feedback, demo.is_demo) == (Feedback.OVERALL, False)
    assert (demo.title, demo.daily_limit) == ("Renamed", 7)
    changed = AuditEvent.objects.filter(action=AuditEvent.Action.BENCHMARK_CHANGED).order_by("pk")
    assert [set(event.data["fields"]) for event in changed] == [
        {"feedback", "is_demo"},
        {"title", "daily_limit"},
    ]


def test_a_setting_that_agrees_with_what_was_seen_but_not_with_what_holds_is_refused(staff, fhir_demo):
    address = settings_of(fhir_demo)
    data = filled_form(staff.get(address), judge_mode=JudgeMode.LLM)
    staff.post(address, filled_form(staff.get(address), data_class="credentialed"))
    assert "set JUDGE_DATA" in staff.post(address, data).content.decode()
    fhir_demo.refresh_from_db()
    assert (fhir_demo.judge_mode, fhir_demo.data_class) == (JudgeMode.RULES, "credentialed")


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("rounding", 51, "less than or equal to 50."),
        ("position", 2**15, "less than or equal to 32767."),
        ("daily_limit", 2**31, "less than or equal to 2147483647."),
        ("storage_mib", 2**31, "less than or equal to 2147483647."),
        ("title", "\u202eMirrored", "It holds control or invisible characters."),
        ("question", "\u200b", "It holds control or invisible characters."),
    ],
)
def test_a_setting_that_no_database_or_reader_can_hold_is_refused_in_words(staff, demo, name, value, error):
    address = settings_of(demo)
    page = staff.post(address, filled_form(staff.get(address), **{name: value}))
    assert error in page.content.decode()
    assert getattr(demo, name) == getattr(Benchmark.objects.get(pk=demo.pk), name)


def test_the_organiser_can_change_the_judge_and_the_change_makes_an_event(staff, fhir_demo):
    address = settings_of(fhir_demo)
    data = filled_form(staff.get(address), judge_mode=JudgeMode.HYBRID, mixes_judges=True)
    assert staff.post(address, data).status_code == 302
    fhir_demo.refresh_from_db()
    assert (fhir_demo.judge_mode, fhir_demo.mixes_judges) == (JudgeMode.HYBRID, True)
    event = AuditEvent.objects.get(action=AuditEvent.Action.BENCHMARK_CHANGED)
    assert event.data["fields"]["judge_mode"] == {"was": "rules", "now": "hybrid"}


def save_judge_mode(client, board, judge_mode):
    """Save the board's form with `judge_mode`, as the organiser does; return the next page."""
    data = filled_form(client.get(settings_of(board)), judge_mode=judge_mode)
    return client.post(settings_of(board), data, follow=True).content.decode()


def test_the_form_explains_what_each_feedback_level_reveals(staff, demo):
    page = staff.get(f"/admin/leaderboard/benchmark/{demo.pk}/change/").content.decode()
    assert "which tasks only one of two published systems got right" in page


def test_choosing_a_judge_that_is_not_set_up_shows_a_warning(staff, fhir_demo, settings):
    settings.JUDGE = {**settings.JUDGE, "base_url": None, "api_key": None}
    assert "No LLM is set up" in save_judge_mode(staff, fhir_demo, JudgeMode.LLM)
    assert "No LLM is set up" not in save_judge_mode(staff, fhir_demo, JudgeMode.RULES)
    settings.JUDGE = {**settings.JUDGE, "base_url": "http://127.0.0.1:9/v1"}
    assert "No LLM is set up" not in save_judge_mode(staff, fhir_demo, JudgeMode.HYBRID)


def test_a_board_that_needs_no_judge_offers_none(staff, demo, fhir_demo):
    def form(board):
        return staff.get(f"/admin/leaderboard/benchmark/{board.pk}/change/").content.decode()

    for name in ("judge_mode", "mixes_judges"):
        assert f'name="{name}"' not in form(demo)
        assert f'name="{name}"' in form(fhir_demo)


class TestActions:
    """Test the organiser's actions in the list of submissions."""

    @pytest.fixture
    def waiting(self, user, good_answers):
        """Return an incomplete submission: the board's judge is not set up."""
        return send(user, make_fhir_demo(judge_mode=JudgeMode.LLM), good_answers).submission

    def do(self, client, action, *submissions):
        data = {"action": action, "_selected_action": [submission.pk for submission in submissions]}
        content = client.post("/admin/leaderboard/submission/", data, follow=True).content.decode()
        for submission in submissions:
            submission.refresh_from_db()
        return content

    def test_resume_continues_incomplete_submissions_at_once(self, staff, waiting):
        Benchmark.objects.update(judge_mode=JudgeMode.RULES)
        assert "1 resumed." in self.do(staff, "resume_now", waiting)
        assert waiting.status == Status.SCORED
        event = waiting.events.get(action=AuditEvent.Action.RETRIED)
        assert event.actor.email == "boss@example.org"
        assert "Tried again, or resumed" in staff.get("/admin/leaderboard/auditevent/").content.decode()
        page = staff.get(f"/admin/leaderboard/auditevent/{event.pk}/change/").content.decode()
        assert "Tried again, or resumed" in page

    def test_cancel_and_try_again(self, staff, waiting):
        assert "1 cancelled." in self.do(staff, "cancel", waiting)
        assert waiting.status == Status.CANCELLED
        Benchmark.objects.update(judge_mode=JudgeMode.RULES)
        assert "1 tried again." in self.do(staff, "try_again", waiting)
        assert waiting.status == Status.SCORED

    def test_an_action_reports_its_failures_beside_its_successes(self, staff, waiting, demo, user, good_file):
        scored = make_scored(user, demo, good_file)
        content = self.do(staff, "cancel", scored, waiting)
        assert "1 cancelled." in content
        assert f"{scored.pk}: Only a submission in progress can be cancelled" in content
        assert "Only an incomplete submission can be resumed" in self.do(staff, "resume_now", scored)
        assert "Only a failed or cancelled submission" in self.do(staff, "try_again", scored)

    def test_staff_with_view_permission_only_cannot_act(self, client, waiting):
        looker = User.objects.create_user("looker@example.org", "correct-horse-battery", is_staff=True)
        looker.user_permissions.add(Permission.objects.get(codename="view_submission"))
        client.force_login(looker)
        assert "Export as CSV" in client.get("/admin/leaderboard/submission/").content.decode()
        self.do(client, "cancel", waiting)
        assert waiting.status == Status.INCOMPLETE


class TestJudging:
    """Test the cost of judging, which only the organiser sees."""

    @pytest.fixture
    def judged(self, user, fhir_demo, good_answers):
        """Return a submission with judge costs and one suspect answer."""
        row = make_scored(user, fhir_demo, good_answers)
        spending = {"judge_calls": 1234, "judge_prompt_tokens": 5000, "judge_completion_tokens": 678}
        Submission.objects.filter(pk=row.pk).update(**spending, judge_cost=1.5, judge_seconds=60)
        # By a plain QuerySet: the model forbids changes to evaluations.
        QuerySet(Evaluation).filter(submission=row).update(
            suspects=fhir_demo.active_revision.task_ids[:1],
            spending={
                "calls": 1234,
                "prompt_tokens": 5000,
                "completion_tokens": 678,
                "cost": 1.5,
                "seconds": 60,
            },
        )
        return Submission.objects.get(pk=row.pk)

    SPENT = "1,234 calls, 5,678 tokens, $1.5000, 60.0 s"

    def test_the_list_of_submissions_shows_judge_and_spending(self, staff, judged):
        content = staff.get("/admin/leaderboard/submission/").content.decode()
        assert self.SPENT in content
        assert "rules 3" in content

    def test_an_evaluation_shows_suspect_answers_as_they_were_submitted(self, staff, judged, good_answers):
        task = judged.evaluation.suspects[0]
        answer = next(r["agent_answer"] for r in json.loads(good_answers) if r["question_id"] == task)
        page = staff.get(f"/admin/leaderboard/evaluation/{judged.evaluation_id}/change/").content.decode()
        assert self.SPENT in page
        assert f"<code>{task}</code><br>{escape(answer)}" in page

    def test_the_page_of_a_submission_without_its_file_shows_only_the_tasks(self, staff, judged):
        store.remove(judged.stored_as)
        page = staff.get(f"/admin/leaderboard/evaluation/{judged.evaluation_id}/change/").content.decode()
        assert "The file is gone" in page
        assert judged.evaluation.suspects[0] in page

    def test_daily_spending_and_cached_verdicts_are_listed_without_texts(self, staff, db):
        JudgeDay.objects.create(day="2026-03-01", calls=7, prompt_tokens=70, completion_tokens=9, cost=0.25)
        JudgedAnswer.objects.create(key=b"k" * 32, correct=True, judge="llm a-model")
        assert "0.25" in staff.get("/admin/leaderboard/judgeday/").content.decode()
        assert "1 judged answer" in staff.get("/admin/leaderboard/judgedanswer/").content.decode()

    def test_only_staff_see_the_spending_on_the_page_of_a_submission(self, client, judged, user):
        client.force_login(user)
        address = f"/submissions/{judged.pk}/"
        assert "For the organiser" not in client.get(address).content.decode()
        User.objects.filter(pk=user.pk).update(is_staff=True)
        assert "For the organiser" not in client.get(address).content.decode()
        user.user_permissions.add(Permission.objects.get(codename="view_submission"))
        page = client.get(address).content.decode()
        for text in ("For the organiser", "1,234", "$1.5000", "look at them"):
            assert text in page


def test_a_system_keeps_its_team_and_models(staff, demo, user, good_file):
    system = make_scored(user, demo, good_file).system
    data = {"name": "Renamed", "team": "", "model_names": "[]", "open_weights": "true"}
    assert staff.post(f"/admin/leaderboard/system/{system.pk}/change/", data).status_code == 302
    saved_system = System.objects.get()
    assert (saved_system.name, saved_system.team, saved_system.model_names) == (
        "Renamed",
        system.team,
        system.model_names,
    )


def test_staff_sign_in_where_attempts_are_limited(client, db):
    assert client.get("/admin/login/").url.startswith("/accounts/login/")


def test_an_email_address_is_stored_in_lower_case(db):
    assert User.objects.create(email="Ada@Example.org").email == "ada@example.org"


@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "\u3164", "\u200d", "a\ue000", "a\u2028b"])
def test_names_that_hide_something_are_refused(name):
    with pytest.raises(FactsInvalid):
        parse_facts(make_facts(system=name))
    assert "name" in TokenForm({"name": name, "days": "30"}).errors


def test_an_ftp_url_is_refused():
    with pytest.raises(FactsInvalid):
        parse_facts(make_facts(code_url="FTP://example.org/code"))


def test_a_token_with_invalid_characters_is_not_found(db):
    with pytest.raises(NotFound):
        revoke_token(user=make_user(), token_key="a\x00b")


def test_names_are_looked_up_as_the_constraint_compares_them(demo, user, good_file):
    # PostgreSQL writes the Kelvin sign as “k” in lower case, SQLite does not: neither may fail.
    for wrong, name in enumerate(("kbot", "\u212abot", "KBOT")):
        send(user, demo, with_wrong(good_file, wrong), system=name)
    assert System.objects.count() in (1, 2)


def test_a_url_without_a_scheme_becomes_https(staff, user, demo, good_file):
    system = make_scored(user, demo, good_file).system
    form = staff.get(f"/admin/leaderboard/system/{system.pk}/change/").context["adminform"].form
    addresses = [field for field in form.fields.values() if isinstance(field, URLField)]
    assert [field.assume_scheme for field in addresses] == ["https"] * 3


@pytest.mark.parametrize("name", ["\u202eevil", "\u200b", "\u3164 \u2800"])
def test_an_unreadable_team_name_is_refused(staff, team, name):
    inline = {f"memberships-{part}": 0 for part in ("TOTAL_FORMS", "INITIAL_FORMS")}
    owner = team.owner_alone_id
    address = f"/admin/leaderboard/team/{team.pk}/change/"
    refused = staff.post(address, {"name": name, "owner_alone": owner, **inline})
    assert refused.context["adminform"].form.errors["name"] == ["It holds control or invisible characters."]
    assert staff.post(address, {"name": "Ward Ω", "owner_alone": owner, **inline}).status_code == 302
    team.refresh_from_db()
    assert team.name == "Ward Ω"


def test_unreadable_names_of_people_and_organisations_are_refused(staff, user, demo, good_file):
    system = make_scored(user, demo, good_file).system
    for address, names in (
        (f"/admin/leaderboard/user/{user.pk}/change/", ("first_name", "last_name")),
        (f"/admin/leaderboard/system/{system.pk}/change/", ("name", "organisation")),
    ):
        refused = staff.post(address, dict.fromkeys(names, "Ward\u202e"))
        errors = refused.context["adminform"].form.errors
        for name in names:
            assert errors[name] == ["It holds control or invisible characters."]


def test_the_lists_of_teams_and_leaderboards_show_what_is_kept(staff, demo, user, good_file):
    kept = file_size(send(user, demo, good_file).submission.kept_bytes)
    assert f"{kept} of 5\xa0GB" in staff.get("/admin/leaderboard/team/").content.decode()
    assert f"{kept} of 20\xa0GB" in staff.get("/admin/leaderboard/benchmark/").content.decode()
