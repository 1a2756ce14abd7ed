"""The version, commit, run link and note of a submission: a score belongs to a release."""

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


def test_the_list_and_every_export_have_the_release_of_each_file(api, demo, good_file):
    api.send(good_file, make_facts(), publish="true", **RELEASE)
    # Not published, and so on no leaderboard.
    api.send(with_wrong(good_file, 2), make_facts(), version="2.2.0")
    listed = api.get("/api/v1/submissions/").json()["results"]
    assert {(line["version"], line["commit"]) for line in listed} == {("2.1.0", COMMIT), ("2.2.0", "")}
    archive = api.get(f"/benchmarks/{demo.slug}/board.eee.zip").getvalue()
    (record,) = read_archive(archive).values()
    assert RELEASE.items() <= record["evaluation_results"][0]["score_details"]["details"].items()
    assert {row["version"] for row in evaluation_rows(demo)} == {"2.1.0", "2.2.0"}


def test_a_link_that_runs_a_script_is_refused(api, demo, good_file):
    for url in ("javascript:alert(1)", "https://", "ftp://example.org/x", "https://" + "a" * 300 + ".org"):
        assert_problem(api.send(good_file, make_facts(), run_url=url), 422, "request-invalid")


def test_the_release_is_no_fact_of_the_system_that_could_be_taken_back(api, demo, good_file):
    assert_problem(api.send(good_file, make_facts(), take_back="version"), 422, "request-invalid")


def test_the_pages_of_submission_and_system_escape_the_release_and_lead_to_its_run(
    api, demo, good_file, visitor
):
    body = api.send(good_file, make_facts(), publish="true", **RELEASE).json()
    page = visitor.get(f"/submissions/{body['id']}/").content.decode()
    assert f'href="{RELEASE["run_url"]}" rel="nofollow noopener external"' in page
    assert "Prompt &lt;b&gt;v7&lt;/b&gt;" in page
    row = api.get(f"/api/v1/benchmarks/{demo.slug}/leaderboard/").json()["rows"][0]
    system = visitor.get(f"/systems/{row['system_id']}/").content.decode()
    assert COMMIT in system
