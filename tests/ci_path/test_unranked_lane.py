"""The nightly gate of a job on the unranked lane of a leaderboard, with the command and over HTTP."""

import json
import os

import pytest
import requests

import wardboard as library
from leaderboard.models import Board, Submission
from tests.support.cli import wardboard
from tests.support.factories import make_lane, only_tasks_of, with_wrong
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo


@pytest.fixture
def lane(service) -> Board:
    return make_lane()[1]


@pytest.fixture
def nightly(lane, tmp_path):
    """Send the file of a night, with `wrong` answers made wrong; return exit code, stdout and stderr."""
    path = tmp_path / "results.json"

    def run(*arguments, wrong=0, benchmark="ranked", system="My agent"):
        path.write_bytes(with_wrong(only_tasks_of(lane, demo.GOOD.read_bytes()), wrong))
        options = ("--benchmark", benchmark, "--system", system, "--unranked", *arguments)
        return wardboard("submit", path, *options)

    return run


def test_the_result_of_a_night_says_that_it_is_unranked(nightly, tmp_path):
    saved = tmp_path / "submission.json"
    code, out, err = nightly("--wait", "--output", saved, "--comment", tmp_path / "comment.md")
    assert (code, err) == (ExitCode.OK, "")
    assert out.startswith("My agent on ranked-dev\n")
    assert "  published      never: unranked lane" in out
    assert "would rank" not in out
    document = json.loads(saved.read_text())
    assert (document["unranked"], document["published"], document["rank"]) == (True, False, None)
    assert "never: unranked lane" in (tmp_path / "comment.md").read_text()


@pytest.mark.parametrize("benchmark", ["ranked", "ranked-dev"])
def test_the_lane_is_found_by_its_leaderboard_and_by_its_own_name(nightly, benchmark):
    assert nightly("--fail-under", "0.8", benchmark=benchmark)[0] == ExitCode.OK
    assert Submission.objects.get().board.slug == "ranked-dev"


def test_a_night_below_the_gate_fails(nightly):
    code, out, _ = nightly("--fail-under", "0.8", wrong=5)
    assert (code, "FAIL  fail-under" in out) == (ExitCode.GATE_FAILED, True)


def test_a_night_is_compared_with_the_last_one_of_the_same_system(nightly):
    gate = ("--fail-on-regression",)
    first = nightly(*gate)
    assert (first[0], "no earlier result on this unranked lane" in first[1]) == (ExitCode.OK, True)
    assert nightly(*gate, "--require-entry", system="My agnet", wrong=1)[0] == ExitCode.GATE_FAILED
    worse = nightly(*gate, wrong=4)
    assert (worse[0], "falls below the last unranked result's" in worse[1]) == (ExitCode.GATE_FAILED, True)
    better = nightly(*gate, wrong=2)
    assert (better[0], "does not fall below the last unranked result's" in better[1]) == (ExitCode.OK, True)


def test_a_file_that_is_sent_again_is_not_compared_with_itself(nightly):
    nightly(wrong=0)
    nightly(wrong=3)
    code, out, _ = nightly("--fail-on-regression", wrong=3)
    assert (code, "falls below" in out) == (ExitCode.GATE_FAILED, True)


@pytest.mark.parametrize("option", ["--publish", "--designate", ("--fail-on-regression", "--significant")])
def test_an_option_that_the_lane_cannot_honour_is_wrong_usage_and_sends_nothing(nightly, option):
    code, _, err = nightly(*([option] if isinstance(option, str) else option))
    assert (code, "never published" in err) == (ExitCode.USAGE, True)
    assert not Submission.objects.exists()


def test_a_leaderboard_without_a_lane_refuses_and_nothing_is_sent(nightly):
    code, _, err = nightly("--wait", benchmark="medagentbench-demo")
    assert (code, "medagentbench-demo has no unranked lane" in err) == (ExitCode.REFUSED, True)
    assert not Submission.objects.exists()


def test_the_quota_of_a_leaderboard_shows_that_of_its_lane(nightly):
    nightly()
    code, out, _ = wardboard("quota", "ranked")
    assert (code, "unranked lane    ranked-dev\nday              23 of 24 files left" in out) == (0, True)
    code, out, _ = wardboard("quota", "ranked", "--unranked")
    assert (code, out.startswith("day              23 of 24 files left")) == (0, True)
    assert wardboard("quota", "ranked", "--require", "24")[0] == ExitCode.OK
    assert wardboard("quota", "ranked", "--unranked", "--require", "24")[0] == ExitCode.REFUSED
    document = json.loads(wardboard("quota", "ranked", "--json")[1])
    assert (document["left"], document["unranked_lane"]["left"]) == (None, 23)


def test_a_spent_lane_ends_with_the_code_of_a_refusal(nightly):
    Board.objects.filter(slug="ranked-dev").update(daily_limit=1)
    assert nightly()[0] == ExitCode.OK
    assert nightly(wrong=1)[0] == ExitCode.REFUSED


def test_the_python_function_sends_to_the_lane_too(lane, tmp_path):
    path = tmp_path / "results.json"
    path.write_bytes(only_tasks_of(lane, demo.GOOD.read_bytes()))
    outcome = library.submit(path, benchmark="ranked", system="My agent", unranked=True, fail_under=0.8)
    assert outcome.document["unranked"] is True


@pytest.mark.parametrize(
    ("benchmark", "fields", "code"),
    [
        ("ranked", {"unranked": "true"}, "unranked.is-ranked"),
        ("ranked-dev", {"publish": "true"}, "unranked.never-published"),
        ("ranked-dev", {"designate": "true"}, "unranked.never-published"),
        ("ranked-dev", {"unranked": "yes"}, "request.unranked-invalid"),
        ("ranked-dev", {"unranked": ""}, "request.unranked-invalid"),
    ],
)
def test_over_http_a_request_that_contradicts_the_lane_is_refused(service, lane, benchmark, fields, code):
    answer = requests.post(
        f"{service}/api/v1/submissions/",
        data={"benchmark": benchmark, "system": "My agent", **fields},
        files={"file": ("results.json", only_tasks_of(lane, demo.GOOD.read_bytes()))},
        headers={"Authorization": f"Bearer {os.environ['WARDBOARD_TOKEN']}"},
        timeout=60,
    )
    assert answer.status_code == 422
    assert [problem["code"] for problem in answer.json()["problems"]] == [code]
    assert not Submission.objects.exists()


def test_over_http_a_leaderboard_names_its_lane_and_the_lane_its_leaderboard(service, lane):
    for path in ("", "ranked/", "ranked-dev/"):
        document = requests.get(f"{service}/api/v1/benchmarks/{path}", timeout=60).json()
        for board in document.get("results", [document]):
            lanes = (board["unranked_lane"], board["unranked_lane_of"])
            expected = {"ranked": ("ranked-dev", None), "ranked-dev": (None, "ranked")}
            assert lanes == expected.get(board["slug"], (None, None))
