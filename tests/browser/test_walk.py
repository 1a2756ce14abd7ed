"""Whole tasks of a person, from signing up to a rank on the leaderboard."""

import io
import zipfile

import pytest

from leaderboard.models import Submission
from tests.support import factories

SUBMIT = "/benchmarks/medagentbench-demo/submit/"


def drop(page, path: str, selector: str = "[data-drop]") -> None:
    """Drop a file on an element, as with a mouse."""
    with open(path, "rb") as file:
        content = list(file.read())
    data = page.evaluate_handle(
        """content => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(content)], "dropped.json"));
            return data;
        }""",
        content,
    )
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event(selector, event, {"dataTransfer": data})


class Hand:
    """Presses what a person presses, and counts clicks and choosings of a file; typing is free."""

    def __init__(self, page) -> None:
        self.page, self.clicks, self.choosings = page, 0, 0

    def press(self, role: str, name: str, *, within: str = "main") -> None:
        self.clicks += 1
        self.page.locator(within).get_by_role(role, name=name, exact=True).first.click()

    def choose(self, path: str) -> None:
        self.choosings += 1
        self.page.get_by_label("Result file").set_input_files(path)


MOST_CLICKS = 8


def sign_up(hand: Hand, email: str = "new@example.org") -> None:
    hand.page.get_by_label("Email").fill(email)
    hand.page.get_by_label("Public name").fill("New Lab")
    hand.page.get_by_label("Password").fill(factories.PASSWORD)
    hand.press("button", "Sign Up")


def send_the_first_file(hand: Hand, path: str, *, script: bool) -> None:
    """Go from the front page to the step after the file, as a visitor."""
    hand.page.goto("/")
    hand.press("link", "Submit", within="header")
    hand.choose(path)
    if not script:
        hand.press("button", "Check the file")
    hand.page.get_by_text("can be scored").wait_for()


def publish_and_find_the_row(hand: Hand, system: str) -> None:
    page = hand.page
    page.get_by_text("47 of 50 tasks").wait_for()
    assert "Would rank 1 of 1 by score" in page.locator(".publish").inner_text()
    assert "Publishing is permanent" in page.locator(".publish").inner_text()
    hand.press("button", "Publish")
    page.locator(".messages").get_by_text("Published on").wait_for()
    assert "/benchmarks/medagentbench-demo/" in page.url
    published = page.locator(".messages")
    assert published.bounding_box()["y"] > 0
    published.get_by_role("link", name="See its row").click()
    assert page.url.endswith(f"#system-{Submission.objects.get().system_id}")
    row = page.get_by_role("row").filter(has_text=system)
    assert "94.0%" in row.inner_text() or "94.0" in row.inner_text()
    names = published.get_by_role("link").all_inner_texts()
    assert names == ["See its row", "Badge", "Cite", "Share by email"]


@pytest.mark.parametrize("script", [True, False], ids=["with-script", "without-script"])
def test_a_visitor_comes_to_a_published_row_in_eight_clicks_and_one_choosing(
    open_page, board, good_file, write_file, script
):
    hand = Hand(open_page(java_script_enabled=script))
    page = hand.page
    send_the_first_file(hand, write_file(good_file), script=script)
    assert "version demo · 50 results for 50 tasks" in page.locator("#report").inner_text()
    hand.press("button", "Create an account")
    sign_up(hand)
    # Back at the file, in sight.
    title = page.get_by_role("heading", level=1, name="results.json can be scored")
    assert title.evaluate("e => e.getBoundingClientRect().bottom <= innerHeight")
    page.get_by_label("Name of the system").fill("Ward round")
    hand.press("button", "Submit the file")
    publish_and_find_the_row(hand, "Ward round")
    assert hand.choosings == 1
    assert hand.clicks == (5 if script else 6) <= MOST_CLICKS


def test_a_zip_with_one_file_is_unpacked_and_a_dropped_one_is_read_at_once(
    open_page, board, sign_in, good_file, malformed_file, write_file
):
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("run/results.json", good_file)
        archive.writestr("__MACOSX/run/._results.json", b"x")
    page = open_page()
    sign_in(page)
    page.goto("/submit/")
    drop(page, write_file(malformed_file))
    page.locator("#report .problems").wait_for()
    assert "/results/0/answer" in page.locator("#report").inner_text()
    drop(page, write_file(zipped.getvalue(), "results.zip"))
    page.get_by_text("can be scored").wait_for()
    page.get_by_label("Name of the system").fill("Zipped")
    page.get_by_role("button", name="Submit the file").dblclick()
    page.get_by_text("47 of 50 tasks").wait_for()
    page.goto("/submissions/")
    assert page.locator("tbody tr").count() == 1


def test_a_file_can_be_submitted_and_published_by_keyboard_alone(
    open_page, board, sign_in, good_file, write_file
):
    page = open_page()
    sign_in(page)
    page.goto(SUBMIT)
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.locator(":focus").get_attribute("type") == "file"
    # No page can open the file dialogue of the system; set what it would return.
    page.locator(":focus").set_input_files(write_file(good_file))
    page.get_by_text("can be scored").wait_for()
    page.get_by_label("Name of the system").focus()
    page.keyboard.type("By keyboard")
    page.keyboard.press("Enter")
    page.get_by_text("47 of 50 tasks").wait_for()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.locator(":focus").inner_text() == "Publish":
            break
    assert page.locator(":focus").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.locator(".messages").get_by_text("Published on").wait_for()
