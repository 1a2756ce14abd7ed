"""Writes docs/accessibility.md: python -m docs.axe_report

Starts the service with invented systems (scratch_service.py), has axe look at every page that the tests have
it look at, at two widths, in both schemes and both languages, and measures each page against its screen.
The rest of the page, what was checked without axe, stays as it was written.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from docs.scratch_service import ROOT, service_and_browser, sign_in
from docs.screenshots import DEMO
from tests.support.pages.browser import LANGUAGES, OWN, PUBLIC, SCHEMES, WIDTHS

REPORT = ROOT / "docs" / "accessibility.md"
BY_HAND = "## What axe cannot see"
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice")
# As narrow as WCAG 2.2 (1.4.10, reflow) asks.
NARROWEST = 320

Found = dict[str, list[str]]


class Look:
    """One way of looking at all pages: a width, a scheme, a language."""

    def __init__(self, browser: Browser, address: str, way: tuple[int, str, str]) -> None:
        width, scheme, self.language = way
        self.way = f"{width} {scheme} {self.language}"
        self.prefix = LANGUAGES[self.language]
        self.address = address
        size = {"width": width, "height": 900}
        self.context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.version = ""

    def all_pages(self, keys: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
        """Yield each page's name with what is wrong with it."""
        page = self.page
        for path in PUBLIC + _of_systems(keys):
            yield path, self._at(path)
        self._go("/check/?benchmark=medagentbench-demo")
        page.locator("input[type=file]").set_input_files(DEMO / "malformed.json")
        page.locator("#report .problems").wait_for()
        yield "the report of a check", self._look()
        sign_in(page, self.address)
        for path in (*OWN, f"/submissions/{keys['own']}/"):
            yield path, self._at(path)
        self._go("/benchmarks/medagentbench-demo/submit/")
        page.locator("#id_code_url").fill("not a link")
        page.locator("main form button[type=submit]").click()
        page.locator("#id_code_url_error").wait_for()
        yield "a form with problems", self._look()
        self._go("/account/tokens/")
        page.locator("#id_name").fill("CI")
        page.locator("main form.stack button[type=submit]").click()
        page.locator("#token").wait_for()
        yield "a new token", self._look()
        self.context.close()

    def _go(self, path: str) -> None:
        response = self.page.goto(self.address + self.prefix + path)
        # A page of an error has few barriers.
        if response is None or response.status >= 500:
            raise RuntimeError(f"{path} failed")

    def _at(self, path: str) -> list[str]:
        self._go(path)
        return self._look()

    def _look(self) -> list[str]:
        response = Axe().run(self.page, options={"runOnly": {"type": "tag", "values": list(TAGS)}}).response
        self.version = response["testEngine"]["version"]
        wrong = [f"{one['id']} ({len(one['nodes'])})" for one in response["violations"]]
        return wrong + _too_wide(self.page)


def _of_systems(keys: dict[str, str]) -> tuple[str, ...]:
    board = "/benchmarks/medagentbench-300/"
    return (
        board,
        f"{board}?as_of=2026-06-20",
        f"{board}changes/",
        f"{board}views/by-task-type/",
        f"{board}compare/?{keys['compared']}",
        f"/systems/{keys['system']}/",
    )


def _too_wide(page: Page) -> list[str]:
    """Return whether the page, not a table in a box of its own, runs off the screen: here, and at 320 px."""
    size, wrong = page.viewport_size, []
    for width in (size["width"], NARROWEST):
        page.set_viewport_size({"width": width, "height": size["height"]})
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        wrong += [f"{wide} px too wide at {width}"] if wide > 0 else []
    page.set_viewport_size(size)
    return wrong


def main() -> int:
    """Look at everything, write the report, and return how many pages have something wrong."""
    found: dict[str, Found] = {}
    with service_and_browser() as (address, keys, browser):
        for way in product(WIDTHS, SCHEMES, LANGUAGES):
            look = Look(browser, address, way)
            for name, wrong in look.all_pages(keys):
                for key, value in keys.items():
                    name = name.replace(value, f"({key})")  # noqa: PLW2901 - numbers say nothing
                found.setdefault(name, {})[look.way] = wrong
            print(look.way, sum(bool(one.get(look.way)) for one in found.values()), flush=True)
    REPORT.write_text(_report(found, look.version))
    return sum(any(ways.values()) for ways in found.values())


def _report(found: dict[str, Found], version: str) -> str:
    looks = sum(len(ways) for ways in found.values())
    wrong = sum(bool(one) for ways in found.values() for one in ways.values())
    lines = [
        "# Accessibility",
        "",
        "Aimed at: WCAG 2.2, levels A and AA. The first part is written by `python -m docs.axe_report`.",
        "",
        "## What axe finds",
        "",
        f"On {datetime.now(UTC):%Y-%m-%d} axe-core {version} looked at {len(found)} pages and states of",
        f"pages, each at {' and '.join(map(str, WIDTHS))} pixels, {' and '.join(SCHEMES)}, in English and in",
        f"Traditional Chinese: {looks} looks, of which {wrong} found something. The rules are those tagged",
        ", ".join(f"`{tag}`" for tag in TAGS) + ".",
        f"Each page was measured too, at its width and at {NARROWEST} pixels: it may not be wider than the",
        "screen (a table scrolls in a box of its own, which the keyboard reaches).",
        "",
        "| page | looks | found |",
        "| --- | ---: | --- |",
    ]
    for name, ways in found.items():
        said = "; ".join(f"{way}: {', '.join(one)}" for way, one in ways.items() if one) or "nothing"
        shown = f"`{name}`" if name.startswith("/") else name
        lines.append(f"| {shown} | {len(ways)} | {said} |")
    return "\n".join(lines) + "\n\n" + _by_hand()


def _by_hand() -> str:
    """Return what a person wrote: the report's last part."""
    kept = REPORT.read_text() if REPORT.exists() else ""
    return kept[kept.index(BY_HAND) :] if BY_HAND in kept else f"{BY_HAND}\n"


if __name__ == "__main__":
    sys.exit(main())
