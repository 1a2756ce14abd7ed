"""The version, commit, run link and note of a submission: a score belongs to a release."""

import csv
import io
import json

from leaderboard.services.exports.evaluations import evaluation_rows
from tests.support.api_client import assert_problem
from tests.support.every_eval_ever import read_archive
from tests.support.factories import make_facts, with_wrong

COMMIT = "9fceb02d0ae598e95dc970b74767f19372d61af8"
RELEASE = {
    "version": "2.1.0",
    "commit": COMMIT,
    "run_url": "https://ci.example.org/runs/4711",
    "note": "Prompt <b>v7</b>, nightly",
}


def read(api, board, name: str) -> str:
    response = api.get(f"/benchmarks/{board.slug}/{name}")
    return b"".join(response.streaming_content).decode()


def test_a_submission_and_the_list_show_the_release_that_was_run(api, demo, good_file):
    body = api.send(good_file, make_facts(), **RELEASE).json()
    assert RELEASE.items() <= api.get(body["url"]).json().items()
    (line,) = api.get("/api/v1/submissions/").json()["results"]
    assert (line["version"], line["commit"]) == ("2.1.0", COMMIT)


def test_a_row_has_the_release_of_its_own_file_in_the_api_and_in_every_export(api, demo, good_file):
    api.send(good_file, make_facts(), publish="true", **RELEASE)
    # Not published, and so on no leaderboard.
    api.send(with_wrong(good_file, 2), make_facts(), version="2.2.0")
    (row,) = api.get(f"/api/v1/benchmarks/{demo.slug}/leaderboard/").json()["rows"]
    assert RELEASE.items() <= row.items()
    board = json.loads(read(api, demo, "board.json"))
    assert RELEASE.items() <= board["rows"][0].items()
    assert set(RELEASE) <= set(board["stated_by_submitters"])
    (line,) = csv.DictReader(io.StringIO(read(api, demo, "board.csv")))
    assert RELEASE.items() <= line.items()
    (record,) = read_archive(api.get(f"/benchmarks/{demo.slug}/board.eee.zip").getvalue()).values()
    assert RELEASE.items() <= record["evaluation_results"][0]["score_details"]["details"].items()
    assert {row["version"] for row in evaluation_rows(demo)} == {"2.1.0", "2.2.0"}


def test_a_link_that_runs_a_script_is_refused(api, demo, good_file):
    for url in ("javascript:alert(1)", "https://", "ftp://example.org/x", "https://" + "a" * 300 + ".org"):
        assert_problem(api.send(good_file, make_facts(), run_url=url), 422, "request-invalid")


def test_the_release_is_no_fact_of_the_system_that_could_be_taken_back(api, demo, good_file):
    assert_problem(api.send(good_file, make_facts(), take_back="version"), 422, "request-invalid")


def test_the_pages_of_submission_and_system_show_the_release_and_reviewers_see_none(
    api, client, user, demo, good_file, visitor
):
    body = api.send(good_file, make_facts(), publish="true", **RELEASE).json()
    page = visitor.get(f"/submissions/{body['id']}/").content.decode()
    assert "2.1.0" in page
    assert f'href="{RELEASE["run_url"]}" rel="nofollow noopener external"' in page
    assert "Prompt &lt;b&gt;v7&lt;/b&gt;" in page
    row = api.get(f"/api/v1/benchmarks/{demo.slug}/leaderboard/").json()["rows"][0]
    system = visitor.get(f"/systems/{row['system_id']}/").content.decode()
    assert COMMIT in system
    assert RELEASE["run_url"] in system
