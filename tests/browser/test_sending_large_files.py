"""Uploads of large files: a progress bar, a check that is put off, errors and broken connections."""

import re

import pytest

from leaderboard.models import Submission
from tests.support.addresses import SUBMIT
from wardboard.scoring.reading.limits import MIB

FORM = re.compile(r"/submit/(\?|$)")


@pytest.fixture
def large_file(good_file) -> bytes:
    """Pad a valid file to three MiB."""
    return good_file + b" " * (3 * MIB)


@pytest.fixture
def submit_page(open_page, board, sign_in):
    """Sign in, and open the page that takes a file first."""
    page = open_page()
    sign_in(page)
    page.goto(SUBMIT)
    return page


def name_and_submit(page, name: str = "Large") -> None:
    page.get_by_text("results.json can be scored").wait_for()
    page.get_by_label("Name of the system").fill(name)
    page.get_by_role("button", name="Submit the file").click()
    page.get_by_text("47 of 50 tasks").wait_for()


def hold(page):
    """Hold forms for submitting until the returned function is called."""
    routes = []
    page.route(
        FORM, lambda route: routes.append(route) if route.request.method == "POST" else route.continue_()
    )

    def let_go() -> None:
        for route in routes:
            route.continue_()
        page.unroute(FORM)

    return let_go


def test_uploading_a_large_file_shows_progress_and_goes_on_to_the_facts(submit_page, large_file, write_file):
    let_go = hold(submit_page)
    submit_page.get_by_label("Result file").set_input_files(write_file(large_file))
    submit_page.get_by_text("Sending results.json (4 MB)").wait_for()
    bar = submit_page.get_by_role("progressbar")
    assert bar.get_attribute("aria-label") == "Upload progress of results.json"
    assert bar.evaluate("e => e.getBoundingClientRect().bottom <= innerHeight")
    let_go()
    name_and_submit(submit_page)
    assert submit_page.url.endswith(f"/submissions/{Submission.objects.get().pk}/")


def test_a_lost_connection_is_reported_and_the_file_can_be_sent_again(submit_page, large_file, write_file):
    submit_page.route(FORM, lambda route: route.abort())
    submit_page.get_by_label("Result file").set_input_files(write_file(large_file))
    submit_page.get_by_text("The connection was lost before results.json finished uploading").wait_for()
    submit_page.unroute(FORM)
    # The field still has the file, and a browser reports no change when the same one is chosen.
    submit_page.get_by_role("button", name="Check the file").click()
    name_and_submit(submit_page)
