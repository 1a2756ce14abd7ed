import pytest

from leaderboard.models import AuditEvent, Feedback, System, User
from leaderboard.services.errors import FactsInvalid, NotFound
from leaderboard.services.systems import read_facts
from leaderboard.services.teams import revoke_token
from leaderboard.web.forms import TokenForm
from tests.factories import make_facts, make_scored, make_user, send, with_wrong


@pytest.fixture
def staff(client, db):
    boss = User.objects.create_superuser("boss@example.org", "correct-horse-battery")
    client.force_login(boss)
    return client


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
    ],
)
def test_no_filter_reads_what_is_not_shown(staff, address):
    assert staff.get(f"/admin/leaderboard/{address}").status_code == 400


@pytest.mark.parametrize(
    "address",
    [
        "submission/?status__exact=scored&benchmark__id__exact=1",
        "submission/?received_at__year=2026",
        "auditevent/?action__exact=submission.scored&at__year=2026",
        "standing/?benchmark__id__exact=1",
    ],
)
def test_the_filters_that_are_shown_work(staff, address):
    assert staff.get(f"/admin/leaderboard/{address}").status_code == 200


def test_counts_in_the_export_are_whole(staff, demo, user, good_file, malformed_file):
    ids = [make_scored(user, demo, good_file).pk, send(user, demo, malformed_file).submission.pk]
    said = {"action": "export_csv", "_selected_action": ids}
    text = staff.post("/admin/leaderboard/submission/", said).content.decode()
    assert ",47,50," in text


def test_a_change_of_a_board_is_on_the_record(staff, demo):
    fields = ("title", "question", "feedback", "position")
    said = {name: getattr(demo, name) for name in fields} | {"is_demo": "on", "feedback": Feedback.OVERALL}
    assert staff.post(f"/admin/leaderboard/benchmark/{demo.pk}/change/", said).status_code == 302
    event = AuditEvent.objects.get(action=AuditEvent.Action.BENCHMARK_CHANGED)
    assert event.data == {"fields": {"feedback": {"was": "by-type", "now": "overall"}}}


def test_a_system_keeps_its_team_and_models(staff, demo, user, good_file):
    system = make_scored(user, demo, good_file).system
    said = {"name": "Renamed", "team": "", "model_names": "[]", "open_weights": "true"}
    assert staff.post(f"/admin/leaderboard/system/{system.pk}/change/", said).status_code == 302
    kept = System.objects.get()
    assert (kept.name, kept.team, kept.model_names) == ("Renamed", system.team, system.model_names)


def test_staff_sign_in_where_attempts_are_limited(client, db):
    assert client.get("/admin/login/").url.startswith("/accounts/login/")


def test_an_address_is_kept_in_lower_case(db):
    assert User.objects.create(email="Ada@Example.org").email == "ada@example.org"


@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "\u3164", "\u200d", "a\ue000", "a\u2028b"])
def test_names_that_hide_something_are_refused(name):
    with pytest.raises(FactsInvalid):
        read_facts(make_facts(system=name))
    assert "name" in TokenForm({"name": name, "days": "30"}).errors


def test_an_address_of_ftp_is_refused():
    with pytest.raises(FactsInvalid):
        read_facts(make_facts(code_url="FTP://example.org/code"))


def test_a_token_that_no_text_can_name_is_not_found(db):
    with pytest.raises(NotFound):
        revoke_token(user=make_user(), token_key="a\x00b")


def test_names_are_looked_up_as_the_constraint_compares_them(demo, user, good_file):
    # PostgreSQL writes the Kelvin sign as “k” in lower case, SQLite does not: neither may fail.
    for wrong, name in enumerate(("kbot", "\u212abot", "KBOT")):
        send(user, demo, with_wrong(good_file, wrong), system=name)
    assert System.objects.count() in (1, 2)
