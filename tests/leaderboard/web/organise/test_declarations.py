"""A benchmark that a file declares: imported on the desk, graded by the text that is in force, and public."""

import json

import pytest
from django.test import Client

from leaderboard.models import AuditEvent, Board, BoardOrganiser, DeclaredBenchmark, Evaluation
from leaderboard.models import declarations as stored
from leaderboard.services.publishing import declare
from tests.support.cli import wardboard
from tests.support.declared import IMPORT, answers, declaration, references
from tests.support.factories import make_published, make_user
from tests.support.in_process import ORIGIN, reach_in_process
from tests.support.pages.desk import words

BOARD = "/api/v1/benchmarks/dose-quiz/"
pytestmark = pytest.mark.both_databases


@pytest.fixture
def imported(staff) -> Board:
    """Return the open leaderboard of the declaration, which takes files of anyone."""
    preview = staff.post(IMPORT, {"text": declaration(), "references": references()})["Location"]
    staff.post(preview, {"was": ""})
    Board.objects.filter(slug="dose-quiz").update(access="anyone", rounding=0)
    return Board.objects.get(slug="dose-quiz")


def test_a_declaration_is_looked_at_then_imported_with_its_references_and_activated(staff):
    page = words(staff.post(IMPORT, {"text": declaration()}))
    for text in ("Dose quiz", "Exact match, Token F1", "csv with id and gold", "declaration"):
        assert text in page
    assert not DeclaredBenchmark.objects.exists()
    preview = staff.post(IMPORT, {"text": declaration(), "references": references()})["Location"]
    assert preview == "/organise/boards/dose-quiz/references/1/"
    assert "Exact match, Token F1" in words(staff.get(preview))
    # A leaderboard that nobody has activated is on no list.
    assert "Dose quiz" not in Client().get("/").text
    staff.post(preview, {"was": ""})
    assert "Dose quiz" in Client().get("/").text
    board = Board.objects.get(slug="dose-quiz")
    assert (board.question, board.feedback, board.is_open) == ("Name the dose.", "by-type", True)
    digest = DeclaredBenchmark.objects.get().key.partition("_")[2]
    event = AuditEvent.objects.get(action=AuditEvent.Action.BENCHMARK_DECLARED)
    assert (event.data["slug"], event.data["digest"][:12]) == ("dose-quiz", digest)
    about = Client().get("/benchmarks/dose-quiz/about/").text
    assert f"{BOARD}declaration/" in about
    assert digest in about


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"slug": "medagentbench"}, "choose another slug"),
        ({"slug": "medagentbench-300"}, "choose another slug"),
        ({"slug": "hidden"}, "choose another slug"),
        ({"slug": "new", "match": {"kind": "magic"}}, "/match/kind"),
        ({"slug": "new", "title": 7}, "/title"),
    ],
)
def test_a_declaration_that_cannot_stand_says_why_and_stores_nothing(staff, board, changes, fault):
    response = staff.post(IMPORT, {"text": declaration(**changes), "references": references()})
    assert response.status_code in (409, 422)
    assert fault in words(response)
    assert not DeclaredBenchmark.objects.exists()


def test_only_organisers_of_all_leaderboards_make_one_and_its_own_organisers_change_it(
    desk, other_desk, organiser, imported
):
    BoardOrganiser.objects.create(board=imported, user=organiser)
    for client, slug, status in ((desk, "new", 409), (other_desk, "dose-quiz", 409), (desk, "dose-quiz", 200)):
        response = client.post(IMPORT, {"text": declaration(slug=slug), "references": references()})
        assert (slug, response.status_code) == (slug, status)
    assert "Dose quiz" in desk.get(f"{IMPORT}?board=dose-quiz").text
    assert "Name the dose" not in other_desk.get(f"{IMPORT}?board=dose-quiz").text


def test_there_is_room_for_so_many_declarations_and_texts(staff, imported, monkeypatch):
    monkeypatch.setattr(declare, "MOST_DECLARED", 1)
    files = {"text": declaration(slug="second"), "references": references()}
    assert "room for 1 declared" in words(staff.post(IMPORT, files))
    monkeypatch.setattr(declare, "MOST_TEXTS", 1)
    assert "no room for more" in words(change(staff, title="Other"))
    assert DeclaredBenchmark.objects.count() == 1


def change(client, **changes):
    """Import another declaration of the leaderboard, once it was looked at."""
    text = declaration(**changes)
    seen = words(client.post(IMPORT, {"text": text})).partition('name="seen" value="')[2].partition('"')[0]
    return client.post(IMPORT, {"text": text, "seen": seen})


def test_another_declaration_grades_from_then_on_and_rescoring_follows_in_every_process(staff, imported):
    near = answers(q1="12.4")
    submission = make_published(make_user("team@example.org"), imported, near, system="Near")
    before = submission.evaluation
    assert (before.right, before.total) == (2, 3)
    changed = {"match": {"kind": "normalised"}, "references": {"format": "csv"}}
    assert change(staff, **changed)["Location"] == "/organise/boards/dose-quiz/rescoring/"
    # Another process has loaded neither.
    stored._load.cache_clear()
    key = Board.objects.get(slug="dose-quiz").benchmark
    assert "1 submission" in words(staff.post("/organise/boards/dose-quiz/rescoring/", follow=True))
    now = Evaluation.objects.latest("pk")
    assert key.partition("_")[2] in now.scorer_version
    assert (now.right, before.scorer_version != now.scorer_version) == (2, True)
    # What graded the first evaluation is kept, and the public log names the change.
    assert DeclaredBenchmark.objects.count() == 2
    assert "declaration of the benchmark" in Client().get("/benchmarks/dose-quiz/changes/").text
    assert change(staff).status_code == 302
    stale = {"text": declaration(title="Third"), "seen": f"{key} 0"}
    assert "Grade by this declaration" in words(staff.post(IMPORT, stale))


def test_the_api_has_the_declaration_and_the_command_checks_files_by_it(imported, monkeypatch, tmp_path):
    response = Client().get(f"{BOARD}declaration/")
    assert response.json()["match"] == {"kind": "exact"}
    again = Client().get(f"{BOARD}declaration/", headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 304
    schema = Client().get(Client().get(BOARD).json()["schema_url"])
    assert schema.status_code == 200
    for body in (response, schema, Client().get(BOARD)):
        assert "zebra" not in body.text
    path = tmp_path / "answers.jsonl"
    path.write_bytes(answers())
    monkeypatch.delenv("WARDBOARD_URL", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    code, _, err = wardboard("validate", path, "--benchmark", "dose-quiz")
    assert code == 2
    assert "no service is named" in err
    reach_in_process(monkeypatch)
    monkeypatch.setenv("WARDBOARD_URL", ORIGIN)
    monkeypatch.setattr("wardboard.scoring.registry._BENCHMARKS", {})
    code, out, _ = wardboard("validate", path, "--benchmark", "dose-quiz", "--json")
    assert (code, json.loads(out)["results"]) == (0, 3)


def test_a_leaderboard_whose_benchmark_is_code_has_no_declaration(board):
    assert Client().get("/api/v1/benchmarks/hidden/declaration/").status_code == 404
