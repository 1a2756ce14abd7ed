"""Leaderboards with credentialed data: acknowledgement, no originals, no LLM without a declaration."""

import json
import os
import time

import pytest

from leaderboard.models import AuditEvent, Board, DataClass, JudgeMode, Submission
from leaderboard.services import data_class
from leaderboard.services.errors import RequestInvalid, WrongState
from leaderboard.services.files import orphans, store
from leaderboard.services.judging import judge
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.submissions.rescore import rescore
from tests.support.factories import correct_references, make_demo, make_fhir_demo, make_scored, send
from tests.support.paths import ROOT

CREDENTIALED = {"data_class": DataClass.CREDENTIALED}


@pytest.fixture
def guarded(db):
    """Return a board with credentialed data, which would keep files as they came if these were open."""
    return make_demo("guarded", data_class=DataClass.CREDENTIALED, keep_originals=True)


def has_original(submission) -> bool:
    try:
        with store.open_original(submission.stored_as):
            return True
    except FileNotFoundError:
        return False


def test_nothing_is_stored_without_the_acknowledgement_which_is_reported_beside_wrong_facts(
    guarded, user, good_file, malformed_file
):
    for stated in ("", "yes", "1999-01"):
        with pytest.raises(RequestInvalid) as refused:
            send(user, guarded, good_file, acknowledgement=stated)
        (problem,) = refused.value.facts
        assert (problem.code, problem.pointer) == ("request.acknowledgement-missing", "/acknowledgement")
        assert data_class.VERSION in problem.hint
    with pytest.raises(RequestInvalid) as refused:
        send(user, guarded, malformed_file, system="")
    assert [problem.pointer for problem in refused.value.facts] == ["/acknowledgement", "/system"]
    assert refused.value.file is None, "the file was not read"
    assert not Submission.objects.exists()


def test_who_acknowledged_what_and_when_is_kept_with_the_submission(guarded, user, good_file):
    submission = send(user, guarded, good_file, acknowledgement=data_class.VERSION).submission
    assert submission.acknowledged == data_class.VERSION
    assert submission.acknowledged_at == submission.received_at
    assert submission.submitted_by == user
    event = AuditEvent.objects.get(action=AuditEvent.Action.SUBMITTED)
    assert event.data["acknowledged"] == data_class.VERSION


@pytest.mark.parametrize("at_once", [10**9, 1], ids=["checked at once", "checked in the background"])
def test_the_original_is_dropped_and_the_file_can_be_rescored(guarded, user, good_file, settings, at_once):
    settings.CHECK_AT_ONCE_BYTES = at_once
    submission = send(user, guarded, good_file, acknowledgement=data_class.VERSION).submission
    submission.refresh_from_db()
    assert submission.status == "scored"
    assert not has_original(submission)
    imported = correct_references(guarded)
    result = rescore(board=guarded)
    assert imported.changed
    assert (result.changed, result.skipped) == (1, {})


def test_originals_of_before_are_removed_once_the_data_are_credentialed(demo, user, good_file, settings):
    submission = make_scored(user, demo, good_file)
    # Open data ask for no acknowledgement.
    assert (submission.acknowledged, submission.acknowledged_at) == ("", None)
    assert has_original(submission)
    change_settings(board=demo, values=CREDENTIALED)
    yesterday = time.time() - 25 * 60 * 60
    for path in settings.UPLOADS.glob(f"{submission.stored_as}.*"):
        os.utime(path, (yesterday, yesterday))
    orphans.clear()
    assert store.has_records(submission.stored_as)
    assert not has_original(submission)


@pytest.mark.parametrize("mode", [JudgeMode.LLM, JudgeMode.OFFICIAL])
def test_no_llm_is_asked_without_the_operators_declaration_and_the_rules_always_judge(db, settings, mode):
    evaluator = str(ROOT / "tests/support/scoring/official_evaluator.py")
    settings.JUDGE = {**settings.JUDGE, "api_key": "a-key", "model": "o4-mini", "evaluator": evaluator}
    settings.JUDGE_HAS_DAY_BUDGET = True
    board = make_fhir_demo("words", data_class=DataClass.CREDENTIALED, judge_mode=mode)
    with pytest.raises(judge.JudgeNotSetUp, match="JUDGE_DATA") as refused:
        judge.judge_of_board(board)
    assert refused.value.why == judge.NOT_DECLARED
    for declared in ("local", "no-retention"):
        settings.JUDGE_DATA = declared
        assert judge.judge_of_board(board).mode == mode
    settings.JUDGE_DATA = ""
    board.judge_mode = JudgeMode.RULES
    board.save()
    assert judge.judge_of_board(board) is not None


def test_a_board_that_an_undeclared_llm_judges_gets_no_credentialed_data(words):
    Board.objects.filter(pk=words.pk).update(judge_mode=JudgeMode.LLM)
    words.refresh_from_db()
    with pytest.raises(WrongState, match="JUDGE_DATA"):
        change_settings(board=words, values=CREDENTIALED)
    words.refresh_from_db()
    assert words.data_class == DataClass.OPEN


def test_a_file_about_patients_of_others_earns_a_warning(fhir_demo, user, good_answers):
    rows = json.loads(good_answers)
    assert not [w for w in make_scored(user, fhir_demo, good_answers).warnings if "patients" in w["code"]]
    rows[0]["patient_fhir_id"] = "someone"
    submission = make_scored(user, fhir_demo, json.dumps(rows).encode())
    assert [w["code"] for w in submission.warnings if "patients" in w["code"]] == ["patients.outside"]
