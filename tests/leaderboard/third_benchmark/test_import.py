"""The organiser's commands on a benchmark without options of its own."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from leaderboard.models import Board
from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch, ExactReference
from tests.support.factories import make_user
from tests.support.pages.desk import words
from wardboard.scoring import registry


@pytest.fixture
def dump(db, tmp_path):
    with registry.registered(ExactMatch()) as benchmark:
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
