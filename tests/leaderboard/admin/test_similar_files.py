"""The admin page that names similar files."""

import pytest
from django.contrib.auth.models import Permission

from tests.support.factories import make_demo, make_scored, make_user, with_answers


@pytest.fixture
def board(user, other_user, good_file):
    board = make_demo("hidden", is_demo=False)
    make_scored(user, board, good_file, system="First of two")
    make_scored(other_user, board, with_answers(good_file, task1_1='["x"]'), system="Second of two")
    return board


def address(board):
    return f"/admin/leaderboard/benchmark/{board.pk}/similar/"


def test_an_organiser_sees_the_files_and_what_they_would_tell(client, board):
    client.force_login(make_user("organiser@example.org", is_staff=True, is_superuser=True))
    assert address(board) in client.get("/admin/leaderboard/benchmark/").content.decode()
    page = client.get(address(board)).content.decode()
    assert "2 submissions of 2 teams" in " ".join(page.split())
    assert "First of two" in page
    assert "Second of two" in page
    assert client.get(address(make_demo("empty"))).content.decode().count("No file is similar") == 1
    assert client.post(address(board)).status_code == 405


def test_visitors_submitters_and_staff_who_may_only_view_boards_do_not_see_similar_files(client, board, user):
    assert client.get(address(board)).status_code == 302
    client.force_login(user)
    assert client.get(address(board)).status_code == 302
    helper = make_user("helper@example.org", is_staff=True)
    helper.user_permissions.add(Permission.objects.get(codename="view_benchmark"))
    client.force_login(helper)
    assert client.get(address(board)).status_code == 403
