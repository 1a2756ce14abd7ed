"""The organiser's command: it imports everything or nothing, and what it says of each benchmark."""

import json
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command

from leaderboard.management.commands import import_references as command
from leaderboard.models import Board, Kind, ReferenceRevision, Standing
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench import boards
from wardboard.scoring.fhir_agentbench.demo import QUESTIONS
from wardboard.scoring.medagentbench import demo as files


def run(*more: str, tasks=files.TASKS) -> None:
    source = ("--tasks", str(tasks), "--fhir-recording", str(files.RECORDING))
    call_command("import_references", "medagentbench", *source, *more)


def test_what_cannot_become_a_board_is_refused(db):
    for slug in ("v2.1", "Bad Slug!", "böard", "a" * 61, ""):
        with pytest.raises(CommandError):
            run("--slug", slug)
    with pytest.raises(CommandError, match=r"not the tasks of MedAgentBench \(test_data_v2\)"):
        run("--slug", "medagentbench-300")
    assert not Board.objects.exists()
    assert not ReferenceRevision.objects.exists()


def test_results_in_several_pages_are_read_as_the_official_grader_does_unless_all_are_wanted(
    db, capsys, tmp_path
):
    lines = [json.loads(line) for line in files.RECORDING.read_text().splitlines()]
    paged = next(line for line in lines if "GLU" in line["url"] and len(line["body"].get("entry", ())) > 1)
    entries = paged["body"]["entry"]
    rest = "http://localhost:8080/fhir?_getpages=x"
    paged["body"] |= {"entry": entries[:1], "link": [{"relation": "next", "url": rest}]}
    later = {"url": rest, "status": 200, "body": {"resourceType": "Bundle", "entry": entries[1:]}}
    recording = tmp_path / "paged.ndjson"
    recording.write_text("".join(f"{json.dumps(line)}\n" for line in [*lines, later]))
    run("--slug", "whole")
    source = ("--tasks", str(files.TASKS), "--fhir-recording", str(recording))
    call_command("import_references", "medagentbench", *source, "--slug", "first")
    assert "1 of the searches have more pages, such as Observation?" in capsys.readouterr().out
    call_command("import_references", "medagentbench", *source, "--slug", "all", "--all-pages")
    assert "more pages" not in capsys.readouterr().out
    of = {row.board.slug: row for row in ReferenceRevision.objects.select_related("board")}
    assert of["first"].origin.endswith("; first page of 1 searches")
    assert of["first"].digest != of["whole"].digest == of["all"].digest


def test_an_import_that_was_killed_before_its_last_step_is_completed_by_the_next(db, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(command, "load_reported", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run("--slug", "trial", "--board-version", "v2")
    reported = Standing.objects.filter(kind=Kind.REPORTED)
    run("--slug", "trial", "--board-version", "v2")
    assert not reported.exists(), "these are not the tasks of v2"
    monkeypatch.setattr(registry.get("medagentbench"), "are_published", lambda *_: True)
    capsys.readouterr()
    run("--slug", "trial", "--board-version", "v2")
    assert reported.count() == 40
    out = capsys.readouterr().out
    assert "Nothing was changed.\n40 published results are on the leaderboard" in out


def run_fhir(*more):
    call_command("import_references", "fhir-agentbench", "--questions", str(QUESTIONS), *more)


def test_the_published_questions_become_a_board_with_the_published_results(db, capsys, monkeypatch):
    benchmark = registry.get("fhir-agentbench")
    for place in (boards, benchmark):
        monkeypatch.setattr(place, "are_published", lambda *_: True)
    run_fhir()
    board = Board.objects.get()
    assert (board.slug, board.benchmark, board.version) == ("fhir-agentbench", "fhir-agentbench", "1")
    assert (board.title, board.position) == ("FHIR-AgentBench", 30)
    assert "20 published results are on the leaderboard as reported." in capsys.readouterr().out
    assert Standing.objects.filter(board=board, system__source__contains="paper").count() == 20


def test_other_questions_get_no_published_results_whatever_they_say_of_their_version(db, capsys):
    with pytest.raises(CommandError, match="these are not the 2,931 questions of the paper"):
        run_fhir()
    run_fhir("--slug", "hidf")
    run_fhir("--slug", "claims", "--board-version", "1")
    assert dict(Board.objects.values_list("slug", "version")) == {"hidf": "hidf", "claims": "1"}
    assert not Standing.objects.filter(kind="reported").exists()
    out = capsys.readouterr().out
    assert "published results are on" not in out
    # The sizes of the groups stand beside the paper's.
    rows = [line.split() for line in out.splitlines()]
    assert ["Observation", "14", "1,146", "-1,132"] in rows
    assert ["Total", "60", "2,931", "-2,871"] in rows
    assert "8 of 8 sizes differ from the paper's" in out
