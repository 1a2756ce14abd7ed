"""List the pages to photograph, as shots.json has them, and the steps before each picture."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
from playwright.sync_api import Page

from tools.pictures.scratch_service import DEMO

BOARD = "medagentbench-300"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """Describe one picture.

    name: how its files begin.
    path: of the page, with {keys} of what `invented_systems.fill` returns.
    caption: its heading in the gallery.
    scroll_to: what is at the top of the picture, as a CSS selector.
    steps: the name of what is done on the page before the picture.
    account: who has to sign in, by the name in the address; "" for nobody.
    in_every_variant: in both schemes and both languages; otherwise light and in English only.
    """

    name: str
    path: str
    caption: str
    scroll_to: str = ""
    steps: str = ""
    account: str = ""
    in_every_variant: bool = False

    def prepare(self, page: Page) -> None:
        """Do what comes before the picture on the page."""
        if self.scroll_to:
            page.evaluate("s => document.querySelector(s).scrollIntoView()", self.scroll_to)
        if self.steps:
            _STEPS[self.steps](page)


def _check_malformed_file(page: Page) -> None:
    page.locator("input[type=file]").set_input_files(DEMO / "malformed.json")
    page.locator(".report.problems").wait_for()


def _submit_wrong_facts(page: Page) -> None:
    page.locator("input[type=file]").set_input_files(DEMO / "good.json")
    page.locator("details.advanced > summary").click()
    page.locator("#id_code_url").fill("github.com/example")
    page.locator("#id_harness").select_option("own-tools")
    page.locator("[aria-labelledby=about-system] button[type=submit]").first.click()
    page.locator(".errorlist").first.wait_for()


def _create_token(page: Page) -> None:
    page.locator("#id_name").fill("nightly CI")
    page.locator("#id_scopes_0").check()
    page.locator("main form.stack button[type=submit]").click()
    page.locator(".secret code").wait_for()


def _confirm_password(page: Page) -> None:
    password = page.locator("main input[type=password]")
    if password.count():
        password.fill("a-long-password-1")
        page.locator("main form button[type=submit]").first.click()
        page.wait_for_load_state()


def _turn_on_app(page: Page) -> None:
    _confirm_password(page)
    page.locator("#id_code").wait_for()


def _shrink_to_frame(page: Page) -> None:
    size = page.viewport_size
    if size:
        page.set_viewport_size({"width": size["width"], "height": 520})


def _preview_announcement(page: Page) -> None:
    page.locator("#id_text").fill("Six reference answers were corrected. Every result is scored again.")
    page.locator("button[name=preview]").click()
    page.locator("section.preview").wait_for()


_STEPS: dict[str, Callable[[Page], object]] = {
    "check malformed file": _check_malformed_file,
    "submit wrong facts": _submit_wrong_facts,
    "create token": _create_token,
    "confirm password": _confirm_password,
    "turn on app": _turn_on_app,
    "shrink to frame": _shrink_to_frame,
    "preview announcement": _preview_announcement,
}
# submit-facts is the last of the forms: the file that it leaves waiting would be on the others too.
SHOTS = msgspec.json.decode(Path(__file__).with_name("shots.json").read_bytes(), type=tuple[Shot, ...])
# Pictures that the service draws for other sites: the same for everybody.
DOWNLOADS = {
    "badge.svg": f"/benchmarks/{BOARD}/systems/{{system}}/badge.svg",
    "card-board.png": f"/benchmarks/{BOARD}/card.png",
    "card-system.png": "/systems/{system}/card.png",
}
# Those that README.md shows: all that docs/img holds.
README = (
    "board-1280.png",
    "board-table-1280.png",
    "board-past-1280-dark-zh.png",
    "check-1280.png",
    "submission-1280.png",
    "compare-1280.png",
    "system-1280.png",
    "view-precision-recall-1280.png",
    "view-progress-1280.png",
    "badge.svg",
)
