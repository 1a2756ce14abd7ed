"""The organiser's command for FHIR-AgentBench: the board that it makes, and its output."""

from django.core.management import call_command

from leaderboard.models import Board, Standing
from wardboard.scoring.fhir_agentbench.demo import QUESTIONS


def run(*more, questions=QUESTIONS):
    call_command("import_references", "fhir-agentbench", "--questions", str(questions), *more)


def test_the_questions_become_a_board_with_the_published_results(db, capsys):
    run()
    board = Board.objects.get()
    assert (board.slug, board.benchmark, board.version) == ("fhir-agentbench", "fhir-agentbench", "1")
    assert (board.title, board.position) == ("FHIR-AgentBench", 30)
    assert board.active_revision.task_count == 60
    out = capsys.readouterr().out
    assert "20 published results are on the leaderboard as reported." in out
    assert Standing.objects.filter(board=board, system__source__contains="paper").count() == 20
    # The sizes of the groups stand beside the paper's.
    rows = [line.split() for line in out.splitlines()]
    assert ["Observation", "14", "1,146", "-1,132"] in rows
    assert ["Total", "60", "2,931", "-2,871"] in rows
    assert "8 of 8 sizes differ from the paper's" in out
    run("--slug", "trial", "--board-version", "demo")
    assert "published results are on" not in capsys.readouterr().out, "another version has none"
