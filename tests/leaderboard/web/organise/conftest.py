"""A board of its own organiser, one of another's, and people with other rights."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from leaderboard.models import BoardOrganiser
from tests.support.factories import client_of, make_demo, make_hidden, make_user


@pytest.fixture
def board(db):
    """Return a board without a limit on new teams, so that its results can be published."""
    return make_demo("hidden", is_demo=False)


@pytest.fixture
def organiser(board):
    """Return the organiser of `board`, who is not of the staff."""
    user = make_user("organiser@example.org")
    BoardOrganiser.objects.create(board=board, user=user)
    return user


@pytest.fixture
def desk(organiser) -> Client:
    """Return the organiser's browser."""
    return client_of(organiser)


@pytest.fixture
def other_desk(db) -> Client:
    """Return the browser of the organiser of another board."""
    user = make_user("elsewhere@example.org")
    BoardOrganiser.objects.create(board=make_hidden("elsewhere", title="Elsewhere"), user=user)
    return client_of(user)


@pytest.fixture
def staff(db) -> Client:
    """Return the browser of someone of the staff with the rights to change boards, files and approvals."""
    user = make_user("staff@example.org", is_staff=True)
    names = ("change_board", "change_submission", "change_teamapproval")
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    return client_of(user)


@pytest.fixture
def helper(db) -> Client:
    """Return the browser of someone of the staff who may only look."""
    user = make_user("helper@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_submission"))
    return client_of(user)
