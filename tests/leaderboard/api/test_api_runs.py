"""Several files or an archive as the runs of one submission, and what unpacking may cost."""

import pytest

from leaderboard.models import Board, Submission
from leaderboard.services import turns
from leaderboard.services.files import child, runs
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import as_file, assert_problem
from tests.support.factories import make_facts, with_wrong
from tests.support.scoring.files import as_tar, as_zip

pytestmark = pytest.mark.usefixtures("demo")


def several(*files):
    return [as_file(file, f"run-{number}.json") for number, file in enumerate(files, 1)]


def test_repeated_files_are_runs_of_one_submission(api, demo, good_file):
    files = several(good_file, with_wrong(good_file, 4))
    form = {"benchmark": demo.slug, "file": files, **make_facts(), "retries": "Run 1: a lost connection."}
    response = api.post(SUBMISSIONS, form)
    assert response.status_code == 201, response.content
    body = response.json()
    assert (body["runs"], body["retries"]) == (2, "Run 1: a lost connection.")
    assert [(file["run"], file["name"]) for file in body["run_files"]] == [
        (1, "run-1.json"),
        (2, "run-2.json"),
    ]
    result = body["result"]
    assert (result["right"], result["total"], result["score"]) == (90, 100, 0.9)
    assert [run["right"] for run in result["per_run"]] == [47, 43]
    assert result["spread"]["passes"] == [0.9, 0.86]
    assert (result["spread"]["flips"], result["spread"]["rounded_to"]) == (0.08, None)


@pytest.fixture
def two_runs(good_file) -> bytes:
    return as_zip({"1.json": good_file, "2.json": with_wrong(good_file, 2)})


@pytest.mark.parametrize("pack", [as_zip, as_tar])
def test_an_archive_is_the_same_submission_as_its_files(api, demo, good_file, pack):
    runs = {"2.json": with_wrong(good_file, 4), "1.json": good_file}
    archive = pack(runs)
    sent = api.send(archive, make_facts())
    assert sent.status_code == 201, sent.content
    assert [file["name"] for file in sent.json()["run_files"]] == ["1.json", "2.json"]
    assert api.send_body(archive, {"system": "s"}, kind="application/zip").status_code == 200
    form = {"benchmark": demo.slug, "file": several(runs["1.json"], runs["2.json"]), **make_facts()}
    again = api.post(SUBMISSIONS, form)
    assert (again.status_code, again.json()["id"]) == (200, sent.json()["id"])


def test_an_archive_of_several_systems_names_them_and_each_can_be_selected(api, demo, good_file):
    names = ["a/seed1/r.json", "a/seed2/r.json", "b/r.json"]
    archive = as_zip({name: with_wrong(good_file, wrong) for wrong, name in enumerate(names)})
    for path, facts in ((SUBMISSIONS, make_facts()), ("/api/v1/validations/", {})):
        body = assert_problem(api.send(archive, facts, path=path), 422, "file-rejected")
        assert body["systems"] == [
            {"name": "a", "select": "a/**", "files": 2, "model": ""},
            {"name": "b", "select": "b/**", "files": 1, "model": ""},
        ]
        assert api.send(archive, {**facts, "select": "a/**"}, path=path).json()["runs"] == 2
        empty = assert_problem(api.send(archive, {**facts, "select": ""}, path=path), 422, "request-invalid")
        assert "/select" in {problem["pointer"] for problem in empty["problems"]}
    assert Submission.objects.get().filename.endswith("(a/**)")
    form = {"benchmark": demo.slug, "file": several(good_file, good_file), "select": "a/**", **make_facts()}
    assert_problem(api.post(SUBMISSIONS, form), 422, "file-rejected")


@pytest.mark.parametrize("path", [SUBMISSIONS, "/api/v1/validations/"])
def test_nothing_is_unpacked_for_a_closed_board_or_before_the_turn_of_a_check(
    api, demo, two_runs, monkeypatch, path
):
    monkeypatch.setattr(child, "run", lambda *_, **__: pytest.fail("an archive was unpacked"))
    full = turns.Turns(1)
    monkeypatch.setattr(turns, "reading", full)
    monkeypatch.setattr(turns, "PATIENCE_OF_CHECKS", 0.01)
    facts = make_facts() if path == SUBMISSIONS else {}
    with full.take():
        response = api.send(two_runs, facts, path=path)
    assert_problem(response, 503, "unavailable")
    assert int(response["Retry-After"]) > 0
    Board.objects.filter(pk=demo.pk).update(active_revision=None)
    assert_problem(api.send(two_runs, facts, path=path), 409, "board-closed")
    assert not Submission.objects.exists()


def test_unpacking_and_reading_have_the_time_of_a_check_together(
    api, anonymous, demo, two_runs, settings, monkeypatch
):
    settings.CHECK_SECONDS, settings.CHECK_SECONDS_ANONYMOUS = 60, -1
    assert api.send(two_runs, {}, path="/api/v1/validations/").json()["runs"] == 2
    late = anonymous.send(two_runs, {}, path="/api/v1/validations/").json()
    assert late["problems"][0]["code"] == "records.too-slow"
    given = []
    run = child.run
    monkeypatch.setattr(child, "run", lambda *args, **options: given.append(options) or run(*args, **options))
    clock = iter(range(0, 100, 25))
    monkeypatch.setattr(runs, "monotonic", lambda: next(clock))
    api.send(two_runs, {}, path="/api/v1/validations/")
    assert [options["seconds"] for options in given] == [60, 35], "unpacking took 25 of 60 seconds"
