"""A job submits to a real service: it sees its score, and fails where it should."""

import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import requests

import wardboard as library
from leaderboard.models import (
    Access,
    ApiToken,
    Board,
    Feedback,
    Scope,
    Status,
    Submission,
)
from leaderboard.models.submissions import PENDING as AT_THE_SERVICE
from leaderboard.services.accounts import create_token
from leaderboard.services.publishing.import_references import import_references
from tests.support.cli import wardboard, wardboard_process
from tests.support.factories import get_user, make_fhir_demo, make_user, other_references, verify, with_wrong
from tests.support.loopback import Loopback, ScriptedReply
from tests.support.processes import wait_for
from wardboard.client.service import ENDED, PENDING
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo

GOOD, FALLEN, BROKEN = demo.GOOD, demo.MIDDLING, demo.MALFORMED
GATES = ("--wait", "--fail-under", "0.80")


@pytest.fixture
def sparse(tmp_path):
    """Return the path of a file with three of the fifty results."""
    document = json.loads(GOOD.read_bytes())
    document["results"] = document["results"][:3]
    path = tmp_path / "sparse.json"
    path.write_text(json.dumps(document))
    return path


def test_a_good_release_passes_and_its_log_shows_score_interval_rank_and_page(service, submit):
    code, out, err = submit(GOOD, *GATES)
    assert (code, err) == (0, "")
    assert "My agent on medagentbench-demo" in out
    assert re.search(r"score +94\.0%", out)
    assert re.search(r"95% interval +83\.\d% to 97\.\d%", out)
    assert re.search(r"correct +47 of 50", out)
    assert re.search(r"would rank +1 of 1\b", out)
    assert "pass  fail-under  The score 94.0% is at least 80%." in out
    (submission,) = Submission.objects.all()
    assert f"{service}/submissions/{submission.pk}/" in out
    assert not submission.is_published


def test_a_release_that_falls_below_the_published_entry_fails(service, submit):
    code, out, _ = submit(GOOD, "--wait", "--publish", "--fail-on-regression")
    assert code == 0
    assert "none  fail-on-regression  “My agent” has no published entry" in out
    code, out, _ = submit(FALLEN, "--wait", "--publish", "--fail-on-regression")
    assert code == ExitCode.GATE_FAILED
    assert "FAIL  fail-on-regression  The score 60.0% falls below the published entry's 94.0%." in out
    assert [each.is_published for each in Submission.objects.order_by("received_at")] == [True, False]
    assert submit(FALLEN, "--fail-on-regression", "--tolerance", "0.35")[0] == 0
    code, out, _ = submit(FALLEN, "--fail-on-regression", "--tolerance", "0.35", "--quiet", system="Another")
    assert (code, "FAIL  as-described  You named “Another”" in out) == (ExitCode.GATE_FAILED, True)


def test_a_file_of_another_system_is_no_success_and_publishes_nothing(service, submit):
    assert submit(GOOD, "--wait", system="Alder")[0] == 0
    code, out, err = submit(GOOD, "--wait", "--publish", system="Birch")
    assert code == ExitCode.GATE_FAILED
    assert out.startswith("Alder on medagentbench-demo")
    (submission,) = Submission.objects.all()
    assert "You named “Birch”, but these files were sent before as a result of “Alder”" in err
    assert f"(submission {submission.pk})" in err
    assert "give --system “Alder”" in err
    assert not submission.is_published
    code, out, err = submit(GOOD, "--wait", "--allow-existing", system="Birch")
    assert (code, err) == (0, "")
    assert "notice         These files were sent before" in out


def test_a_file_sent_again_with_other_models_is_no_success(service, submit):
    assert submit(GOOD, "--wait")[0] == 0
    code, _, err = submit(GOOD, "--wait", "--model", "another")
    assert code == ExitCode.GATE_FAILED
    assert f"Not applied: models. The earlier submission is {Submission.objects.get().pk}." in err
    # A repeated job differs in its run.
    assert submit(GOOD, "--wait", "--run-url", "https://ci.example.org/17")[0] == 0


def test_the_command_says_which_result_the_leaderboard_shows_and_why(service, submit):
    code, out, _ = submit(FALLEN, "--wait", "--publish")
    assert re.search(r"rank +1 of 1\n", out)
    assert re.search(r"entry +yes\. It is the only published result of the system\.", out)
    first = Submission.objects.get()
    code, out, _ = submit(GOOD, "--wait", "--publish")
    assert code == 0
    assert re.search(rf"entry +no: the leaderboard shows {first.pk} with 60\.0%\. It was sent first", out)
    assert re.search(r"rank by score +1 of 1\n", out)


def test_a_task_by_chance_is_no_significant_regression_and_a_fall_is_one(service, submit, tmp_path):
    gate = ("--fail-on-regression", "--significant", "--quiet")
    code, out, _ = submit(GOOD, "--wait", "--publish", *gate)
    assert code == 0
    assert "none  fail-on-regression  “My agent” has no published entry, so there is nothing" in out
    by_chance = tmp_path / "by_chance.json"
    by_chance.write_bytes(with_wrong(GOOD.read_bytes(), 4))
    assert submit(by_chance, "--fail-on-regression")[0] == ExitCode.GATE_FAILED
    comment = tmp_path / "comment.md"
    code, out, _ = submit(by_chance, *gate, "--comment", comment)
    assert code == 0
    assert "pass  fail-on-regression  The result does not differ significantly" in out
    assert re.search(r"\(paired test by task of these two alone, 5%, p = [\d.]+\)", out)
    assert re.search(r"\| \w+ \| tasks \| right \| entry \| difference \|", comment.read_text())
    assert re.search(r"\| \w+ \| 5 \| [0-4] \| 5 \| -[1-5] \|", comment.read_text()), comment.read_text()
    code, out, _ = submit(FALLEN, *gate, "--publish")
    assert code == ExitCode.GATE_FAILED
    assert "FAIL  fail-on-regression  The result is significantly lower than the published entry's" in out
    # The entry again is the entry, which passes no comparison with itself.
    code, out, _ = submit(GOOD, *gate)
    assert (code, "pass  fail-on-regression" in out) == (0, False)
    assert "none  fail-on-regression  “My agent” has no published entry but this result itself" in out
    assert submit(GOOD, *gate, "--require-entry")[0] == ExitCode.GATE_FAILED
    assert submit(GOOD, *gate, "--require-entry", "--allow-existing", system="New")[0] == ExitCode.GATE_FAILED


def test_a_pair_that_cannot_be_tested_is_no_success(service, submit):
    assert submit(GOOD, "--wait", "--publish")[0] == 0
    import_references(board=Board.objects.get(), references=other_references(), origin="corrected")
    for option in ("--significant", "--tolerance=0.5"):
        code, out, _ = submit(FALLEN, "--fail-on-regression", option, "--commit", "a" * 40)
        assert code == ExitCode.GATE_FAILED
        assert "FAIL  fail-on-regression  The result cannot be tested against the published entry." in out


def test_a_job_that_designates_ends_the_same_when_it_is_run_again(service, submit, tmp_path):
    assert submit(GOOD, "--wait", "--publish")[0] == 0
    fallen = ("--designate", "--fail-on-regression", "--version", "2")
    for _ in range(2):
        code, out, _ = submit(FALLEN, *fallen)
        assert code == ExitCode.GATE_FAILED
        assert "FAIL  fail-on-regression  The score 60.0% falls below the former entry's 94.0%." in out
    better = tmp_path / "better.json"
    better.write_bytes(with_wrong(GOOD.read_bytes(), 4))
    risen = ("--designate", "--fail-on-regression", "--require-entry", "--version", "3")
    for _ in range(2):
        code, out, err = submit(better, *risen)
        assert (code, "does not fall below the former entry's 60.0%" in out) == (0, True), out + err
    # The first one fails still, although the entry of today is another one.
    assert submit(FALLEN, *fallen)[0] == ExitCode.GATE_FAILED
    significant = ("--fail-on-regression", "--significant", "--version", "3", "--quiet")
    assert submit(better, *significant)[0] == 0


@pytest.mark.parametrize(
    "written",
    ["My аgent", "Ｍｙ　agent", "my AGENT", "My–agent"],
    ids=["Cyrillic", "full width", "case", "dash"],
)
def test_a_name_that_is_written_another_way_finds_the_entry_of_its_system(service, submit, written):
    name = "My-agent" if "–" in written else "My agent"
    assert submit(GOOD, "--wait", "--publish", system=name)[0] == 0
    code, out, _ = submit(FALLEN, "--fail-on-regression", "--publish", system=written)
    assert code == ExitCode.GATE_FAILED
    assert "falls below the published entry's 94.0%" in out
    assert Submission.objects.filter(published_at=None).count() == 1


def test_a_designated_result_is_not_judged_by_a_test_against_itself(service, submit):
    code, _, err = submit(FALLEN, "--designate", "--fail-on-regression", "--significant")
    assert (code, Submission.objects.exists()) == (ExitCode.USAGE, False)
    assert "--designate publishes the result as the entry that --significant compares it with" in err


def test_a_hidden_result_shows_whether_it_is_worse_and_nothing_else(service, submit):
    assert submit(GOOD, "--wait", "--publish")[0] == 0
    Board.objects.update(is_demo=False, rounding=1)
    code, out, _ = submit(FALLEN, "--fail-on-regression", "--significant")
    assert (code, "p =" in out) == (ExitCode.GATE_FAILED, False)
    name = Submission.objects.get(published_at=None).pk
    token = {"Authorization": f"Bearer {os.environ['WARDBOARD_TOKEN']}"}
    address = f"{service}/api/v1/submissions/{name}/comparison/"
    answer = requests.get(address, headers=token, timeout=60).json()
    assert (answer["outcome"], answer["p"], answer["groups"]) == ("worse", None, {})
    _, other = create_token(user=make_user("other@example.org"), name="t", days=1)
    other = requests.get(address, headers={"Authorization": f"Bearer {other}"}, timeout=60)
    assert (other.status_code, requests.get(address, timeout=60).status_code) == (404, 401)


def test_a_rounded_score_that_may_be_below_the_gate_is_not_published(service, submit, tmp_path):
    Board.objects.update(is_demo=False, rounding=1)
    path = tmp_path / "of_a_few.json"
    path.write_bytes(with_wrong(GOOD.read_bytes(), 2))
    code, out, _ = submit(path, "--fail-under", "0.90", "--publish")
    assert (code, "(rounded to" in out) == (ExitCode.GATE_FAILED, True)
    assert "may be " in out
    assert not Submission.objects.get().is_published


def test_the_result_of_another_team_is_no_entry_to_compare_with(service, submit, monkeypatch):
    assert submit(GOOD, "--wait", "--publish")[0] == 0
    _, text = create_token(user=make_user("other@example.org"), name="t", days=1)
    monkeypatch.setenv("WARDBOARD_TOKEN", text)
    code, out, _ = submit(FALLEN, "--fail-on-regression")
    assert code == 0
    assert "none  fail-on-regression" in out


def test_missing_tasks_fail_before_anything_is_stored(service, submit, sparse):
    code, out, err = submit(sparse, "--wait", "--strict")
    assert code == ExitCode.GATE_FAILED
    assert "FAIL  strict" in out
    assert "47" in err
    assert not Submission.objects.exists()
    assert submit(sparse, "--wait")[0] == 0


def test_a_file_with_problems_fails_with_each_of_them(service, submit):
    code, out, err = submit(BROKEN, "--wait")
    assert code == ExitCode.FILE_HAS_PROBLEMS
    assert "error  answer.not-a-string  result 1, task1_1, line 8  /results/0/answer" in out
    assert "problems in the file" in err
    assert f"{service}/submissions/{Submission.objects.get().pk}/" in out


def test_what_passed_its_gates_is_published_and_what_did_not_is_not(service, submit):
    assert submit(FALLEN, "--publish", *GATES)[0] == ExitCode.GATE_FAILED
    code, out, _ = submit(GOOD, "--publish", *GATES)
    assert code == 0
    assert re.search(r"published +yes", out)
    assert re.search(r"\brank +1 of 1\b", out)
    published = {each.is_published: each.filename for each in Submission.objects.all()}
    assert published == {True: GOOD.name, False: FALLEN.name}


def test_a_score_that_may_not_be_published_yet_is_shown_all_the_same(service, submit, tmp_path):
    Board.objects.update(access=Access.APPROVED)
    verify(get_user("ci@example.org"))
    report = tmp_path / "submission.json"
    code, out, err = submit(GOOD, "--publish", *GATES, "--output", report)
    sent = Submission.objects.get()
    assert (code, json.loads(report.read_bytes())["id"]) == (ExitCode.REFUSED, str(sent.pk))
    assert re.search(r"score +94\.0%", out)
    assert "approval-needed" in out
    assert f"{service}/submissions/{sent.pk}/" in out
    assert "approve" in err


def test_json_is_the_document_of_the_api_and_nothing_else(service, submit, tmp_path):
    code, out, err = submit(GOOD, *GATES, "--json", "--output", tmp_path / "submission.json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    token = os.environ["WARDBOARD_TOKEN"]
    answer = requests.get(
        service + document["url"], headers={"Authorization": f"Bearer {token}"}, timeout=60
    ).json()
    assert document == answer == json.loads((tmp_path / "submission.json").read_text())
    code, out, _ = submit(BROKEN, "--json")
    problem = json.loads(out)
    assert (code, problem["code"], problem["status"]) == (1, "file-rejected", 422)
    code, out, _ = wardboard("leaderboard", "medagentbench-demo", "--json")
    answer = requests.get(f"{service}/api/v1/benchmarks/medagentbench-demo/leaderboard/", timeout=60)
    assert (code, json.loads(out)) == (0, answer.json())


@pytest.mark.parametrize("path", [GOOD, FALLEN, BROKEN], ids=lambda path: path.stem)
def test_checking_here_prints_the_document_of_the_service(service, path):
    _, out, _ = wardboard("validate", path, "--tasks", demo.TASKS, "--json")
    here = json.loads(out)
    with path.open("rb") as file:
        form = {"benchmark": "medagentbench-demo"}
        answer = requests.post(f"{service}/api/v1/validations/", data=form, files={"file": file}, timeout=60)
    there = answer.json()
    assert here.pop("benchmark", "") == ("medagentbench" if there.get("benchmark") else "")
    for name in ("benchmark", "instance"):
        there.pop(name, None)
    if not there["valid"]:
        assert there.pop("hint").startswith(here.pop("hint").rstrip("."))
    assert here == there


def test_an_error_never_replaces_the_report_of_an_earlier_run(service, submit, tmp_path):
    report = tmp_path / "submission.json"
    assert submit(GOOD, "--wait", "--output", report)[0] == 0
    before = report.read_bytes()
    assert submit(BROKEN, "--wait", "--output", report)[0] == 1
    assert submit(GOOD, "--wait", "--output", report, "--url", "http://127.0.0.1:9", "--attempts", 1)[0] == 7
    assert report.read_bytes() == before


def test_standard_input_and_several_runs_are_submitted(service, submit):
    assert submit("-", "--wait", stdin=GOOD.read_bytes())[0] == 0
    code, out, _ = submit(GOOD, FALLEN, "--wait")
    assert code == 0
    assert re.search(r"correct +77 of 100", out)
    assert set(Submission.objects.values_list("runs", flat=True)) == {1, 2}


def test_answers_that_were_open_and_are_wrong_now_are_a_regression(service, good_answers, tmp_path):
    board = make_fhir_demo()

    def judged(answer: str | None, *options: str) -> tuple[int, str, str]:
        """Send a run whose first five answers are that one."""
        records = json.loads(good_answers)
        path = tmp_path / "run.json"
        path.write_text(json.dumps([{**each, "agent_answer": answer} for each in records[:5]] + records[5:]))
        return wardboard("submit", path, "--benchmark", board.slug, "--system", "a", "--wait", *options)

    vague = "The values vary over the stay, as the notes of the ward describe at length."
    assert judged(vague, "--publish")[0] == 0
    code, out, _ = judged(None, "--fail-on-regression", "--quiet")
    assert code == ExitCode.GATE_FAILED
    # How far a range goes depends on what else of the file the rules leave open.
    falls = r"The score 73\.3(–7\d\.\d)?% falls below the published entry's 73\.3–8\d\.\d%\."
    assert re.search(falls, out), out


def test_a_field_that_the_service_refuses_ends_with_6(service, submit):
    code, out, _ = submit(GOOD, "--interaction", "sometimes")
    assert code == ExitCode.REFUSED
    assert "error  facts." in out


def test_without_a_token_and_for_an_unknown_leaderboard_the_service_refuses(service, submit, monkeypatch):
    assert wardboard("submit", GOOD, "--benchmark", "no-such", "--system", "a")[0] == ExitCode.REFUSED
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_unknown")
    code, _, err = submit(GOOD)
    assert code == ExitCode.REFUSED
    assert "token" in err


def test_a_submission_is_followed_published_and_withdrawn(service, submit):
    code, out, _ = submit(GOOD)
    assert code == 0
    (submission,) = Submission.objects.all()
    name = str(submission.pk)
    assert name in out
    assert re.search(r"score +94\.0%", wardboard("wait", name)[1])
    assert re.search(r"published +yes", wardboard("publish", name)[1])
    assert re.search(r"\brank +1 of 1\b", wardboard("status", f"/api/v1/submissions/{name}/")[1])
    board = wardboard("leaderboard", "medagentbench-demo")[1]
    assert re.search(r"1 +94\.0% +83\.\d% to 97\.\d% +My agent", board)
    assert re.search(r"published +no", wardboard("withdraw", name, "--reason", "wrong model")[1])
    submission.refresh_from_db()
    assert submission.withdrawal_reason == "wrong model"
    assert wardboard("status", "not-an-id")[0] == ExitCode.REFUSED


def test_traces_are_read_and_made_public_by_the_command(service, submit, tmp_path):
    Board.objects.update(public_traces=True)
    file = tmp_path / "traced.json"
    file.write_text(GOOD.read_text().replace("POST request acc", "by ada@ward.test: POST request acc"))
    code, _, _ = submit(str(file))
    assert code == 0
    name = str(Submission.objects.get().pk)
    assert "task3_1" in wardboard("trace", name)[1].split()
    shown = wardboard("trace", name, "task3_1")[1]
    assert shown.startswith("--- agent\nPOST http")
    assert "--- user\nby ada@ward.test: POST request accepted" in shown
    assert wardboard("publish", name, "--public-traces")[0] == 0
    assert Submission.objects.get().has_public_traces
    assert wardboard("publish", name, "--private-traces")[0] == 0
    assert not Submission.objects.get().has_public_traces
    assert wardboard("trace", name, "task9_99")[0] == ExitCode.REFUSED


def test_tasks_are_listed_with_own_answers_and_why_they_are_wrong(service, submit):
    assert submit(GOOD)[0] == 0
    name = str(Submission.objects.get().pk)
    assert wardboard("tasks", name)[0] == ExitCode.REFUSED
    Board.objects.update(feedback=Feedback.BY_CHECK)
    code, out, _ = wardboard("tasks", name)
    lines = out.splitlines()
    assert (code, len(lines)) == (0, 50)
    assert [line.split()[-1] == "correct" for line in lines] == [False] * 3 + [True] * 47
    wrong = wardboard("tasks", name, "--wrong")[1].splitlines()
    assert [line.split() for line in wrong] == [line.split() for line in lines[:3]]
    assert wrong[0] == "task6_1  task6  [126]   The answer is wrong."
    assert len(wardboard("tasks", name, "--type", "task1")[1].splitlines()) == 5
    assert wardboard("tasks", name, "--type", "task11")[0] == ExitCode.REFUSED
    document = json.loads(wardboard("tasks", name, "--json", "--wrong")[1])
    assert [task["outcome"] for task in document["tasks"]] == ["wrong"] * 3


def put_back(status: str, **fields) -> str:
    """Change the only submission from scored to `status`; return its id."""
    Submission.objects.update(status=status, evaluation=None, scored_at=None, **fields)
    return str(Submission.objects.get().pk)


def test_waiting_ends_with_5_while_there_is_no_score_and_with_another_code_without_one(service, submit):
    assert submit(GOOD)[0] == 0
    name = put_back(Status.INCOMPLETE, waits_for="provider-down")
    code, _out, err = wardboard("wait", name, "--timeout", "0")
    assert code == ExitCode.NOT_FINISHED
    assert f"wardboard wait {name}" in err
    put_back(Status.CANCELLED, waits_for="")
    assert wardboard("wait", name)[0] == ExitCode.NOT_SCORED
    put_back(Status.FAILED, failure="It broke.")
    code, _, err = wardboard("wait", name)
    assert (code, "It broke." in err) == (ExitCode.NOT_SCORED, True)
    put_back(Status.REJECTED, problem_count=1, failure="")
    assert wardboard("wait", name)[0] == ExitCode.FILE_HAS_PROBLEMS


def test_waiting_goes_on_until_there_is_a_score(service, submit):
    assert submit(GOOD)[0] == 0
    scored = Submission.objects.values("status", "evaluation", "scored_at", "waits_for").get()
    name = put_back(Status.INCOMPLETE, waits_for="provider-down")
    ApiToken.objects.update(last_used_at=None)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wardboard_process, "wait", name)
        # The command has asked once; its answer comes within the second.
        wait_for(lambda: ApiToken.objects.exclude(last_used_at=None).exists())
        time.sleep(1)
        assert not waiting.done()
        Submission.objects.update(**scored)
        code, out, err = waiting.result(timeout=240)
    assert code == 0
    assert re.search(r"score +94\.0%", out)
    assert err == f"wardboard: {name}: incomplete, waits: provider-down\n"


def test_the_command_knows_every_status_of_a_submission():
    assert {*PENDING, *ENDED} == set(Status.values)
    assert set(PENDING) == set(AT_THE_SERVICE)


def test_a_token_without_the_scope_is_refused_by_name(service, submit, monkeypatch):
    _, text = create_token(user=get_user("ci@example.org"), name="checks", days=1, scopes=[Scope.VALIDATE])
    monkeypatch.setenv("WARDBOARD_TOKEN", text)
    code, _, err = submit(GOOD)
    assert (code, "submit" in err) == (ExitCode.REFUSED, True)
    assert "for validate" in wardboard("token")[1]


def test_a_job_asks_for_a_quota_before_it_spends_an_hour_and_hears_when_there_will_be_enough(service, submit):
    quota = ("quota", "medagentbench-demo", "--require")
    assert wardboard(*quota, "99")[0] == 0
    Board.objects.update(daily_limit=3)
    for path in (GOOD, FALLEN):
        assert submit(path)[0] == 0
    assert wardboard(*quota, "1")[0] == 0
    first, second = Submission.objects.order_by("received_at").values_list("received_at", flat=True)
    for needed, at in ((2, first), (3, second)):
        code, out, err = wardboard(*quota, str(needed))
        assert (code, "1 of 3 files left" in out) == (ExitCode.REFUSED, True)
        assert f"Only 1 file may be sent to this leaderboard now, and {needed} are needed." in err
        assert f"There will be enough at {at + timedelta(days=1):%Y-%m-%dT%H:%M}" in err
    assert "The limit day does not allow so many" in wardboard(*quota, "4")[2]


def test_the_refusal_of_a_spent_quota_says_when_and_names_the_command(service, submit):
    Board.objects.update(daily_limit=1)
    assert submit(GOOD)[0] == 0
    code, _, err = submit(FALLEN)
    assert code == ExitCode.REFUSED
    assert "The next file may be sent on " in err
    assert "`wardboard quota`" in err
    assert "<slug>" not in err


def test_the_function_does_what_the_command_does(service, sparse):
    outcome = library.submit(
        GOOD, benchmark="medagentbench-demo", system="Mine", models=["m"], fail_under=0.8
    )
    assert (outcome.score, outcome.rank) == (0.94, (1, 1, 1))
    with pytest.raises(library.GateFailed) as failed:
        library.submit(sparse, benchmark="medagentbench-demo", system="Mine", strict=True)
    assert failed.value.code == ExitCode.GATE_FAILED
    with pytest.raises(library.RequestRefused) as refused:
        library.submit(BROKEN, benchmark="medagentbench-demo", system="Mine")
    assert refused.value.document["code"] == "file-rejected"
    with pytest.raises(library.WrongUse):
        library.submit("no-such-file.json", benchmark="medagentbench-demo", system="Mine")


@pytest.mark.parametrize(
    "arguments",
    [
        {"tolerance": 5, "fail_on_regression": True},
        {"tolerance": True, "fail_on_regression": True},
        {"fail_under": "0.8"},
        {"fail_under": float("nan")},
        {"fail_on_regression": 1},
        {"publish": "false"},
        {"commit": ""},
        {"version": " "},
        {"system": ""},
    ],
    ids=str,
)
def test_the_function_refuses_values_that_would_not_do_what_they_say(monkeypatch, arguments):
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_secret-of-the-team")
    with Loopback(ScriptedReply()) as server:
        named = {"benchmark": "b", "system": "s", "url": server.origin, **arguments}
        with pytest.raises(library.WrongUse):
            library.submit(GOOD, **named)
        assert server.paths == []


def test_a_token_is_checked_kept_for_its_owner_alone_and_forgotten(service, monkeypatch, tmp_path):
    token = os.environ["WARDBOARD_TOKEN"]
    monkeypatch.delenv("WARDBOARD_TOKEN")
    assert wardboard("login", stdin=b"wb_wrong\n")[0] == ExitCode.REFUSED
    code, out, _ = wardboard("login", stdin=token.encode() + b"\n")
    (kept,) = (tmp_path / "config").rglob("*.json")
    assert (code, kept.stat().st_mode & 0o777) == (0, 0o600)
    assert token not in out
    # The address is kept with it.
    monkeypatch.delenv("WARDBOARD_URL")
    code, out, _ = wardboard("token")
    assert (code, token in out) == (0, False)
    assert "ci@example.org" in out
    assert "all leaderboards" in out
    assert json.loads(wardboard("token", "--json")[1])["account"] == "ci@example.org"
    assert wardboard("quota", "medagentbench-demo")[0] == 0
    assert wardboard("token", "--forget")[0] == 0
    assert token not in kept.read_text()
    assert wardboard("token")[0] == ExitCode.USAGE
