"""The organiser's command for FHIR-AgentBench: the board that it makes, and its output."""

import csv

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import Board, Standing
from wardboard.scoring.fhir_agentbench.demo import QUESTIONS
from wardboard.scoring.fhir_agentbench.grading.breakdowns import BREAKDOWNS, PUBLISHED_SIZES


def run(*more, questions=QUESTIONS):
    call_command("import_references", "fhir-agentbench", "--questions", str(questions), *more)


@pytest.fixture(scope="module")
def published_questions(tmp_path_factory):
    """Return a file with as many questions of each type as the paper has."""
    path = tmp_path_factory.mktemp("published") / "questions.csv"
    with QUESTIONS.open(newline="") as demo, path.open("w", newline="") as file:
        template = next(rows := csv.DictReader(demo))
        writer = csv.DictWriter(file, rows.fieldnames)
        writer.writeheader()
        keys = [key for key, size in PUBLISHED_SIZES.items() for _ in range(size)]
        for number, key in enumerate(keys):
            types = [] if key == "empty" else BREAKDOWNS[0].groups[key].split("/")
            ids = str({name: ["1"] for name in types})
            writer.writerow({**template, "question_id": f"{number:024x}", "true_fhir_ids": ids})
    return path


def test_the_published_questions_become_a_board_with_the_published_results(db, capsys, published_questions):
    run(questions=published_questions)
    board = Board.objects.get()
    assert (board.slug, board.benchmark, board.version) == ("fhir-agentbench", "fhir-agentbench", "1")
    assert (board.title, board.position) == ("FHIR-AgentBench", 30)
    out = capsys.readouterr().out
    assert "20 published results are on the leaderboard as reported." in out
    assert Standing.objects.filter(board=board, system__source__contains="paper").count() == 20
    assert "Complete: all sizes are the paper's." in out


def test_other_questions_get_no_published_results_whatever_they_say_of_their_version(db, capsys):
    with pytest.raises(CommandError, match="these are not the 2,931 questions of the paper"):
        run()
    run("--slug", "hidf")
    run("--slug", "claims", "--board-version", "1")
    boards = dict(Board.objects.values_list("slug", "version"))
    assert boards == {"hidf": "hidf", "claims": "1"}
    assert not Standing.objects.filter(kind="reported").exists()
    out = capsys.readouterr().out
    assert "published results are on" not in out
    # The sizes of the groups stand beside the paper's.
    rows = [line.split() for line in out.splitlines()]
    assert ["Observation", "14", "1,146", "-1,132"] in rows
    assert ["Total", "60", "2,931", "-2,871"] in rows
    assert "8 of 8 sizes differ from the paper's" in out
