"""A job submits to a real service: it sees its score, and fails where it should."""

import json
import os
import re

import pytest
from django.test import Client

import wardboard as library
from leaderboard.models import Board, Feedback, Scope, Status, Submission
from leaderboard.models.submissions import PENDING as AT_THE_SERVICE
from leaderboard.services.accounts import create_token
from leaderboard.services.teams import members
from tests.support.api_client import Api
from tests.support.cli import wardboard
from tests.support.factories import (
    get_user,
    make_lane,
    only_tasks_of,
    with_answer,
    with_wrong,
)
from tests.support.loopback import Loopback, ScriptedReply
from wardboard.client.service import ENDED, PENDING
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo

GOOD, FALLEN, BROKEN = demo.GOOD, demo.MIDDLING, demo.MALFORMED
GATES = ("--wait", "--fail-under", "0.80")
OF_DEMO = ("--benchmark", "medagentbench-demo", "--system", "My agent")


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


def test_a_system_whose_result_was_withdrawn_is_told_so(service, submit):
    assert submit(GOOD, "--publish")[0] == 0
    withdrawn = str(Submission.objects.get().pk)
    assert wardboard("withdraw", withdrawn)[0] == 0
    code, out, _ = submit(FALLEN, "--fail-on-regression", "--require-entry")
    assert (code, f"Its result {withdrawn} was withdrawn on" in out) == (ExitCode.GATE_FAILED, True)


@pytest.mark.parametrize(("variable", "expected"), [(None, 0), ("GITHUB_SHA", 4), ("BUILDKITE_COMMIT", 4)])
def test_files_that_an_unnamed_run_sent_before_are_a_notice_and_in_a_ci_job_a_failure(
    service, submit, monkeypatch, variable, expected
):
    command = (GOOD, "--fail-under", "0.9", "--publish")
    assert submit(GOOD, "--fail-under", "0.9")[0] == 0
    if variable:
        monkeypatch.setenv(variable, "b" * 40)
    code, out, err = submit(*command)
    assert (code, "published      yes" in out) == (expected, not expected), out + err
    assert ("FAIL  as-described" in out, "none  same files" in out) == (bool(expected), not expected)
    code, out, err = submit(*command, "--allow-existing")
    assert (code, "published      yes" in out) == (0, True), out + err


def test_files_that_a_job_of_an_unknown_system_sends_again_pass_no_strict_gate(service, submit, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert submit(GOOD, "--strict", "--fail-under", "0.9")[0] == 0
    code, out, _ = submit(GOOD, "--strict", "--fail-under", "0.9")
    assert (code, "FAIL  same files" in out) == (ExitCode.GATE_FAILED, True)


def test_files_of_several_models_are_no_runs_of_one_system(service, submit, tmp_path):
    for folder in ("gpt-4o", "opus"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "results.json").write_bytes(GOOD.read_bytes())
    both = tmp_path / "*/results.json"
    sent = (submit(both, "--publish"), submit(tmp_path, *GATES, "--publish"))
    for ended in (*sent, wardboard("validate", both)):
        assert (ended[0], "there are results of 2 systems: gpt-4o, opus" in ended[1]) == (1, True)
    assert Submission.objects.count() == 0
    code, out, _ = submit(both, *GATES, "--strict", "--select", "opus/*")
    assert (code, Submission.objects.get().runs) == (0, 1), out
    both = [tmp_path / folder / "results.json" for folder in ("gpt-4o", "opus")]
    selected = ("--select", "gpt-4o/results.json", "--select", "opus/results.json")
    assert submit(*both, *selected, "--fact", "deterministic=true")[0] == 0
    assert sorted(submission.runs for submission in Submission.objects.all()) == [1, 2]


def test_a_task_by_chance_is_no_significant_regression_and_a_fall_is_one(service, submit, tmp_path):
    gate = ("--fail-on-regression", "--significant", "--quiet")
    code, out, _ = submit(GOOD, "--wait", "--publish", *gate)
    assert code == 0
    assert "none  fail-on-regression  “My agent” has no published entry, so there is nothing" in out
    by_chance = tmp_path / "by_chance.json"
    by_chance.write_bytes(with_wrong(GOOD.read_bytes(), 4))
    assert submit(by_chance, "--fail-on-regression")[0] == ExitCode.GATE_FAILED
    code, out, _ = submit(by_chance, *gate)
    assert code == 0
    assert "pass  fail-on-regression  The result does not differ significantly" in out
    assert re.search(r"\(paired test by task of these two alone, 5%, p = [\d.]+\)", out)
    code, out, _ = submit(FALLEN, *gate, "--publish")
    assert code == ExitCode.GATE_FAILED
    assert "FAIL  fail-on-regression  The result is significantly lower than the published entry's" in out


def test_a_submission_is_followed_published_and_withdrawn(service, submit):
    code, out, _ = submit(GOOD)
    assert code == 0
    (submission,) = Submission.objects.all()
    name = str(submission.pk)
    assert name in out
    Board.objects.update(public_traces=True)
    assert re.search(r"published +yes", wardboard("publish", name, "--public-traces")[1])
    assert Submission.objects.get().has_public_traces
    assert re.search(r"\brank +1 of 1\b", wardboard("status", f"/api/v1/submissions/{name}/")[1])
    assert re.search(
        r"entry +yes\. It is the only published result of the system\.", wardboard("status", name)[1]
    )
    assert re.search(r"published +no", wardboard("withdraw", name)[1])
    assert wardboard("status", "not-an-id")[0] == ExitCode.REFUSED


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
    assert wrong == lines[:3]
    assert wrong[0].split(maxsplit=3) == ["task6_1", "task6", "wrong", "The answer is wrong."]
    document = json.loads(wardboard("tasks", name, "--json", "--wrong")[1])
    assert [task["outcome"] for task in document["results"]] == ["wrong"] * 3


def put_back(status: str, **fields) -> str:
    """Change the only submission from scored to `status`; return its id."""
    Submission.objects.update(status=status, evaluation=None, scored_at=None, **fields)
    return str(Submission.objects.get().pk)


def test_waiting_ends_with_5_while_there_is_no_score_and_with_another_code_without_one(service, submit):
    assert submit(GOOD)[0] == 0
    name = put_back(Status.INCOMPLETE, waits_for="provider-refused")
    code, out, err = wardboard("wait", name, "--timeout", "0")
    assert code == ExitCode.NOT_FINISHED
    assert f"wardboard wait {name}" in err
    for text in (out, err):
        assert "waits: provider-refused. The provider of the judge model refuses our requests." in text
    put_back(Status.FAILED, waits_for="", failure="It broke.")
    code, _, err = wardboard("wait", name)
    assert (code, "It broke." in err) == (ExitCode.FAULT, True)


def test_the_command_knows_every_status_of_a_submission():
    assert {*PENDING, *ENDED} == set(Status.values)
    assert set(PENDING) == set(AT_THE_SERVICE)


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


def test_the_function_refuses_values_that_would_not_do_what_they_say(monkeypatch):
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_secret-of-the-team")
    with Loopback(ScriptedReply()) as server:
        for arguments in (
            {"tolerance": 5, "fail_on_regression": True},
            {"tolerance": True, "fail_on_regression": True},
            {"fail_under": "0.8"},
            {"fail_under": float("nan")},
            {"fail_on_regression": 1},
            {"publish": "false"},
            {"commit": ""},
            {"version": " "},
            {"system": ""},
        ):
            with pytest.raises(library.WrongUse):
                library.submit(GOOD, **{"benchmark": "b", "system": "s", "url": server.origin, **arguments})
            assert server.paths == [], arguments


def test_a_token_is_checked_kept_and_forgotten(service, monkeypatch, tmp_path):
    token = os.environ["WARDBOARD_TOKEN"]
    monkeypatch.delenv("WARDBOARD_TOKEN")
    assert wardboard("login", stdin=b"wb_wrong\n")[0] == ExitCode.REFUSED
    assert wardboard("login", stdin=token.encode() + b"\n")[0] == 0
    # The address is kept with it.
    monkeypatch.delenv("WARDBOARD_URL")
    code, out, _ = wardboard("token")
    assert (code, token in out, "ci@example.org" in out) == (0, False, True)
    assert json.loads(wardboard("token", "--json")[1])["account"] == "ci@example.org"
    assert wardboard("token", "--forget")[0] == 0
    (kept,) = (tmp_path / "config").rglob("*.json")
    assert token not in kept.read_text()
    assert wardboard("token")[0] == ExitCode.USAGE


def test_a_hidden_result_is_rounded_and_shows_whether_it_is_worse_and_nothing_else(service, submit, tmp_path):
    assert submit(GOOD, "--wait", "--publish")[0] == 0
    Board.objects.update(is_demo=False, rounding=1)
    code, out, _ = submit(FALLEN, "--fail-on-regression", "--significant")
    assert (code, "p =" in out) == (ExitCode.GATE_FAILED, False)
    path = tmp_path / "of_a_few.json"
    path.write_bytes(with_wrong(GOOD.read_bytes(), 2))
    code, out, _ = submit(path, "--fail-under", "0.90", "--publish")
    assert (code, "(rounded to" in out, "may be " in out) == (ExitCode.GATE_FAILED, True, True)
    assert Submission.objects.filter(published_at__isnull=False).count() == 1


def test_what_fails_a_gate_or_the_check_is_not_published_and_may_not_be_stored(service, submit, sparse):
    code, out, err = submit(sparse, "--wait", "--strict")
    assert (code, "FAIL  strict" in out, "47" in err) == (ExitCode.GATE_FAILED, True, True)
    assert not Submission.objects.exists()
    code, out, err = submit(BROKEN, "--wait")
    assert (code, "problems in the file" in err) == (ExitCode.FILE_HAS_PROBLEMS, True)
    assert "error  answer.not-a-string  result 1, task1_1, line 8  /results/0/answer" in out
    assert f"{service}/submissions/{Submission.objects.get().pk}/" in out
    assert submit(FALLEN, "--publish", *GATES)[0] == ExitCode.GATE_FAILED
    code, out, _ = submit(GOOD, "--publish", *GATES)
    assert (code, bool(re.search(r"published +yes", out))) == (0, True)
    published = Submission.objects.filter(published_at__isnull=False)
    assert [each.filename for each in published] == [GOOD.name]


def test_the_service_refuses_by_name_and_ends_with_6(service, submit, monkeypatch):
    for command, words in (
        ((*OF_DEMO, "--fact", "interaction=sometimes"), "facts."),
        (("--benchmark", "no-such", "--system", "My agent"), "no-such"),
    ):
        code, out, err = wardboard("submit", GOOD, *command)
        assert (code, words in out + err) == (ExitCode.REFUSED, True), err
    Board.objects.update(daily_limit=1)
    assert submit(GOOD)[0] == 0
    code, _, err = submit(FALLEN)
    assert code == ExitCode.REFUSED
    assert "The next file may be sent on " in err
    _, text = create_token(user=get_user("ci@example.org"), name="checks", days=1, scopes=[Scope.VALIDATE])
    for token in ("wb_unknown", text):
        monkeypatch.setenv("WARDBOARD_TOKEN", token)
        assert submit(GOOD)[0] == ExitCode.REFUSED
    assert "for validate" in wardboard("token")[1]


def test_the_document_of_the_service_is_printed_and_checking_here_prints_the_same(service, submit, tmp_path):
    code, out, err = submit(GOOD, *GATES, "--json", "--output", tmp_path / "submission.json")
    assert (code, err) == (0, "")
    api = Api(os.environ["WARDBOARD_TOKEN"])
    document = json.loads(out)
    assert document == api.get(document["url"]).json()
    assert document == json.loads((tmp_path / "submission.json").read_text())
    for path in (GOOD, BROKEN):
        here = json.loads(wardboard("validate", path, "--tasks", demo.TASKS, "--json")[1])
        form = {"benchmark": "medagentbench-demo", "file": path.open("rb")}
        there = Client().post("/api/v1/validations/", form).json()
        different = {"benchmark", "instance", "hint"}
        for name in here.keys() | there.keys():
            assert name in different or here[name] == there[name], f"{name} of {path}"


# --- The unranked lane ----------------------------------------------------------------------------------


@pytest.fixture
def nightly(service, tmp_path):
    """Send the file of a night, with `wrong` answers made wrong; return exit code, stdout and stderr."""
    lane, path = make_lane()[1], tmp_path / "results.json"

    def run(*arguments, wrong=0, benchmark="ranked", system="My agent"):
        path.write_bytes(with_wrong(only_tasks_of(lane, GOOD.read_bytes()), wrong))
        options = ("--benchmark", benchmark, "--system", system, "--unranked", *arguments)
        return wardboard("submit", path, *options)

    return run


def test_a_night_is_gated_compared_with_the_last_one_and_never_published(nightly):
    gate = ("--fail-on-regression",)
    code, out, err = nightly(*gate, "--fail-under", "0.8")
    assert (code, err, out.startswith("My agent on ranked-dev\n")) == (0, "", True)
    assert "no earlier result on this unranked lane" in out
    assert ("  published      never: unranked lane" in out, "would rank" in out) == (True, False)
    assert nightly(*gate, "--require-entry", system="My agnet", wrong=1)[0] == ExitCode.GATE_FAILED
    # A file that is sent again is not compared with itself.
    for _ in range(2):
        code, out, _ = nightly(*gate, wrong=4)
        assert (code, "falls below the last unranked result's" in out) == (ExitCode.GATE_FAILED, True)
    code, out, _ = nightly(*gate, wrong=2, benchmark="ranked-dev")
    assert (code, "does not fall below the last unranked result's" in out) == (0, True)
    assert nightly("--fail-under", "0.8", wrong=5)[0] == ExitCode.GATE_FAILED
    assert not Submission.objects.filter(published_at__isnull=False).exists()


def test_the_lane_has_a_quota_of_its_own_and_a_leaderboard_without_one_takes_nothing(nightly):
    code, _, err = nightly("--wait", benchmark="medagentbench-demo")
    assert (code, "medagentbench-demo has no unranked lane" in err) == (ExitCode.REFUSED, True)
    assert not Submission.objects.exists()
    nightly()
    assert (
        "unranked lane    ranked-dev\nday              23 of 24 files left" in wardboard("quota", "ranked")[1]
    )
    assert wardboard("quota", "ranked", "--require", "24")[0] == 0
    assert wardboard("quota", "ranked", "--unranked", "--require", "24")[0] == ExitCode.REFUSED


# --- A team of several people ------------------------------------------------------------------------------


def test_a_member_submits_for_a_team_and_for_no_other(service, submit, monkeypatch):
    lab = members.create_team(user=get_user("ci@example.org"), name="Ward Lab", handle="ward-lab")
    code, out, _ = submit(GOOD, "--team", "no-such-team")
    assert (code, "You are not in a team with the short name" in out) == (ExitCode.REFUSED, True)
    assert submit(GOOD, "--team", "ward-lab", "--publish", "--fail-under", "0.80")[0] == 0
    assert Submission.objects.get().team == lab
    assert "--team ward-lab: Ward Lab (owner)" in wardboard("token")[1]
    monkeypatch.setenv("WARDBOARD_TEAM", "ward-lab")
    facts = {"benchmark": "medagentbench-demo", "system": "My agent", "models": ["m"]}
    assert library.submit(GOOD, **facts).document["team"] == "Ward Lab"
    # One's own, whatever the variable says.
    assert library.submit(GOOD, team="", **facts).document["team"] != "Ward Lab"


def test_a_file_that_says_nothing_is_sent_only_with_allow_empty(service, submit, tmp_path):
    path = tmp_path / "silent.json"
    path.write_bytes(with_answer(GOOD.read_bytes(), "I cannot help with that."))
    code, out, err = submit(path, "--wait", "--publish")
    assert (code, "nothing was stored" in err, "`--allow-empty`" in out) == (ExitCode.REFUSED, True, True)
    code, out, _ = submit(path, "--wait", "--publish", "--allow-empty")
    assert (code, "33 of 50 tasks have no answer" in out, "allow-empty" in out) == (0, True, False)
    assert Submission.objects.get().is_published
