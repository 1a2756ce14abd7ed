"""A board whose benchmark is not installed any more: it answers 503, and everything else goes on."""

import pytest
from django.core.management import call_command
from django.test import Client

from leaderboard.models import Board
from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch, ExactReference
from tests.support.factories import make_demo, make_scored, make_user
from wardboard.scoring import registry


@pytest.fixture
def board(db, tmp_path) -> Board:
    """Make a board of the example benchmark, which then is gone, beside the demonstration."""
    make_demo()
    path = tmp_path / "references.json"
    with registry.registered(ExactMatch()) as benchmark:
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
    with registry.registered(ExactMatch()):
        assert visitor.get("/benchmarks/exact/").status_code == 200
        assert "Echo of answers" in visitor.get("/").content.decode()


def test_the_list_of_submissions_keeps_the_row_without_links(board, visitor):
    user = make_user()
    with registry.registered(ExactMatch()):
        make_scored(user, board, b'[{"id": "q0", "answer": "0"}]', system="Echo")
    visitor.force_login(user)
    response = visitor.get("/submissions/")
    assert response.status_code == 200
    row = response.content.decode().partition("<tbody>")[2]
    assert "Echo of answers" in row
    # Neither its page nor that of its leaderboard can be shown.
    assert "<a " not in row.partition("</tbody>")[0]
