"""The organiser's command for FHIR-AgentBench: the board that it makes, and its output."""

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import Board, Standing
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench import boards
from wardboard.scoring.fhir_agentbench.demo import QUESTIONS


def run(*more, questions=QUESTIONS):
    call_command("import_references", "fhir-agentbench", "--questions", str(questions), *more)


def test_the_published_questions_become_a_board_with_the_published_results(db, capsys, monkeypatch):
    benchmark = registry.get("fhir-agentbench")
    for place in (boards, benchmark):
        monkeypatch.setattr(place, "are_published", lambda *_: True)
    run()
    board = Board.objects.get()
    assert (board.slug, board.benchmark, board.version) == ("fhir-agentbench", "fhir-agentbench", "1")
    assert (board.title, board.position) == ("FHIR-AgentBench", 30)
    assert "20 published results are on the leaderboard as reported." in capsys.readouterr().out
    assert Standing.objects.filter(board=board, system__source__contains="paper").count() == 20


def test_other_questions_get_no_published_results_whatever_they_say_of_their_version(db, capsys):
    with pytest.raises(CommandError, match="these are not the 2,931 questions of the paper"):
        run()
    run("--slug", "hidf")
    run("--slug", "claims", "--board-version", "1")
    assert dict(Board.objects.values_list("slug", "version")) == {"hidf": "hidf", "claims": "1"}
    assert not Standing.objects.filter(kind="reported").exists()
    out = capsys.readouterr().out
    assert "published results are on" not in out
    # The sizes of the groups stand beside the paper's.
    rows = [line.split() for line in out.splitlines()]
    assert ["Observation", "14", "1,146", "-1,132"] in rows
    assert ["Total", "60", "2,931", "-2,871"] in rows
    assert "8 of 8 sizes differ from the paper's" in out
