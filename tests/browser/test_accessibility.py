"""Every page has no barrier by axe, in both colour schemes and on two screens."""

import pytest

from tests.support import factories
from tests.support.pages.browser import DESK, OWN, PUBLIC, find_barriers, find_barriers_at


@pytest.fixture
def filled(board, good_file, noisy_file, malformed_file):
    """Fill a board, add an empty one, and return the paths of submissions, systems and a comparison."""
    from django.utils import timezone

    from leaderboard.models import Kind, Standing, System
    from tests.support.pages.charts import make_chart_board

    make_chart_board()
    factories.make_demo(slug="empty", title="Empty board", is_demo=False)
    user = factories.make_user("ada@example.org", first_name="Ada Lab")
    best = factories.make_published(user, board, good_file, system="x" * 120)
    submissions = [best, factories.make_published(user, board, noisy_file, system="臨床助理")]
    submissions.append(factories.send(user, board, malformed_file).submission)
    invitation = factories.make_invitation_link(user)
    for name, score in (("Printed", 0.5), ("Without a figure", None)):
        system = System.objects.create(name=name, source="a paper", source_url="https://example.org/")
        ends = {} if score is None else {"low": score - 0.05, "high": score + 0.05}
        Standing.objects.create(
            board=board,
            system=system,
            name=name,
            kind=Kind.REPORTED,
            score=score,
            since=timezone.now(),
            **ends,
        )
    # Two scored rows and a reported one.
    compared = [row.system_id for row in Standing.objects.filter(board=board).order_by("kind", "pk")][-3:]
    return [
        *(f"/submissions/{submission.pk}/" for submission in submissions),
        *(f"/systems/{system.pk}/" for system in System.objects.filter(standings__isnull=False)[:40:13]),
        f"/systems/{submissions[0].system_id}/",
        f"/teams/join/{invitation}/",
        f"/benchmarks/{board.slug}/compare/?" + "&".join(f"system={one}" for one in compared),
    ]


def test_no_public_page_has_an_axe_violation_or_runs_off_the_screen(
    open_page, filled, malformed_file, write_file
):
    page = open_page()
    barriers = {}
    for path in PUBLIC:
        barriers |= find_barriers_at(page, path)
    page.goto("/submit/")
    page.get_by_label("Result file").set_input_files(write_file(malformed_file))
    page.locator("#report .problems").wait_for()
    barriers |= find_barriers(page, "the report of a check")
    assert barriers == {}


@pytest.mark.long
def test_no_page_of_a_signed_in_user_has_an_axe_violation_or_runs_off_the_screen(
    open_page, filled, sign_in, good_file, write_file
):
    from leaderboard.models import Scope
    from leaderboard.services.teams.device_codes import begin

    page = open_page()
    sign_in(page)
    # Pages of the second factor ask for the password first.
    page.goto("/accounts/reauthenticate/")
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("heading", name="My submissions").wait_for()
    barriers = {}
    for path in (*OWN, *filled):
        barriers |= find_barriers_at(page, path)
    page.goto("/benchmarks/medagentbench-demo/submit/")
    page.get_by_label("Result file").set_input_files(write_file(good_file))
    page.get_by_text("can be scored").wait_for()
    page.get_by_text("Advanced (optional)").click()
    page.get_by_label("Code").fill("not a link")
    page.get_by_role("button", name="Submit the file").click()
    page.locator("#id_code_url_error").wait_for()
    barriers |= find_barriers(page, "a form with problems")
    page.goto("/account/tokens/")
    page.get_by_label("Name").fill("CI")
    page.get_by_label("Check files").check()
    page.get_by_role("button", name="Create token").click()
    page.locator(".secret code").wait_for()
    barriers |= find_barriers(page, "a new token")
    barriers |= find_barriers_at(page, "/account/device/?user_code=wrong")
    code, _ = begin(client="wardboard 1.2", host="m" * 60, scopes=list(Scope), address="198.51.100.7")
    barriers |= find_barriers_at(page, f"/account/device/?user_code={code.shown_code}")
    assert barriers == {}


@pytest.mark.long
def test_no_page_of_the_desk_has_an_axe_violation_or_runs_off_the_screen(open_page, filled, sign_in):
    from leaderboard.models import Board, BoardOrganiser, Submission, User

    user = User.objects.get(email="ada@example.org")
    for board in Board.objects.all():
        BoardOrganiser.objects.create(user=user, board=board)
    published = Submission.objects.filter(published_at__isnull=False).first()
    story = f"/organise/submissions/{published.pk}/"
    page = open_page()
    sign_in(page)
    barriers = {}
    for path in (*DESK, story, f"{story}disqualify/"):
        barriers |= find_barriers_at(page, path)
    assert barriers == {}


def test_violations_of_each_kind_are_found(open_page):
    page = open_page()
    page.set_content("""<!doctype html><html lang=en><title>Barriers</title>
        <style>body { margin: 0 }
        @media (prefers-color-scheme: dark) { p { background: black; color: #333 } }</style>
        <main><h1>Barriers</h1><p>Dark on dark</p><img src="data:,">
        <div style="width: 500px">Wide</div></main>""")
    ((_, barriers),) = find_barriers(page, "made up").items()
    assert [line.split(":")[0] for line in barriers] == [
        "image-alt",
        "dark",
        "110 pixels wider than a screen of 390",
    ]
    assert barriers[1].startswith("dark: color-contrast")
