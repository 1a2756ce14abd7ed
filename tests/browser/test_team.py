"""The first hour of a team: from an invitation to a verified result of its CI job, and a badge."""

import re

import pytest
from django.core import mail

from leaderboard.models import Standing, TrustedPublisher
from leaderboard.services.notifications.send import notify
from leaderboard.services.trusted_publishing import issuer_keys
from leaderboard.services.trusted_publishing.id_tokens import audience
from tests.support import factories
from tests.support.ci_issuer import COMMIT, REPOSITORY, REQUEST_TOKEN, CiIssuer
from tests.support.cli import wardboard_process


@pytest.fixture
def issuer(settings):
    """Serve an issuer of ID tokens that the live server accepts."""
    issuer_keys.forget_keys()
    with CiIssuer() as issuer:
        settings.TRUSTED_ISSUERS = {issuer.origin: "github"}
        yield issuer
    issuer_keys.forget_keys()


def _release(file, publisher, issuer, url):
    """Submit and publish a file as a release job of the publisher's workflow does, without a stored token."""
    job = {
        "WARDBOARD_URL": url,
        "WARDBOARD_AUDIENCE": audience(),
        "WARDBOARD_PUBLISHER": str(publisher.pk),
        "ACTIONS_ID_TOKEN_REQUEST_URL": f"{issuer.origin}/token?api-version=2.0",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": REQUEST_TOKEN,
    }
    code, out, err = wardboard_process(
        *("submit", file, "--benchmark", "medagentbench-demo", "--system", "Released agent", "--model", "m"),
        *("--wait", "--publish", "--fail-under", "0.80"),
        env=job,
    )
    assert (code, err) == (0, ""), out


def _add_publisher(page, issuer):
    """Let the jobs of a workflow publish for the team, on the page; return the publisher."""
    page.goto("/account/publishers/")
    page.get_by_label("Publisher of").select_option("ward-lab")
    page.get_by_label("CI system").select_option(issuer.origin)
    page.get_by_label("Repository", exact=True).fill(REPOSITORY)
    page.get_by_label("Workflow file").fill("release.yml")
    page.get_by_role("button", name="Add the publisher").click()
    page.get_by_text("Added. Put these lines into the workflow.").wait_for()
    publisher = TrustedPublisher.objects.get()
    assert str(publisher.pk) in page.get_by_role("main").inner_text()
    return publisher


def _look_at_the_released_result(page, board):
    """Find the mark of CI in the row, what is verified on the page of the system, and its badge."""
    page.goto(f"/benchmarks/{board.slug}/")
    row = page.get_by_role("row").filter(has_text="Released agent")
    assert row.locator(".ci-mark").inner_text() == "CI"
    row.get_by_role("link", name="Released agent").click()
    facts = page.get_by_role("main")
    for summary in facts.locator("details.fold > summary").all():
        summary.click()
    assert "verified: signed by CI" in facts.inner_text()
    assert facts.get_by_role("link", name=COMMIT[:12]).count() == 1
    badge = facts.get_by_role("img", name=re.compile("rank")).first.get_attribute("src")
    assert page.request.get(badge).headers["content-type"].startswith("image/svg+xml")


@pytest.mark.long
def test_a_team_is_created_and_joined_and_publishes_what_a_member_and_then_its_ci_job_submit(
    open_page, board, sign_in, good_file, write_file, issuer, live_server, settings
):
    settings.NOTIFIES = True
    owner, invited = open_page(), open_page()
    sign_in(owner)
    owner.goto("/accounts/email/")
    owner.get_by_role("link", name="Teams", exact=True).click()
    owner.get_by_label("Name of the team").fill("Ward Lab")
    owner.get_by_role("button", name="Create the team").click()
    owner.get_by_label("Email address").fill("new@example.org")
    owner.get_by_role("button", name="Invite", exact=True).click()
    owner.get_by_text("new@example.org is invited.").wait_for()
    notify()
    path = re.search(r"/teams/join/\S+", mail.outbox[-1].body)[0]
    assert owner.locator(".secret code").inner_text().endswith(path)

    invited.goto(path)
    invited.get_by_text("Ada Lab invites you").wait_for()
    invited.get_by_role("main").get_by_role("link", name="Create an account").click()
    invited.get_by_label("Email").fill("new@example.org")
    invited.get_by_label("Public name").fill("New Person")
    invited.get_by_label("Password").fill(factories.PASSWORD)
    invited.get_by_role("button", name="Sign up").click()
    # The browser sends the form with its origin, or it would be refused.
    invited.get_by_role("button", name="Join the team").click()
    invited.get_by_text("You are in the team Ward Lab.").wait_for()
    assert invited.get_by_text("Invite someone").count() == 0

    invited.get_by_role("link", name="Submit for the team").click()
    invited.get_by_label("Result file").set_input_files(write_file(good_file))
    invited.get_by_text("can be scored").wait_for()
    assert invited.get_by_label("Team", exact=True).input_value() == "ward-lab"
    invited.get_by_label("Name of the system").fill("Ward round")
    invited.get_by_role("button", name="Submit the file").click()

    owner.goto("/submissions/")
    owner.get_by_role("link", name="Ward Lab", exact=True).click()
    owner.get_by_role("link", name="Ward round").click()
    assert "New Person" in owner.get_by_role("main").inner_text()
    owner.get_by_role("button", name="Publish").click()
    owner.locator(".messages").get_by_text("Published on").wait_for()
    assert Standing.objects.get().team_name == "Ward Lab"

    publisher = _add_publisher(owner, issuer)
    file = write_file(factories.with_wrong(good_file, 1), "release.json")
    _release(file, publisher, issuer, live_server.url)
    _look_at_the_released_result(owner, board)

    # To leave the team is asked twice, and the second time says what it means.
    invited.goto("/account/teams/ward-lab/")
    invited.get_by_text("Leave the team…").click()
    invited.get_by_text("What you sent for it stays with the team").wait_for()
    invited.get_by_role("button", name="Leave the team").click()
    invited.get_by_text("You have left Ward Lab.").wait_for()
