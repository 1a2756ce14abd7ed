"""The organiser's command: it imports everything or nothing."""

import json

import pytest
from django.core.management import CommandError, call_command

from leaderboard.management.commands import import_references as command
from leaderboard.models import Board, Kind, ReferenceRevision, Standing
from wardboard.scoring import registry
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
    def be_killed(**_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command, "load_reported", be_killed)
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
