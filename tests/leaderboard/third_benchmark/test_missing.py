"""A board of another distribution: its import, and how it answers once that is not installed any more."""

from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.models import Board
from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch, ExactReference
from tests.support.factories import make_demo, make_scored, make_user
from tests.support.pages.desk import words
from wardboard.scoring import registry


@pytest.fixture
def board(db, tmp_path) -> Board:
    """Make a board of the example benchmark, which then is gone, beside the demonstration."""
    make_demo()
    path = tmp_path / "references.json"
    with patch.dict(registry._BENCHMARKS, {ExactMatch.slug: ExactMatch()}):
        benchmark = registry.get(ExactMatch.slug)
        path.write_bytes(benchmark.dump_references({"q0": ExactReference(answer="0")}))
        options = ["--references", path, "--slug", "exact", "--title", "Echo of answers"]
        call_command("import_references", "exact-match", *options)
    return Board.objects.get(slug="exact")


@pytest.fixture
def visitor() -> Client:
    return Client(raise_request_exception=False)


def test_everything_but_its_own_pages_goes_on_and_leaves_it_out(board, visitor):
    for path in ("/", "/zh-hant/", "/submit/", "/status/", "/sitemap.xml"):
        response = visitor.get(path)
        assert response.status_code == 200, path
        text = response.content.decode()
        assert "Echo of answers" not in text, path
        assert "/benchmarks/exact/" not in text, path
    listed = visitor.get("/api/v1/benchmarks/").json()["results"]
    assert [each["slug"] for each in listed] == ["medagentbench-demo"]
    assert visitor.get("/benchmarks/medagentbench-demo/").status_code == 200


def test_its_own_pages_answer_that_it_is_away_until_it_is_there_again(board, visitor):
    for path in ("/benchmarks/exact/", "/benchmarks/exact/about/"):
        response = visitor.get(path)
        assert (response.status_code, response["Retry-After"]) == (503, "5")
    response = visitor.get("/api/v1/benchmarks/exact/")
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    with patch.dict(registry._BENCHMARKS, {ExactMatch.slug: ExactMatch()}):
        assert visitor.get("/benchmarks/exact/").status_code == 200
        assert "Echo of answers" in visitor.get("/").content.decode()


def test_the_list_of_submissions_keeps_the_row_without_links(board, visitor):
    user = make_user()
    with patch.dict(registry._BENCHMARKS, {ExactMatch.slug: ExactMatch()}):
        make_scored(user, board, b'[{"id": "q0", "answer": "0"}]', system="Echo")
    visitor.force_login(user)
    response = visitor.get("/submissions/")
    assert response.status_code == 200
    row = response.content.decode().partition("<tbody>")[2]
    assert "Echo of answers" in row
    # Neither its page nor that of its leaderboard can be shown.
    assert "<a " not in row.partition("</tbody>")[0]


@pytest.fixture
def dump(db, tmp_path):
    with patch.dict(registry._BENCHMARKS, {ExactMatch.slug: ExactMatch()}):
        benchmark = registry.get(ExactMatch.slug)
        path = tmp_path / "references.json"
        path.write_bytes(
            benchmark.dump_references({f"q{n}": ExactReference(answer=str(n)) for n in range(3)})
        )
        yield path


def test_dumped_references_become_a_board(dump, capsys):
    call_command("import_references", "exact-match", "--references", dump, "--slug", "exact", "--title", "E")
    board = Board.objects.get()
    assert (board.slug, board.benchmark, board.version, board.title) == ("exact", "exact-match", "1", "E")
    assert board.active_revision.task_count == 3
    assert "revision 1 is active. 3 tasks" in capsys.readouterr().out


def test_a_file_without_references_and_a_command_that_names_too_little_are_refused(dump):
    with pytest.raises(CommandError, match="--slug"):
        call_command("import_references", "exact-match", "--references", dump)
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("import_references", "no-such", "--references", "x")
    for content in ("{", "[]", "[1]"):
        dump.write_text(content)
        with pytest.raises(CommandError, match=r"does not hold dumped reference answers"):
            call_command("import_references", "exact-match", "--references", dump, "--slug", "exact")
    assert not Board.objects.exists()


def test_dumped_references_are_imported_in_the_browser_too(dump, client):
    call_command("import_references", "exact-match", "--references", dump, "--slug", "exact")
    client.force_login(make_user("root@example.org", is_staff=True, is_superuser=True))
    address = "/organise/boards/exact/references/import/"
    assert "Dumped reference answers" in client.get(address).content.decode()
    four = ExactMatch().dump_references({f"q{n}": ExactReference(answer=str(n)) for n in range(4)})
    response = client.post(address, {"references": SimpleUploadedFile("references.json", four)})
    assert response["Location"] == "/organise/boards/exact/references/2/"
    assert "1 new task: <code>q3</code>" in words(client.get(response["Location"]))
    response = client.post(address, {"references": SimpleUploadedFile("references.json", b"{")})
    assert response.status_code == 422
    assert "references.unreadable" in words(response)
