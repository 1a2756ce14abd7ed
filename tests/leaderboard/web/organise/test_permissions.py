"""Every address of the desk is for its organisers alone."""

import re
import uuid
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import get_resolver

from leaderboard.models import Announcement, TeamApproval
from leaderboard.services.accounts import personal_team
from tests.support.factories import make_scored

FOR_STAFF = {"organise-new", "organise-settings", "organise-organisers"}
# The addresses by name -> method, and whether they are of one board.
ADDRESSES = {
    "organise": ("get", False, "/organise/"),
    "organise-declaration": ("get", False, "/organise/declaration/"),
    "organise-new": ("get", False, "/organise/new/"),
    "organise-submissions": ("get", False, "/organise/submissions/"),
    "organise-board": ("get", True, "/organise/boards/hidden/"),
    "organise-similar": ("get", True, "/organise/boards/hidden/similar/"),
    "organise-models": ("get", True, "/organise/boards/hidden/models/"),
    # For those who organise all leaderboards: see test_settings.
    "organise-settings": ("get", True, "/organise/boards/hidden/settings/"),
    "organise-organisers": ("post", True, "/organise/boards/hidden/organisers/"),
    "organise-references": ("get", True, "/organise/boards/hidden/references/"),
    "organise-import": ("get", True, "/organise/boards/hidden/references/import/"),
    # Of a revision that was active: back to its page.
    "organise-discard": ("post", True, "/organise/boards/hidden/references/1/discard/"),
    "organise-revision": ("get", True, "/organise/boards/hidden/references/1/"),
    "organise-doubts": ("get", True, "/organise/boards/hidden/doubts/"),
    "organise-rescoring": ("get", True, "/organise/boards/hidden/rescoring/"),
    "organise-reported": ("get", True, "/organise/boards/hidden/published/"),
    "organise-reported-csv": ("get", True, "/organise/boards/hidden/published.csv"),
    "organise-announcements": ("get", True, "/organise/boards/hidden/announcements/"),
    "organise-end-announcement": ("post", True, "/organise/boards/hidden/announcements/{announcement}/end/"),
    "organise-teams": ("get", True, "/organise/boards/hidden/teams/"),
    "organise-season": ("get", True, "/organise/boards/hidden/season/"),
    "organise-open-file": ("get", True, "/organise/submissions/{submission}/open/"),
    "organise-decide": ("post", True, "/organise/boards/hidden/teams/{approval}/approve/"),
    "organise-submission": ("get", True, "/organise/submissions/{submission}/"),
    "organise-feedback": ("get", True, "/organise/boards/hidden/feedback/"),
    "organise-disqualify": ("get", True, "/organise/submissions/{submission}/disqualify/"),
    # Of a result that is not disqualified: back to its page.
    "organise-reinstate": ("post", True, "/organise/submissions/{submission}/reinstate/"),
    "organise-act": ("post", True, "/organise/submissions/{submission}/review/"),
}


@pytest.fixture
def paths(board, user, good_file):
    """Return the address of each page, by its name."""
    submission = make_scored(user, board, good_file)
    approval = TeamApproval.objects.create(board=board, team=personal_team(user), requested_by=user)
    announcement = Announcement.objects.create(board=board, text="News")
    made = {"approval": approval, "announcement": announcement}
    keys = {"submission": submission.pk, **{name: row.pk for name, row in made.items()}}
    return {name: path.format(**keys) for name, (_, _, path) in ADDRESSES.items()}


def test_the_table_holds_every_address_of_the_desk():
    routes = get_resolver("leaderboard.web.urls").reverse_dict
    paths = {name: routes[name][0][0][0] for name in routes if isinstance(name, str)}
    assert {name for name, path in paths.items() if path.startswith("organise/")} == set(ADDRESSES)


def statuses(client: Client, paths) -> dict[str, int]:
    return {name: getattr(client, ADDRESSES[name][0])(path).status_code for name, path in paths.items()}


def test_strangers_helpers_and_organisers_of_another_board_get_404(paths, ada, helper, other_desk, visitor):
    assert set(statuses(ada, paths).values()) == {404}
    assert set(statuses(helper, paths).values()) == {404}
    for name, status in statuses(other_desk, paths).items():
        assert (name, status) == (name, 404 if ADDRESSES[name][1] or name in FOR_STAFF else 200)
    for name, path in paths.items():
        assert getattr(visitor, ADDRESSES[name][0])(path)["Location"].startswith("/accounts/login/?next=")
    assert TeamApproval.objects.get().decided_at is None


def test_organisers_and_staff_use_every_page_by_its_method_alone(paths, desk, staff):
    for client in (desk, staff):
        for name, status in statuses(client, paths).items():
            done = 200 if ADDRESSES[name][0] == "get" else 302
            assert status == (404 if client is desk and name in FOR_STAFF else done), (name, status)
    for name, path in paths.items():
        if ADDRESSES[name][0] == "post" and name not in ("organise-reinstate", "organise-organisers"):
            answer = desk.get(path)
            assert (answer.status_code, answer["Allow"]) == (405, "POST")
            assert "Page not found" in answer.text
            assert desk.head(path).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = desk.cookies
    assert strict.post(paths["organise-act"]).status_code == 403
    missing = desk.get(f"/organise/submissions/{uuid.uuid4()}/")
    assert missing.status_code == 404


def test_a_form_that_is_sent_after_the_session_ended_leads_back_to_its_page(paths, visitor):
    form = "/organise/boards/hidden/feedback/?feedback=overall"
    for name in (name for name, (method, *_) in ADDRESSES.items() if method == "post"):
        to_sign_in = visitor.post(paths[name], headers={"referer": f"http://testserver{form}"})["Location"]
        assert to_sign_in == f"/accounts/login/?next={quote(form)}"
        for referrer in ({"referer": "https://elsewhere.example/organise/"}, {}):
            elsewhere = visitor.post(paths[name], headers=referrer)["Location"]
            assert elsewhere == "/accounts/login/?next=/submissions/"
    assert "nothing was changed. Sign in, then do it again." in visitor.get(to_sign_in).text


def test_an_organiser_needs_a_second_factor_where_staff_do(paths, desk, settings):
    settings.STAFF_SECOND_FACTOR = True
    for name, path in paths.items():
        assert getattr(desk, ADDRESSES[name][0])(path)["Location"] == "/accounts/2fa/"
    assert TeamApproval.objects.get().decided_at is None


def test_lists_hold_own_boards_only_and_the_header_links_for_organisers_only(
    paths, desk, other_desk, ada, staff
):
    assert "Careful agent" in desk.get("/organise/submissions/").text
    for path in ("/organise/submissions/", "/organise/"):
        page = other_desk.get(path).text
        assert "Careful agent" not in page
        assert "MedAgentBench demo" not in re.sub(r"<header.*?</header>", "", page, flags=re.DOTALL)
    link = 'href="/organise/"'
    assert link in desk.get("/submissions/").text
    assert link in staff.get("/submissions/").text
    assert link not in ada.get("/submissions/").text
