"""Each option and each member of an answer that is wrong, empty, in another case, or of another submission.

A job is green only where the submission is of its file, its system and its commit, and above its line.
"""

import hashlib
import json
from collections.abc import Mapping

import pytest

from leaderboard.models import Submission
from tests.ci_path.answers import ANSWER, COMMIT, ID, OTHER_ID, QUEUED, RESULT, TOKEN, altered, reply
from tests.support.cli import wardboard
from tests.support.loopback import Loopback, ScriptedReply
from tests.support.scoring import inspect_logs
from wardboard.ci.gates import ComparedResult, compared_with, judge_score, judge_significance
from wardboard.ci.logs import is_same_model, judge_log
from wardboard.client.ci_systems import CI_SYSTEMS
from wardboard.commands.facts import facts_of_ci
from wardboard.errors import WrongUse
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo

OK, USAGE, GATE = ExitCode.OK, ExitCode.USAGE, ExitCode.GATE_FAILED
REFUSED, FOREIGN = ExitCode.REFUSED, ExitCode.FAULT
SUBMIT = ("submit", demo.GOOD, "--benchmark", "b", "--system", "s", "--commit", COMMIT, "--version", "1")
OF_DEMO = {"--benchmark": "medagentbench-demo", "--system": "My agent"}


@pytest.fixture(autouse=True)
def known_token(monkeypatch):
    monkeypatch.setenv("WARDBOARD_TOKEN", TOKEN)


def words_of(options: Mapping[str, str], *, without: tuple[str, ...] = ()) -> list[str]:
    """Return options as words of a command line, but those that the words `without` give."""
    return [word for name, value in options.items() if name not in without for word in (name, value)]


def ask(documents: Mapping[str, object], *command: object) -> int:
    """Run a command against a server with a document for each part of an address; return its exit code."""

    def answer(path: str) -> ScriptedReply:
        return reply(documents[max((part for part in documents if part in path), key=len)])

    with Loopback(answer) as server:
        code, out, err = wardboard(*command, "--url", server.origin, "--attempts", 1)
    assert "Traceback" not in err
    assert code == OK or err, out
    return code


# --- Options that are refused before anything is sent ------------------------------------------------


WRONG_OPTIONS = [
    ("--fail-under", ""),
    ("--fail-under", "-0.1"),
    ("--tolerance", "0.1"),
    ("--require-entry",),
    ("--significant",),
    ("--fail-on-regression", "--significant", "--tolerance", "0.1"),
    ("--fail-on-regression", "--tolerance", "0.9"),
    ("--fail-under", "1e-9"),
    (f"!{demo.GOOD}",),
    ("--strict=true",),
    ("--model", ""),
    ("--from-ci",),
    ("--fact", ""),
    ("--fact", "interaction"),
    ("--fact", "interactoin=multi-turn"),
    ("--fact", "commit=9fceb02"),
    ("--fact", "note=a", "--fact", "note=b"),
    ("--output", ""),
    ("--designate", "--fail-on-regression"),
    ("--unranked", "--publish"),
    ("--unranked", "--fail-on-regression", "--significant"),
    ("--output", "no-such-folder/submission.json"),
    ("no-such-file.json",),
    ("",),
    ("--fail-under", "0.99", "--fail-under", "0.1"),
]
WRONG_COMMANDS = [
    ("wait", ID, "--fail-under", "0"),
    ("wait", ""),
    ("withdraw", ""),
    ("quota", "b", "--require", "0"),
    ("validate", demo.GOOD, "--benchmark", ""),
    ("validate", demo.GOOD, "--benchmark", "${{ vars.BOARD }}"),
    ("quota", "a board"),
]


def test_an_option_that_is_none_or_empty_or_given_twice_ends_with_2_and_asks_nothing(monkeypatch):
    with Loopback(ScriptedReply()) as server:
        monkeypatch.setenv("WARDBOARD_URL", server.origin)
        options = {"--benchmark": "b", "--system": "s"}
        for words in WRONG_OPTIONS:
            command = ("submit", demo.GOOD, *words_of(options, without=words), *words)
            code, _, err = wardboard(*command)
            assert (code, server.paths, bool(err)) == (USAGE, [], True), words
        for words in WRONG_COMMANDS:
            code, _, err = wardboard(*words)
            assert (code, server.paths, bool(err)) == (USAGE, [], True), words


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ((), OK),
        (("--system", "my  AGENT"), OK),
        (("--system", "My agent v2"), GATE),
        (("--commit", COMMIT[:7].upper()), OK),
        (("--commit", "b" * 40), GATE),
        (("--fact", "cost_per_task=0.5"), GATE),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value.name,
)
def test_a_stale_file_of_another_run_is_no_success_and_is_not_published(service, stated, expected):
    first = ("submit", demo.GOOD, *words_of(OF_DEMO))
    of_run = ("--model", "m", "--commit", COMMIT, "--version", "1", "--fact", "interaction=multi-turn")
    assert wardboard(*first, *of_run, "--fact", "run_url=https://ci.example.org/1")[0] == OK
    first = ("submit", demo.GOOD, *words_of(OF_DEMO, without=stated))
    models = ("--model", "m")
    code, out, err = wardboard(*first, *models, *stated, "--strict", "--fail-under", "0.9", "--publish")
    published = Submission.objects.filter(published_at__isnull=False).count()
    assert (code, published) == (expected, int(expected == OK)), out + err
    assert Submission.objects.count() == 1
    if expected == GATE:
        code, _, err = wardboard(*first, *models, *stated, "--publish")
        assert (code, Submission.objects.get().is_published) == (GATE, False), err
        assert str(Submission.objects.get().pk) in err
        assert "--allow-existing" in err
        accepted = (*first, *models, *stated, "--fail-under", "0.9", "--publish", "--allow-existing")
        assert wardboard(*accepted)[0] == OK
        assert not Submission.objects.get().is_published


# --- Answers that were altered, or are about something else -------------------------------------------


def scored(score: float, right: int | None, interval: list[float] | None) -> dict[str, object]:
    """Return the result of an answer with another score, in all places that state it."""
    metrics = {"success_rate": score}
    return RESULT | {"score": score, "right": right, "interval_95": interval, "metrics": metrics}


ENTRY = {"submission": OTHER_ID, "is_this": False, "score": 0.9, "explanation": "It was sent first."}
CHECK = {"valid": True, "benchmark": "b", "warnings": [], "warnings_total": 0, "from_log": None}
BESIDE = {"submission": ID, "entry": OTHER_ID, "outcome": "not-different", "explanation": "Test.", "p": 0.5}
LIMIT = {"kind": "day", "unit": "files", "allowed": 3, "left": 1}
LIMIT |= {"renews_at": "2026-11-23T09:30:00Z"}
QUOTA = {"left": 5, "limits": [LIMIT], "approval": "not-needed", "needs_verified_email": False}
SCOPES = {"name": "t", "begins_with": "wb_", "scopes": ["submit"], "benchmark": None, "expires_at": None}
ME = {"account": "a", "team": "t", "token": SCOPES}
LANE = {"slug": "b", "unranked_lane": "b-dev", "unranked_lane_of": None}
LANE_ITSELF = {"slug": "b-dev", "unranked_lane_of": "b", "mixes_judges": False}
BY = {"references": {"revision": 1}, "judge": "rules"}
UNRANKED = {**ANSWER, "benchmark": "b-dev", "unranked": True, "scored_by": BY}
OF_NIGHT = {**UNRANKED, "id": OTHER_ID}
BEFORE = {"id": OTHER_ID, "status": "scored", "benchmark": "b-dev", "system": "s", "score": 0.9}
OLD, SENT, PUBLISHED, COMPARED = f"/{OTHER_ID}/", f"/{ID}/", f"/{ID}/publish/", f"/{ID}/comparison/"
BENCHMARK, ALLOWANCE, LISTED = "/benchmarks/b/", "/benchmarks/b/allowance/", "&status=scored"

# A command, and what the service answers to it, by a part of the address.
JOBS = {
    "sent": (
        (*SUBMIT, "--wait", "--strict", "--fail-under", "0.8"),
        {"/validations/": CHECK, "/submissions/": ANSWER},
    ),
    "awaited": (
        (*SUBMIT, "--strict", "--fail-under", "0.8", "--publish"),
        {
            "/validations/": CHECK,
            "/submissions/": QUEUED,
            SENT: ANSWER,
            PUBLISHED: {**ANSWER, "published": True},
        },
    ),
    "regression": (
        (*SUBMIT, "--fail-on-regression", "--require-entry"),
        {"/submissions/": {**ANSWER, "entry": ENTRY}, COMPARED: BESIDE},
    ),
    # A pair that cannot be tested fails also where no entry is required.
    "significance": (
        (*SUBMIT, "--fail-on-regression", "--significant"),
        {"/submissions/": {**ANSWER, "entry": ENTRY}, COMPARED: BESIDE},
    ),
    "change": ((*SUBMIT, "--require-change"), {"/submissions/": ANSWER}),
    "lane": (
        (*SUBMIT, "--unranked", "--fail-on-regression", "--require-entry"),
        {
            BENCHMARK: LANE,
            "/benchmarks/b-dev/": LANE_ITSELF,
            "/submissions/": UNRANKED,
            OLD: OF_NIGHT,
            LISTED: {"results": [BEFORE]},
        },
    ),
    "quota": (
        ("quota", "b", "--require", "2"),
        {ALLOWANCE: QUOTA, BENCHMARK: {"slug": "b", "open": True}, "/me/": ME},
    ),
}
# Of each job: which answer has another value at a path, and how the job ends then.
ALTERED = {
    "sent": [
        ("/submissions/", "status", "SCORED", FOREIGN),
        ("/submissions/", "status", "rejected", ExitCode.FILE_HAS_PROBLEMS),
        ("/submissions/", "id", "7", FOREIGN),
        ("/submissions/", "benchmark", "other", FOREIGN),
        ("/submissions/", "file/sha256", hashlib.sha256(b"").hexdigest(), FOREIGN),
        ("/submissions/", "system/name", "S", OK),
        ("/submissions/", "system/name", "other", GATE),
        ("/submissions/", "commit", "b" * 40, GATE),
        ("/submissions/", "commit", None, FOREIGN),
        ("/submissions/", "version", "2", GATE),
        ("/submissions/", "not_applied", ["system"], GATE),
        ("/submissions/", "not_applied", ["something-new"], GATE),
        ("/submissions/", "filename", ..., FOREIGN),  # of another team
        ("/submissions/", "warnings_total", 1, GATE),
        ("/submissions/", "warnings_total", "0", FOREIGN),
        ("/submissions/", "result", None, FOREIGN),
        ("/submissions/", "result/score", "0.9", FOREIGN),
        ("/submissions/", "result", scored(0.94, 94, [0.87, 0.98]), OK),
        ("/submissions/", "result/rounded_to", 0.1, OK),
        ("/submissions/", "result/rounded_to", 0.3, GATE),
    ],
    "awaited": [
        ("/validations/", "valid", False, FOREIGN),
        ("/validations/", "benchmark", "other", FOREIGN),
        ("/validations/", "warnings_total", 1, GATE),
        ("/validations/", "from_log", ..., FOREIGN),
        (SENT, "same_answers", ..., FOREIGN),
        (SENT, "id", OTHER_ID, FOREIGN),
        (SENT, "status", "failed", ExitCode.FAULT),
        (SENT, "withdrawn_at", "2026-11-23T09:30:00Z", GATE),
        (SENT, "published", "true", FOREIGN),
        (SENT, "result", scored(0.5, 50, [0.4, 0.6]), GATE),
        (PUBLISHED, "published", False, FOREIGN),
        (PUBLISHED, "id", OTHER_ID, FOREIGN),
        (PUBLISHED, "result", scored(0.5, 50, [0.4, 0.6]), GATE),  # scored again since it passed
        (PUBLISHED, "result", scored(0.95, 95, [0.9, 0.97]), OK),
    ],
    "regression": [
        ("/submissions/", "entry", None, GATE),
        ("/submissions/", "entry", ..., FOREIGN),
        ("/submissions/", "entry/score", 0.95, GATE),
        ("/submissions/", "entry/score", "0.5", FOREIGN),
        ("/submissions/", "entry/is_this", True, GATE),
        ("/submissions/", "entry/score_upper", 0.97, OK),  # it is rounded, or has no open answers
        ("/submissions/", "unmet_rules", ["least_runs"], OK),
        ("/submissions/", "unmet_rules", ["most_open"], GATE),
        (COMPARED, "outcome", None, GATE),
    ],
    "significance": [
        (COMPARED, "outcome", "not-different", OK),
        (COMPARED, "outcome", "better", OK),
        (COMPARED, "outcome", "worse", GATE),
        ("/submissions/", "unmet_rules", ["mostly_answers"], GATE),
        (COMPARED, "outcome", None, GATE),
        (COMPARED, "submission", OTHER_ID, FOREIGN),
        (COMPARED, "entry", None, FOREIGN),
        (COMPARED, "p", "low", FOREIGN),
    ],
    "change": [
        ("/submissions/", "same_answers", None, OK),
        ("/submissions/", "same_answers", ..., FOREIGN),
        ("/submissions/", "same_answers", {"id": OTHER_ID, "version": "1", "commit": COMMIT[:7]}, OK),
        ("/submissions/", "same_answers", {"id": OTHER_ID, "version": "1", "commit": "b" * 40}, GATE),
        ("/submissions/", "same_answers", {"id": OTHER_ID, "version": "1"}, FOREIGN),
    ],
    "lane": [
        (BENCHMARK, "unranked_lane", None, REFUSED),
        (BENCHMARK, "unranked_lane", "other", FOREIGN),
        (BENCHMARK, "unranked_lane_of", "c", FOREIGN),
        ("/submissions/", "unranked", False, FOREIGN),
        ("/submissions/", "published", True, FOREIGN),
        ("/submissions/", "benchmark", "b", FOREIGN),
        (LISTED, "results", [BEFORE | {"score": None}], GATE),
        (LISTED, "results", [BEFORE | {"id": ID}], GATE),
        (LISTED, "results", [BEFORE | {"system": "other"}], GATE),
        (OLD, "result", scored(0.95, 95, None), GATE),
        (OLD, "result/metrics/success_rate_upper", 0.95, OK),
        (OLD, "id", ID, FOREIGN),
        ("/submissions/", "unmet_rules", ["most_open"], GATE),
        (OLD, "scored_by/judge", "another", GATE),
        (OLD, "scored_by/references/revision", 2, GATE),
    ],
    "quota": [
        (ALLOWANCE, "left", 2, OK),
        (ALLOWANCE, "left", 1, REFUSED),
        (ALLOWANCE, "left", "2", FOREIGN),
        (ALLOWANCE, "limits", [LIMIT | {"left": None}], FOREIGN),
        (BENCHMARK, "open", False, REFUSED),
        ("/me/", "token/scopes", ["read"], REFUSED),
        ("/me/", "token", ..., FOREIGN),
    ],
}


@pytest.mark.parametrize("job", JOBS)
def test_a_job_passes_only_where_every_answer_is_about_its_submission_and_above_its_gates(job):
    command, documents = JOBS[job]
    for part, path, value, expected in ALTERED[job]:
        code = ask({**documents, part: altered(documents[part], path, value)}, *command)
        assert code == expected, (part, path, value)


@pytest.mark.parametrize("command", ["status", "wait", "publish", "withdraw"])
def test_a_command_on_one_submission_takes_no_answer_about_another(command):
    good = {**ANSWER, "published": command == "publish"}
    documents = {SENT: good, f"/{ID}/{command}/": good}
    assert ask(documents, command, ID) == OK
    for path, value in (
        *(("id", OTHER_ID), ("id", ""), ("id", "1)\n# A heading"), ("status", "Scored"), ("file", None)),
        *(("result", {}), ("result/score", float("nan")), ("result/interval_95", [0.5])),
        *(("system", ...), ("rank", {"best": 1})),
    ):
        assert ask(dict.fromkeys(documents, altered(good, path, value)), command, ID) == FOREIGN, path


def test_a_result_that_the_service_did_not_publish_fails():
    assert ask({"/submissions/": ANSWER}, *SUBMIT, "--wait", "--publish") == GATE
    assert ask({"/submissions/": ANSWER}, *SUBMIT, "--publish") == GATE
    assert ask({"/submissions/": {**ANSWER, "published": True}}, *SUBMIT, "--wait", "--publish") == OK
    assert ask({f"/{ID}/withdraw/": {**ANSWER, "published": True}}, "withdraw", ID) == FOREIGN


def test_neither_end_of_a_score_with_open_answers_falls():
    for upper, of_entry, tolerance, expected in (
        (0.97, 0.97, (), OK),
        (0.95, 0.97, (), GATE),
        (0.95, 0.97, ("--tolerance", "0.02"), OK),
        (0.9, 0.97, (), GATE),
        (0.97, None, (), OK),
    ):
        result = altered(RESULT, "metrics/success_rate_upper", upper)
        answer = {**ANSWER, "result": result, "entry": {**ENTRY, "score_upper": of_entry}}
        documents = {"/submissions/": answer, COMPARED: BESIDE}
        assert ask(documents, *SUBMIT, "--fail-on-regression", *tolerance) == expected, (upper, of_entry)


# --- A submission that is named by its id ----------------------------------------------------------------

OF_OTHERS = altered({**ANSWER, "published": True}, "filename", ...)


@pytest.mark.parametrize("command", ["status", "wait", "publish"])
def test_a_submission_is_of_the_leaderboard_and_the_system_that_are_named(command):
    documents = {SENT: ANSWER, PUBLISHED: {**ANSWER, "published": True}}
    for options, expected in (
        ((), OK),
        (("--benchmark", "b", "--system", "s"), OK),
        (("--system", "S"), OK),
        (("--benchmark", "c"), GATE),
        (("--system", "another"), GATE),
        (("--benchmark", ""), USAGE),
        (("--system", " "), USAGE),
    ):
        assert ask(documents, command, ID, *options) == expected, options


@pytest.mark.parametrize("options", [("--benchmark", "c"), ("--system", "another")])
def test_a_submission_that_is_another_than_described_is_not_published(options, monkeypatch):
    with Loopback(reply(ANSWER)) as server:
        assert wardboard("publish", ID, *options, "--url", server.origin)[0] == GATE
        assert not [path for path in server.paths if "publish" in path]


def test_a_gate_takes_no_result_of_another_team_for_ones_own():
    assert ask({f"/{ID}/": ANSWER}, "wait", ID, "--fail-under", "0.5") == OK
    assert ask({f"/{ID}/": OF_OTHERS}, "wait", ID, "--fail-under", "0.5") == GATE
    assert ask({f"/{ID}/": OF_OTHERS}, "wait", ID) == OK


# --- Another run that sent the same file ---------------------------------------------------------------


def test_the_answers_of_another_commit_in_other_bytes_are_a_doubt_and_fail_a_strict_job(
    service, tmp_path, monkeypatch
):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    path, certain = tmp_path / "results.json", ("--strict", "--fact", "deterministic=true")
    for indent, commit, options, expected, level in (
        (1, COMMIT, ("--require-change", "--strict"), OK, ""),
        (2, COMMIT, ("--require-change", "--strict"), OK, ""),
        (3, "b" * 40, (), OK, "warning"),
        (4, "b" * 40, ("--require-change", "--publish"), GATE, "error"),
        (5, "b" * 40, ("--strict", "--publish"), GATE, "error"),
        (6, "b" * 40, certain, OK, "warning"),
        (7, "b" * 40, (*certain, "--require-change"), GATE, "error"),
    ):
        path.write_text(json.dumps(json.loads(demo.PERFECT.read_text()), indent=indent))
        command = ("submit", path, *words_of(OF_DEMO), "--commit", commit, "--wait", *options)
        code, out, err = wardboard(*command)
        assert (code, f"::{level} title=require-change::" in err) == (expected, bool(level)), out + err
    assert not Submission.objects.filter(published_at__isnull=False).exists()


# --- The log of a file beside its job -------------------------------------------------------------------


LOGGED = {"commits": [COMMIT[:7]], "models": ["openai/gpt-4o-2024-08-06"], "run_on": "2026-11-20"}
OTHER, MADE = "b" * 40, {"CI_COMMIT_SHA": COMMIT, "CI_COMMIT_TIMESTAMP": "2026-11-21T00:30:00+02:00"}


@pytest.mark.parametrize(
    ("fields", "variables", "named"),
    [
        ({}, {}, []),
        ({"models": "GPT-4o"}, {"GITHUB_SHA": COMMIT}, []),
        ({"models": "gpt-4o-mini"}, {"CI_COMMIT_SHA": OTHER}, ["log: commit", "log: model"]),
        ({"commit": OTHER}, {"CIRCLE_SHA1": COMMIT}, ["log: commit"]),
        ({"commit": COMMIT}, {"BUILD_SOURCEVERSION": OTHER}, []),
        ({}, {"GIT_COMMIT": OTHER, "BUILD_URL": "https://j.example/1"}, ["log: commit"]),
        ({}, {"GITHUB_SHA": OTHER, "GITHUB_EVENT_PATH": "event.json"}, []),  # a pull request
        ({}, {"GITHUB_SHA": OTHER, "PRE_COMMIT": "1"}, []),
        ({}, MADE, []),
        ({}, {**MADE, "CI_COMMIT_TIMESTAMP": "2026-11-20T23:30:00-02:00"}, ["log: date"]),
    ],
)
def test_a_log_that_contradicts_its_job_is_a_doubt_and_fails_a_strict_one(
    fields, variables, named, monkeypatch, tmp_path
):
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"head": {"sha": COMMIT}}}))
    monkeypatch.chdir(tmp_path)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for strict in (True, False):
        gates = list(judge_log({"from_log": LOGGED}, [*fields.items()], strict=strict))
        assert [gate.name for gate in gates] == named
        assert all((gate.passed is False, gate.is_doubt) == (strict, not strict) for gate in gates)


def test_one_model_has_several_names():
    for one, other, is_same in (
        ("Claude Opus 4.5", "anthropic/claude-opus-4-5-20251101", True),
        ("claude-3.5-sonnet", "bedrock/us.anthropic.claude-3-5-sonnet-20241022-v2:0", True),
        ("mistral-large-2411", "mistral-large-2407", False),
        ("o3", "o3-mini", False),
        ("gpt-5", "gpt-5.1", False),
    ):
        assert is_same_model(one, other) == is_same_model(other, one) == is_same, one


def test_a_log_of_another_commit_is_sent_by_no_strict_job(service, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_SHA", OTHER)
    path, revision = tmp_path / "log.json", {"commit": COMMIT[:7], "dirty": True}
    samples = [inspect_logs.sample(task["id"]) for task in json.loads(demo.TASKS.read_text())]
    path.write_bytes(inspect_logs.json_log(*samples, eval={"model": "m", "revision": revision}))
    command = ("submit", path, *words_of(OF_DEMO), "--allow-empty", "--wait")
    for words, expected in (
        ((*command, "--strict"), GATE),
        (("validate", path, "--strict"), GATE),
        (command, OK),
    ):
        code, out, _ = wardboard(*words)
        assert (code, Submission.objects.exists()) == (expected, expected == OK), words
        assert "log: commit" in out
        assert "log: code" in out
    assert "log: model" in wardboard("validate", path, "--model", "n")[1]
    for stated in (f"v1.0-3-g{OTHER[:9]}", f"{OTHER[:7]}-dirty", "unknown"):
        path.write_bytes(inspect_logs.json_log(*samples, eval={"model": "m", "revision": {"commit": stated}}))
        assert "log: commit" not in wardboard("validate", path)[1], stated


def test_a_log_whose_header_alone_has_a_date_is_compared_with_the_commit(tmp_path, monkeypatch):
    for name, value in MADE.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "log.json"
    at = "2026-11-19T09:00:00Z"
    for stated in ({"stats": {"started_at": at}}, {"eval": {"created": at}}):
        sample = inspect_logs.sample(started_at=None, completed_at=None)
        path.write_bytes(inspect_logs.json_log(sample, **stated))
        assert "log: date" in wardboard("validate", path, "--commit", COMMIT)[1], stated


def test_a_submission_without_a_score_is_none_that_passed():
    failed = (
        ("rejected", ExitCode.FILE_HAS_PROBLEMS),
        ("failed", ExitCode.FAULT),
        ("cancelled", ExitCode.FAULT),
    )
    for status, expected in (("queued", OK), *failed):
        sent = QUEUED | {"status": status}
        for command in (("status", ID), SUBMIT):
            assert ask({SENT: sent, "/submissions/": sent}, *command) == expected, (status, command)


def test_a_disqualified_result_fails_whatever_its_score():
    gone = {**ANSWER, "disqualified_at": "2026-11-23T09:30:00Z", "disqualification_reason": "Leaked answers."}
    documents = {SENT: gone, "/submissions/": gone, PUBLISHED: {**gone, "published": True}}
    for command in (
        *(("wait", ID, "--fail-under", "0.8"), ("wait", ID), ("status", ID), ("publish", ID)),
        *(SUBMIT, (*SUBMIT, "--wait"), (*SUBMIT, "--fail-under", "0.8", "--publish")),
    ):
        assert ask(documents, *command) == GATE, command


# --- A score that is rounded stands for the lowest that it may be -------------------------------------


def test_a_score_passes_only_where_all_that_it_may_stand_for_does():
    for score, step, right, least, expected in (
        (0.80, 0.01, None, "0.80", GATE),
        (0.81, 0.01, None, "0.80", OK),
        (0.80, 0.01, None, "0.795", OK),
        (1.00, 0.01, None, "1.00", GATE),
        (0.80, None, 256, "0.80", OK),
        (0.797, None, 255, "0.797", GATE),
        (0.80, None, None, "0.80", GATE),
    ):
        answer = {**ANSWER, "result": {**scored(score, right, None), "rounded_to": step, "total": 320}}
        for command in ((*SUBMIT, "--fail-under", least), ("wait", ID, "--fail-under", least)):
            assert ask({"/submissions/": answer, SENT: answer}, *command) == expected, (score, command)


def test_the_sentence_of_a_gate_is_true_of_its_figures():
    lost = {"code": "tasks.missing", "message": "1 of the 50 tasks has no result"}
    for score, step, right, least, sentence in (
        (0.78, 0.06, None, 0.8, "78.0% (rounded to 6%) may be 75 to 81%; 80% is not certain."),
        (0.96, 0.06, None, 0.995, "96.0% (rounded to 6%) may be 93 to 100%; 99.5% is not certain."),
        (0.8, None, 255_999, 0.8, "79.9997% is below 80%."),
        (0.8, None, 256_000, 0.8, "80.0% is at least 80%."),
    ):
        result = {**scored(score, right, None), "rounded_to": step, "total": 320_000}
        message = judge_score({"result": result, "warnings": [lost]}, least).message
        cause = "" if "at least" in sentence else f" {lost['message']}."
        assert message == f"The score {sentence}{cause}"
    for upper, verb in ((0.9, "is"), (0.95, "may be")):
        document = {"result": altered(RESULT, "metrics/success_rate_upper", upper)}
        entry = ComparedResult(score=0.9, name="the entry")
        assert f" {verb} signif" in judge_significance(document, entry, BESIDE | {"outcome": "worse"}).message


# --- Another result to compare with -------------------------------------------------------------------


def test_results_of_two_judges_are_compared_only_where_the_leaderboard_mixes_judges():
    other = altered(OF_NIGHT, "scored_by/judge", "another")
    for mixes_judges in (True, False):
        compared = compared_with(UNRANKED, other, name="the last", mixes_judges=mixes_judges)
        assert (compared.why_not == "") == mixes_judges


@pytest.mark.parametrize("option", [(), ("--significant",)])
def test_a_result_that_is_the_entry_is_compared_with_nothing_and_no_entry_that_is_required(option):
    itself = {**ANSWER, "published": True, "entry": {**ENTRY, "submission": ID, "is_this": True}}
    assert ask({"/submissions/": itself}, *SUBMIT, "--fail-on-regression", *option) == OK
    command = (*SUBMIT, "--fail-on-regression", "--require-entry", *option)
    assert ask({"/submissions/": itself}, *command) == GATE


# --- What the CI system names -----------------------------------------------------------------------------


GITHUB = {"GITHUB_SHA": COMMIT, "GITHUB_SERVER_URL": "https://g.example", "GITHUB_REPOSITORY": "lab/agent"}
GITHUB |= {"GITHUB_RUN_ID": "1", "GITHUB_REF": "refs/heads/v2"}
GITLAB = {"CI_COMMIT_SHA": COMMIT, "CI_COMMIT_TAG": "v1", "CI_JOB_URL": "https://l.example/1"}
RUN = "https://g.example/lab/agent/actions/runs/1"


JENKINS = {"GIT_COMMIT": COMMIT, "TAG_NAME": "v1", "BUILD_URL": "http://jenkins.local/1"}  # no TLS
CIRCLE = {"CIRCLE_SHA1": COMMIT, "CIRCLE_TAG": "v1", "CIRCLE_BUILD_URL": "https://c.example/1"}
AZURE = {"BUILD_SOURCEVERSION": COMMIT, "BUILD_SOURCEBRANCH": "refs/tags/v1", "BUILD_BUILDID": "1"}
AZURE |= {"SYSTEM_COLLECTIONURI": "https://a.example/lab/", "SYSTEM_TEAMPROJECT": "My agent"}


@pytest.mark.parametrize(
    ("variables", "version", "run_url"),
    [
        (JENKINS, "v1", None),
        (JENKINS | {"BUILD_URL": "https://jenkins/job/1"}, "v1", None),  # the service takes no such host
        (CIRCLE, "v1", "https://c.example/1"),
        (AZURE, "v1", "https://a.example/lab/My%20agent/_build/results?buildId=1"),
        (GITHUB | {"CI_COMMIT_TAG": "v1"}, None, RUN),
        (GITHUB | {"GITHUB_REF": "refs/tags/v2"}, "v2", RUN),
        (GITLAB | {"GITHUB_RUN_ID": "1", "GITHUB_REF": "refs/tags/v2"}, "v1", "https://l.example/1"),
    ],
    ids=["jenkins", "jenkins without a full name", "circle", "azure", "branch", "tag", "gitlab"],
)
def test_what_a_job_states_is_all_of_one_ci_system(variables, version, run_url):
    stated = {"commit": COMMIT, "version": version, "run_url": run_url}
    assert facts_of_ci(variables) == {name: value for name, value in stated.items() if value}


def test_a_job_whose_commit_is_not_known_is_no_job_with_from_ci():
    for variables in ({}, {"GITHUB_SHA": ""}, {"GITHUB_SHA": " "}, {"GIT_COMMIT": COMMIT}):
        with pytest.raises(WrongUse, match=r"GITHUB_SHA, and none of these .* GitLab CI, .* Buildkite"):
            facts_of_ci(variables)


@pytest.mark.parametrize(
    ("variables", "event", "is_merged"),
    [
        ({"GITHUB_EVENT_NAME": "push", "GITHUB_REF": "refs/heads/main"}, {}, True),
        ({"GITHUB_EVENT_NAME": "pull_request_target"}, {}, False),
        ({"GITHUB_REF": "refs/heads/gh-readonly-queue/main/pr-1-abc"}, {}, False),
        ({"GITHUB_EVENT_NAME": "workflow_run"}, {"workflow_run": {"event": "merge_group"}}, False),
        ({"GITHUB_EVENT_NAME": "issue_comment"}, {"issue": {"pull_request": {"url": "u"}}}, False),
        *(({name: "1"}, {}, False) for system in CI_SYSTEMS for name in system.requests.split()),
        *(({name: "false"}, {}, True) for name in ("BUILDKITE_PULL_REQUEST", "TRAVIS_PULL_REQUEST")),
        ({"CODEBUILD_WEBHOOK_EVENT": "PULL_REQUEST_CREATED"}, {}, False),
        ({"BUILD_SOURCEBRANCH": "refs/pull/1/merge"}, {}, False),
        ({"CODEBUILD_SOURCE_VERSION": "pr/4"}, {}, False),
    ],
)
def test_what_is_not_merged_is_published_by_no_stored_token(
    variables, event, is_merged, monkeypatch, tmp_path
):
    (tmp_path / "event.json").write_text(json.dumps(event))
    for name, value in {**variables, "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}.items():
        monkeypatch.setenv(name, value)
    documents = {key: {**ANSWER, "published": True} for key in ("/submissions/", SENT, PUBLISHED)}
    for command in ((*SUBMIT, "--publish"), ("publish", ID)):
        assert ask(documents, *command) == (OK if is_merged else USAGE)
        assert ask(documents, *command, "--allow-pull-request") == OK
    assert ask(documents, *SUBMIT, "--wait") == OK


@pytest.mark.parametrize(
    ("variables", "options", "expected", "is_doubted", "ran"),
    [
        ({"GITHUB_SHA": COMMIT, "CI_COMMIT_SHA": COMMIT}, (), OK, False, []),
        ({"GITHUB_SHA": COMMIT, "CI_COMMIT_SHA": "b" * 40}, (), USAGE, False, []),
        ({"GITHUB_SHA": COMMIT}, ("--commit", COMMIT[:7]), OK, False, []),
        ({"GITHUB_SHA": "b" * 40}, ("--commit", COMMIT), OK, True, []),
        ({"GITHUB_SHA": "b" * 40}, ("--commit", COMMIT, "--strict"), GATE, True, []),
        ({"GITHUB_SHA": "b" * 40}, ("--commit", COMMIT, "--strict"), OK, True, [COMMIT[:9]]),
    ],
)
def test_a_commit_that_the_ci_system_names_otherwise_is_a_doubt(
    variables, options, expected, is_doubted, ran, monkeypatch, tmp_path
):
    summary = tmp_path / "summary.md"
    for name, value in {**variables, "GITHUB_STEP_SUMMARY": str(summary)}.items():
        monkeypatch.setenv(name, value)
    command = ("submit", demo.GOOD, "--benchmark", "b", "--system", "s", "--from-ci", "--wait", *options)
    documents = {"/submissions/": {**ANSWER, "version": ""}}
    documents["/validations/"] = {**CHECK, "from_log": {"commits": ran}}
    assert ask(documents, *command) == expected
    assert ("Check that the job ran it." in summary.read_text()) == is_doubted
