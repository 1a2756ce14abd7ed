"""A season from its opening to its reveal, by a clock that the tests set: one table, and nothing lost."""

import pytest
from cryptography.fernet import InvalidToken
from django.db import OperationalError

from leaderboard.models import AuditEvent, BoardEvent, BoardStatistics, Evaluation, SealedFile, Season
from leaderboard.services.delete_account import delete_account
from leaderboard.services.errors import BoardClosed, WrongState
from leaderboard.services.publishing.review_links import create_link, find_linked
from leaderboard.services.seasons import score, seal
from tests.support import factories, seasons
from tests.support.seasons import CLOSED, DURING, MARKS, REVEALED, assert_one_table, later, told_of, work
from tests.support.walk import text_of
from wardboard.scoring.fhir_agentbench import demo as fhir_files
from wardboard.scoring.medagentbench import demo as medagentbench_files

pytestmark = pytest.mark.django_db
AWAY = OperationalError("the database is away")


def test_a_season_is_closed_and_then_revealed(season, sent, visitor):
    work(DURING)
    assert {(row.fault, bool(row.result)) for row in SealedFile.objects.all()} == {("", True)}
    work(CLOSED)
    assert told_of(season, "closed")[0]["digest"] == seasons.digest_shown(season)
    assert (Evaluation.objects.exists(), season.board.standings.exists()) == (False, False)
    work(REVEALED)
    assert_one_table(season)
    assert {row.chosen_before_score for row in season.board.standings.all()} == {True}
    assert not SealedFile.objects.exclude(result="").exists()
    last = BoardEvent.objects.filter(board=season.board).latest("number")
    assert Season.objects.get().table_number == last.number
    assert BoardStatistics.objects.get(board=season.board, number=last.rows_number).systems == 3
    assert "One look" in visitor.get(f"/benchmarks/{season.board.slug}/").text


@pytest.mark.parametrize("days", [0, 400])
def test_a_leap_of_the_clock_or_a_server_that_was_down_loses_nothing(season, sent, days):
    work(later(REVEALED, days=days))
    assert_one_table(season)


def test_a_clock_that_is_set_back_opens_nothing_again(season, sent, user):
    work(seasons.LAST_SECOND)
    assert told_of(season, "closed") == []
    for now in (CLOSED, REVEALED):
        work(now)
        with pytest.raises(BoardClosed, match="A late file belongs to the next season"):
            seasons.send(user, season, b"{}")
        assert work(DURING) == 0
    assert_one_table(season)


@pytest.mark.parametrize(("owner", "name"), seasons.IN_A_REVEAL)
def test_a_reveal_that_is_cut_off_anywhere_is_repeated(season, sent, monkeypatch, owner, name):
    work(CLOSED)
    with monkeypatch.context() as broken:
        seasons.cut_off_after(broken, owner, name)
        assert work(REVEALED) == 0
    assert (told_of(season, "revealed"), Evaluation.objects.exists()) == ([], False)
    work(REVEALED)
    assert_one_table(season)


@pytest.mark.parametrize("times", [1, 2])
def test_a_file_whose_workers_were_killed_is_scored_by_another(season, sent, monkeypatch, settings, times):
    settings.SCORING_ATTEMPTS = 2
    for _ in range(times):
        with monkeypatch.context() as killed:
            seasons.break_scoring(killed, seasons.Killed(), of="Two")
            with pytest.raises(seasons.Killed):
                work(CLOSED)
        # The reveal waits, as that worker may score it still.
        work(later(REVEALED, days=9))
        assert told_of(season, "revealed") == []
        seasons.forget_leases()
    work(CLOSED)
    # It is given up for an hour, in which it holds up no other.
    assert SealedFile.objects.filter(fault=score.INTERRUPTED).exists() == (times == 2)
    work(REVEALED)
    assert_one_table(season)


@pytest.mark.parametrize(("error", "now"), [(ValueError("a fault of the grader"), CLOSED), (AWAY, REVEALED)])
def test_a_fault_that_passes_before_the_reveal_costs_nothing(season, sent, monkeypatch, error, now):
    with monkeypatch.context() as broken:
        seasons.break_scoring(broken, error)
        work(now)
    work(later(REVEALED, hours=2))
    assert_one_table(season)


def test_a_fault_of_ours_that_stays_is_named_and_the_others_are_in_the_table(season, sent, monkeypatch):
    seasons.break_scoring(monkeypatch, ValueError("a fault of the grader"), of="Two")
    work(REVEALED)
    assert seasons.table_of(season) == {"One": 47, "Three": 44}
    assert told_of(season, "revealed")[0]["named"] == [sent["Two"].sha256]


def test_a_file_whose_check_failed_is_named_too(season, sent):
    type(sent["Two"]).objects.filter(pk=sent["Two"].pk).update(status="failed", failure="by us")
    work(REVEALED)
    assert told_of(season, "revealed")[0]["named"] == [sent["Two"].sha256]


def test_files_wait_for_a_judge_that_is_not_set_up(fhir_demo, user):
    fhir_demo.judge_mode = "llm"
    season = seasons.make_season(fhir_demo)
    seasons.send(user, season, fhir_files.GOOD.read_bytes())
    work(REVEALED)
    assert SealedFile.objects.get().fault == "judge-not-set-up"
    assert told_of(season, "revealed") == []
    work(later(REVEALED, days=1))
    assert len(told_of(season, "revealed")[0]["named"]) == 1


@pytest.mark.usefixtures("baseline_rows")
def test_a_task_set_aside_in_an_open_season_counts_in_no_row(demo, season, sent, boss):
    work(DURING)
    factories.correct_references(demo)
    revision = seasons.set_aside(season, "task1_1", by=boss)
    work(REVEALED)
    figures = {row.name: (row.right, row.total) for row in season.board.standings.all()}
    assert figures == {"One": (46, 49), "Two": (45, 49), "Three": (44, 49)}
    assert {*Evaluation.objects.values_list("revision", flat=True)} == {revision}


def test_neither_a_revision_of_the_leaderboard_nor_another_key_costs_a_result(demo, season, sent, settings):
    work(CLOSED)
    factories.correct_references(demo)
    settings.SECRET_KEY = "another-key-of-the-same-service" * 2
    with pytest.raises(InvalidToken):
        score.open_result(SealedFile.objects.first())
    work(REVEALED)
    assert_one_table(season)


def test_a_name_under_embargo_is_nowhere_until_its_day_and_never_in_the_first_table(blind, hidden, visitor):
    assert work(later(REVEALED, days=54)) == 0
    pages = seasons.read_everywhere(blind, hidden, later(REVEALED, days=54))
    found = [seasons.where(pages, text) for text in ("canary", MARKS["commit"])]
    assert (found, bool(seasons.where(pages, "System 1"))) == ([set(), set()], True)
    path = f"/benchmarks/{blind.board.slug}/board.csv"
    first = text_of(visitor.get(path))
    assert work(later(REVEALED, days=54, hours=12)) == 1
    event = BoardEvent.objects.filter(board=blind.board).latest("number")
    assert (event.data["kind"], event.data["from"]) == ("renamed", "System 1")
    assert text_of(visitor.get(path)) == first
    second = text_of(visitor.get(f"{path}?as_of={event.number}"))
    assert [text in second for text in ("Canary agent", "Canary team", MARKS["commit"])] == [True] * 3
    # The tests of the second table know it by its name.
    page = visitor.get(f"/benchmarks/{blind.board.slug}/?as_of={event.number}").text
    assert "2 systems are tied for first. Canary agent leads" in page


def test_whoever_has_left_before_the_day_is_never_named(blind, hidden, user):
    delete_account(user)
    assert work(later(REVEALED, days=55)) == 0
    assert seasons.table_of(blind) == {"System 1": 47, "Named": 46}


def test_a_statement_is_public_from_the_reveal_on_and_its_digest_at_once(season, sealed, visitor):
    digest = seal.digest_of(seasons.lodge(sealed, " Canary hypothesis. ").statement)
    assert f'"statement_sha256":"{digest}"'.encode() in seal.receipt_of_sealed(sealed)
    path = f"/benchmarks/{season.board.slug}/"
    for now, is_shown in ((CLOSED, False), (REVEALED, True)):
        work(now)
        page = visitor.get(path).text
        assert (digest in page, "Canary hypothesis" in page) == (True, is_shown)


def test_a_link_for_reviewers_opens_at_the_reveal(sealed, user):
    _, token = create_link(submission_id=sealed.pk, team=sealed.team, by=user, name="", days=None)
    with pytest.raises(WrongState, match="sealed"):
        find_linked(token)
    # It leads to the file that takes the place of this one.
    with_one_wrong = factories.with_wrong(medagentbench_files.GOOD.read_bytes(), 1)
    seasons.send(user, Season.objects.get(), with_one_wrong, now=later(DURING, hours=1))
    work(REVEALED)
    assert find_linked(token)[1].evaluation.right == 46


def test_a_sealed_file_that_an_organiser_opens_leaves_an_event(season, sealed, boss):
    work(DURING)
    result = seal.open_for_fault(submission=sealed, by=boss, reason="The judge was wrong.")
    assert (result.overall.right, Evaluation.objects.exists()) == (47, False)
    [opened] = seasons.told_of(season, "opened")
    assert (opened["sha256"], opened["reason"]) == (sealed.sha256, "The judge was wrong.")
    assert AuditEvent.objects.get(action=AuditEvent.Action.SEAL_OPENED).actor == boss
