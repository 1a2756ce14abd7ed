"""A benchmark that a file declares: imported on the desk, graded by the text in force, and public."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leaderboard.models import AuditEvent, Board, BoardEvent, BoardOrganiser, DeclaredBenchmark, Evaluation
from leaderboard.models import declarations as stored
from tests.support.cli import wardboard
from tests.support.factories import make_published, make_user
from tests.support.in_process import ORIGIN, reach_in_process
from tests.support.pages.desk import words
from wardboard.scoring import registry

IMPORT, API = "/organise/declaration/", "/api/v1/benchmarks/dose-quiz/"
GOLDS = {"q1": "12", "q2": "7719.25", "q3": "3.5"}
pytestmark = pytest.mark.both_databases


def text_of(*, group: str = "a", **changes) -> str:
    """Return a declaration as JSON."""
    names = {"declaration": 1, "slug": "dose-quiz", "title": "Dose quiz"}
    files = {"description": "A dose.\n\nOne each.", "answers": {}, "references": {"format": "csv"}}
    graded = {"match": {"kind": "exact"}, "metrics": [{"kind": "exact-match"}, {"kind": "token-f1"}]}
    topic = {"key": "topic", "label": "Topic", "groups": {group: "Cardiology"}, "is_known": True}
    return json.dumps({**names, **files, **graded, "breakdowns": [topic], **changes})


def send(client, **changes):
    rows = "".join(f"{task},{gold},a\n" for task, gold in GOLDS.items())
    file = SimpleUploadedFile("references.csv", f"id,gold,topic\n{rows}".encode())
    return client.post(IMPORT, {"text": text_of(**changes), "references": file})


def change(client, rows=b"", **changes):
    """Send another declaration, after a look at what it says."""
    text = text_of(**changes)
    seen = words(client.post(IMPORT, {"text": text})).partition('name="seen" value="')[2].partition('"')[0]
    files = {"references": SimpleUploadedFile("other.csv", b"id,gold,topic\n" + rows)} if rows else {}
    return client.post(IMPORT, {"text": text, "seen": seen, **files})


def answers(**changes: str) -> bytes:
    return json.dumps([{"id": id, "answer": text} for id, text in (GOLDS | changes).items()]).encode()


@pytest.fixture
def imported(staff) -> Board:
    """Return the open leaderboard of the declaration, which takes files of anyone."""
    staff.post(send(staff)["Location"], {"was": ""})
    Board.objects.filter(slug="dose-quiz").update(access="anyone", rounding=0)
    return Board.objects.get(slug="dose-quiz")


def test_a_declaration_is_looked_at_then_imported_with_its_references_and_activated(staff):
    assert "Exact match, Token F1" in words(staff.post(IMPORT, {"text": text_of()}))
    assert not DeclaredBenchmark.objects.exists()
    preview = send(staff)["Location"]
    assert "Exact match, Token F1" in words(staff.get(preview))
    # A leaderboard whose references nobody has activated is on no list.
    assert "Dose quiz" not in Client().get("/").text
    staff.post(preview, {"was": ""})
    assert "Dose quiz" in Client().get("/").text
    board, declared = Board.objects.get(slug="dose-quiz"), DeclaredBenchmark.objects.get()
    assert (board.question, board.is_open, bytes(declared.text).decode()) == ("A dose.", True, text_of())
    event = AuditEvent.objects.get(action=AuditEvent.Action.BENCHMARK_DECLARED)
    assert declared.key == f"dose-quiz_{event.data['digest'][:12]}" == board.benchmark
    assert f"{API}declaration/" in Client().get("/benchmarks/dose-quiz/about/").text
    assert "Dose quiz: id, answer" in staff.get(reverse("web:submit", args=["dose-quiz"])).text


def test_a_declaration_that_cannot_stand_says_why_and_stores_nothing(staff, board):
    for slug in ("medagentbench", "medagentbench-300", "hidden"):
        assert "choose another slug" in words(send(staff, slug=slug))
    assert "2 errors, so nothing was stored" in words(send(staff, title=7, match={"kind": "magic"}))
    assert not DeclaredBenchmark.objects.exists()


def test_organisers_of_all_leaderboards_make_one_and_its_own_change_it(desk, other_desk, organiser, imported):
    BoardOrganiser.objects.create(board=imported, user=organiser)
    for client, slug, status in (desk, "new", 409), (other_desk, "dose-quiz", 409), (desk, "dose-quiz", 200):
        assert (slug, send(client, slug=slug).status_code) == (slug, status)
        assert ("One each" in client.get(f"{IMPORT}?board=dose-quiz").text) is (client is desk)
    assert DeclaredBenchmark.objects.count() == 1


def test_another_declaration_grades_from_then_on_and_rescoring_follows_in_every_process(staff, imported):
    evaluation = make_published(make_user("team@example.org"), imported, answers(q1="12.4")).evaluation
    tolerant = {"match": {"kind": "number", "absolute": 0.5}}
    unseen = {"text": text_of(**tolerant), "seen": f"{imported.benchmark} other"}
    assert "Grade by this declaration" in words(staff.post(IMPORT, unseen))
    rescoring = change(staff, **tolerant)["Location"]
    stored._load.cache_clear()  # as a process that has not read the leaderboard since
    assert "1 submission was rescored" in words(staff.post(rescoring, follow=True))
    latest = Evaluation.objects.latest("pk")
    assert (evaluation.right, latest.right) == (2, 3)
    assert Board.objects.get(slug="dose-quiz").benchmark.partition("_")[2] in latest.scorer_version
    # What graded the first one is kept, and the public log names the change.
    assert imported.benchmark.partition("_")[2] in evaluation.scorer_version
    assert DeclaredBenchmark.objects.count() == 2
    assert "declaration of the benchmark" in Client().get("/benchmarks/dose-quiz/changes/").text


def test_a_declaration_that_active_references_do_not_fit_needs_others_with_it(staff, imported):
    for changes in {"group": "b"}, {"breakdowns": [{"key": "b", "label": "B", "groups": {"a": "A"}}]}:
        assert "3 of 3 active reference answers do not fit" in words(change(staff, **changes)), changes
    assert Board.objects.get().benchmark == imported.benchmark
    for rows, said in (b"q1,12,b\n", "2 is active"), (b"q1,13,b\n", "3 is stored. It is not active yet"):
        assert f"Revision {said}" in words(staff.get(change(staff, rows, group="b")["Location"]))


def test_references_of_an_earlier_declaration_are_not_activated_where_they_do_not_fit(staff, imported):
    staged = change(staff, b"q1,13,a\n", caveats=["Few."])["Location"]
    assert "Revision 3 is active" in words(staff.get(change(staff, b"q1,12,b\n", group="b")["Location"]))
    was = Board.objects.get().active_revision_id
    for pressed in {}, {"unscored": "yes"}:
        page = words(staff.post(staged, {"was": was, **pressed}, follow=True))
        assert "1 of 1 reference answers do not fit the declaration: none has a group of topic" in page
    assert Board.objects.get().active_revision_id == was


def test_past_results_show_the_metrics_and_groups_of_the_declaration_that_graded_them(staff, imported):
    result = make_published(make_user("team@example.org"), imported, answers(q1="13"))
    # Every declared metric is a column, also where only overall scores are shown.
    assert "F1 %" in Client().get("/benchmarks/dose-quiz/").text
    Board.objects.update(feedback="by-type")
    then = f"?as_of={BoardEvent.objects.latest('number').number}"
    area = {"key": "area", "field": "topic", "label": "Area", "groups": {"a": "Hearts"}}
    seen = words(staff.post(IMPORT, {"text": text_of(breakdowns=[area])}))
    assert "Results keep their scores until you rescore them" in seen
    rescoring = change(staff, breakdowns=[area], metrics=[{"kind": "exact-match"}])["Location"]
    page = words(Client().get(f"/submissions/{result.pk}/"))
    assert all(text in page for text in ("Topic", "Cardiology", "Token F1"))
    staff.post(rescoring)
    for query, group, metrics in (then, "topic", {"exact_match", "token_f1"}), ("", "area", {"exact_match"}):
        [row] = Client().get(f"{API}leaderboard/{query}").json()["rows"]
        assert (row["breakdowns"].keys(), row["metrics"].keys()) == ({group}, metrics)
        table = Client().get(f"/benchmarks/dose-quiz/{query}").text
        assert ("F1 %" in table, "token_f1" in metrics) in {(True, True), (False, False)}


def test_the_api_has_the_declaration_and_the_command_checks_files_by_it(imported, monkeypatch, tmp_path):
    response = Client().get(Client().get(API).json()["declaration_url"])
    assert response.json()["match"] == {"kind": "exact"}
    assert Client().get(f"{API}declaration/", headers={"If-None-Match": response["ETag"]}).status_code == 304
    schema = Client().get(Client().get(API).json()["schema_url"])
    assert (schema.status_code, "7719" in schema.text + response.text) == (200, False)
    (path := tmp_path / "answers.jsonl").write_bytes(answers())
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("WARDBOARD_URL", raising=False)
    code, _, err = wardboard("validate", path, "--benchmark", "dose-quiz")
    assert (code, "no service is named" in err) == (2, True)
    reach_in_process(monkeypatch)
    monkeypatch.setenv("WARDBOARD_URL", ORIGIN)
    # The command registers it in its own process.
    monkeypatch.setitem(registry._BENCHMARKS, "dose-quiz", None)
    del registry._BENCHMARKS["dose-quiz"]
    code, out, _ = wardboard("validate", path, "--benchmark", "dose-quiz", "--json")
    assert (code, json.loads(out)["results"]) == (0, 3)
    for group, expected in ("a", (0, False)), ("b", (3, True)):
        (gold := tmp_path / "gold.csv").write_text(f"id,gold,topic\nq1,12,a\nq2,1,a\nq3,9,{group}\n")
        code, _, err = wardboard("grade", path, "--benchmark", "dose-quiz", "--references", gold)
        assert (code, "topic has no such group" in err) == expected
