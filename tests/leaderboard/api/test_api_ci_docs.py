"""The shell commands of docs/ci.md do what the text says, run unchanged against a real server."""

import csv
import gzip
import io
import json
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.conf import settings
from django.utils import timezone

from leaderboard.api.schema.forms import RAW_TYPES
from leaderboard.http.problems import PROBLEM_TYPES
from leaderboard.models import Status, Submission
from leaderboard.models.submissions import PENDING
from scoring.medagentbench import demo
from tests.support.factories import make_fhir_demo

DOCS = (settings.BASE_DIR / "docs" / "ci.md").read_text()
CHECK, SEND, BODY, SEND_FHIR, SEND_RUNS, LOOK, WAIT, PAST, KEPT = (
    block.replace("medagentbench-300", "medagentbench-demo").replace(
        "benchmark=fhir-agentbench ", "benchmark=fhir-agentbench-demo "
    )
    for block in re.findall(r"```sh\n(.*?)```", DOCS, flags=re.DOTALL)[1:]
)

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


@pytest.fixture
def shell(port, token, tmp_path):
    """Run a script in its own folder, as a pipeline would; return the finished process."""

    def run(*blocks: str, **variables: str) -> subprocess.CompletedProcess:
        env = {
            "WARDBOARD": f"http://127.0.0.1:{port}",
            "WARDBOARD_TOKEN": token,
            "CI_JOB_ID": "17",
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            **variables,
        }
        script = "set -e\n" + "\n".join(blocks)
        return subprocess.run(
            ["sh", "-c", script], env=env, cwd=tmp_path, capture_output=True, timeout=240, check=False
        )

    shutil.copy(demo.RUNS, tmp_path / "runs.jsonl")
    shutil.copy(demo.GOOD, tmp_path / "results.json")
    run.folder = tmp_path
    return run


def test_two_runs_are_sent_as_one_submission(shell):
    for number, raw in ((1, demo.GOOD.read_bytes()), (2, demo.MIDDLING.read_bytes())):
        (shell.folder / f"run-{number}.json.gz").write_bytes(gzip.compress(raw))
    process = shell(SEND_RUNS)
    assert process.returncode == 0, process.stderr
    assert json.loads((shell.folder / "submission.json").read_bytes())["result"]["right"] == 77


def test_checking_ends_with_0_for_a_good_file(shell):
    process = shell(CHECK)
    assert (process.returncode, json.loads(process.stdout)["valid"]) == (0, True)


def test_checking_ends_with_22_for_a_bad_file_and_prints_every_problem(shell):
    shutil.copy(demo.MALFORMED, shell.folder / "results.json")
    process = shell(CHECK)
    document = json.loads(process.stdout)
    assert (process.returncode, document["code"]) == (22, "file-rejected")
    assert len(document["problems"]) == document["problems_total"] > 5


def test_checking_ends_with_26_where_there_is_no_file(shell):
    (shell.folder / "results.json").unlink()
    assert shell(CHECK).returncode == 26


def test_submitting_waiting_and_withdrawing_end_with_0(shell):
    process = shell(SEND, LOOK, WAIT)
    assert process.returncode == 0, process.stdout + process.stderr
    submission = Submission.objects.get()
    assert (submission.system.name, submission.withdrawal_reason) == ("My agent", "wrong model")
    assert submission.published_at is not None


def test_a_past_table_is_shown_and_an_invalid_date_ends_with_22(shell):
    before = shell(PAST)
    assert (before.returncode, json.loads(before.stdout)["rows"]) == (0, [])
    refused = shell(PAST.replace("2026-06-20", "the-day-after"))
    assert (refused.returncode, json.loads(refused.stdout)["code"]) == (22, "parameter-invalid")


def test_a_table_that_has_not_changed_is_not_sent_again(shell):
    assert shell(KEPT).returncode == 0
    board = (shell.folder / "board.json").read_bytes()
    assert "rows" in json.loads(board)
    again = shell(KEPT.replace("--fail-with-body", "--write-out '%{http_code}'"))
    assert (again.stdout, (shell.folder / "board.json").read_bytes()) == (b"304", board)


ON_ITS_WAY = {
    "received": {},
    "queued": {},
    "scoring": {"claim": UUID(int=1)},
    "incomplete": {"waits_for": "provider-down"},
}
AT_AN_END = {
    "rejected": {"problem_count": 1},
    "failed": {"failure": "It broke."},
    "cancelled": {},
}


def put_back(status: str, **fields) -> None:
    """Change the status of the only submission from scored to `status`."""
    Submission.objects.update(
        status=status, evaluation=None, scored_at=None, moved_at=timezone.now(), **fields
    )


@pytest.mark.parametrize("status", ON_ITS_WAY)
def test_waiting_ends_with_3_while_a_submission_is_pending(shell, status):
    assert shell(SEND).returncode == 0
    put_back(status, **ON_ITS_WAY[status])
    assert shell(WAIT, WAIT_SECONDS="0").returncode == 3


@pytest.mark.parametrize("status", AT_AN_END)
def test_waiting_ends_with_1_for_an_end_without_a_score(shell, status):
    assert shell(SEND).returncode == 0
    put_back(status, **AT_AN_END[status])
    process = shell(WAIT)
    assert process.returncode == 1
    assert json.loads(process.stdout)["status"] == status


def test_every_status_is_either_pending_or_final():
    assert {*ON_ITS_WAY, *AT_AN_END, "scored"} == set(Status.values)
    assert set(ON_ITS_WAY) == set(PENDING)


def test_waiting_ends_with_the_exit_code_of_curl_where_it_is_refused(shell):
    assert shell(SEND).returncode == 0
    assert shell(WAIT, WARDBOARD_TOKEN="wb_unknown").returncode == 22


def test_waiting_goes_on_until_there_is_a_score(shell):
    assert shell(SEND).returncode == 0
    scored = Submission.objects.values("status", "evaluation", "scored_at", "waits_for").get()
    put_back("incomplete", waits_for="provider-down")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(shell, WAIT, WAIT_EVERY="1")
        time.sleep(1.5)
        assert not waiting.done()
        Submission.objects.update(**scored)
        assert waiting.result(timeout=240).returncode == 0


def test_sending_twice_is_the_same_submission(shell):
    assert (
        shell(SEND, "mv submission.json first.json", SEND, "cmp first.json submission.json").returncode == 0
    )


def test_runs_are_sent_as_the_body(shell):
    process = shell(BODY)
    assert (process.returncode, json.loads(process.stdout)["file"]["format"]) == (0, "runs-jsonl")


def as_json_lines(records: list[dict]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def as_table(records: list[dict]) -> str:
    columns = ("question_id", "agent_answer", "agent_fhir_resources")
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    for record in records:
        cells = (record[name] for name in columns)
        writer.writerow([json.dumps(cell) if isinstance(cell, dict) else cell for cell in cells])
    return text.getvalue()


@pytest.mark.parametrize(
    ("name", "write"), [("run.json", json.dumps), ("run.jsonl", as_json_lines), ("run.csv", as_table)]
)
def test_a_run_of_fhir_agentbench_is_sent_as_gzip_in_each_of_its_formats(shell, good_answers, name, write):
    make_fhir_demo()
    (shell.folder / f"{name}.gz").write_bytes(gzip.compress(write(json.loads(good_answers)).encode()))
    process = shell(SEND_FHIR.replace("run.json.gz", f"{name}.gz"), WAIT)
    assert process.returncode == 0, process.stdout + process.stderr
    submission = json.loads((shell.folder / "submission.json").read_text())
    assert (submission["benchmark"], submission["status"]) == ("fhir-agentbench-demo", "scored")
    assert submission["result"]["right"] > 40


def test_the_documented_content_types_are_the_accepted_ones():
    named = DOCS.split("`Content-Type` must be ")[1].split(". ")[0]
    assert set(re.findall(r"`([^`]+)`", named)) == set(RAW_TYPES)


def test_the_documented_problems_are_those_of_the_service():
    table = {
        (int(status), code)
        for status, codes in re.findall(r"^\| (\d{3}) \| (`.*?) \|", DOCS, flags=re.MULTILINE)
        for code in re.findall(r"`([^`]+)`", codes)
    }
    assert {(known.status, code) for code, known in PROBLEM_TYPES.items()} == table
