"""Write the first part of docs/accessibility.md: python -m tools.pictures.axe_report

Starts the service with invented systems, runs axe on every page that the tests run it on (at two widths, in
both schemes and both languages), and checks that no page is wider than its screen. The second part of the
document, checks made without axe, is kept as people wrote it.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.support.pages.browser import DESK, LANGUAGES, OWN, PUBLIC, SCHEMES, WIDTHS
from tools.pictures.scratch_service import DEMO, ROOT, service_and_browser, sign_in
from tools.pictures.shots import BOARD

REPORT = ROOT / "docs" / "accessibility.md"
MANUAL_PART = "## What axe cannot check"
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice")
# As narrow as WCAG 2.2 (1.4.10, reflow) asks.
NARROWEST = 320

# For each page, its violations for each variant: "1280 light en" -> ["color-contrast (2)"].
Violations = dict[str, dict[str, list[str]]]


class Visit:
    """Visit all pages at one width, in one scheme and one language."""

    def __init__(self, browser: Browser, address: str, width: int, scheme: str, language: str) -> None:
        self.variant = f"{width} {scheme} {language}"
        self.prefix = LANGUAGES[language]
        self.address = address
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        self.page = self.context.new_page()
        self.version = ""

    def check_all(self, keys: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
        """Yield each page's name with its violations."""
        page = self.page
        for path in PUBLIC + _board_paths(keys):
            yield path, self._check_page(path)
        self._open("/submit/?benchmark=medagentbench-demo")
        page.locator("input[type=file]").set_input_files(DEMO / "malformed.json")
        page.locator("#report .problems").wait_for()
        yield "the report of a check", self._check()
        page.locator("input[type=file]").set_input_files(DEMO / "middling.json")
        page.locator(".share a.button").first.wait_for()
        yield "the score of a visitor's file", self._check()
        page.goto(page.locator(".share a.button").first.get_attribute("href") or "")
        yield "the page that a visitor shares", self._check()
        self.context.clear_cookies()
        sign_in(page, self.address)
        # Of the pages in OWN, one is that of this team. After the first visit there is one of this name.
        self._open("/account/teams/")
        page.locator("#id_name").fill("Ward Lab")
        page.locator("main form button[type=submit]").click()
        own = f"/submissions/{keys['own']}/"
        for path in (*OWN, own, f"/submissions/{keys['graded']}/tasks/"):
            yield path, self._check_page(path)
        self._open("/benchmarks/medagentbench-demo/submit/")
        page.locator("input[type=file]").set_input_files(DEMO / "good.json")
        page.locator("details.advanced > summary").click()
        page.locator("#id_code_url").fill("not a link")
        page.locator("[aria-labelledby=about-system] button[type=submit]").click()
        page.locator("#id_code_url_error").wait_for()
        yield "a form with errors", self._check()
        self._open("/account/tokens/")
        page.locator("#id_name").fill("CI")
        page.locator("#id_scopes_0").check()
        page.locator("main form.stack button[type=submit]").click()
        page.locator(".secret code").wait_for()
        yield "a new token", self._check()
        self.context.clear_cookies()
        sign_in(page, self.address, "organiser")
        for path in DESK + _desk_paths(keys):
            yield path, self._check_page(path)
        self.context.close()

    def _open(self, path: str) -> None:
        response = self.page.goto(self.address + self.prefix + path)
        # Otherwise axe would pass an error page, which holds next to nothing. Two of PUBLIC are such pages.
        if response is None or response.status >= (500 if path in PUBLIC else 400):
            raise RuntimeError(f"{path} failed")

    def _check_page(self, path: str) -> list[str]:
        self._open(path)
        return self._check()

    def _check(self) -> list[str]:
        response = Axe().run(self.page, options={"runOnly": {"type": "tag", "values": list(TAGS)}}).response
        self.version = response["testEngine"]["version"]
        violations = [f"{rule['id']} ({len(rule['nodes'])})" for rule in response["violations"]]
        return violations + _overflows(self.page)


def _board_paths(keys: dict[str, str]) -> tuple[str, ...]:
    board = f"/benchmarks/{BOARD}/"
    return (
        board,
        f"{board}?as_of=2026-06-20",
        f"{board}changes/",
        f"{board}views/by-task-type/",
        f"{board}views/by-harness/",
        f"{board}compare/?{keys['compared']}",
        f"/systems/{keys['system']}/",
    )


def _desk_paths(keys: dict[str, str]) -> tuple[str, ...]:
    references = f"/organise/boards/{BOARD}/references"
    return (
        f"/organise/boards/{BOARD}/doubts/",
        f"{references}/2/",
        f"{references}/3/",
        f"/organise/submissions/{keys['leader']}/",
        f"/organise/submissions/{keys['leader']}/disqualify/",
    )


def _overflows(page: Page) -> list[str]:
    """Return by how much the page is wider than its screen, at its own width and at 320 pixels."""
    size = page.viewport_size
    if size is None:
        raise RuntimeError("the page has no viewport")
    messages = []
    for width in (size["width"], NARROWEST):
        page.set_viewport_size({"width": width, "height": size["height"]})
        excess = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if excess > 0:
            messages.append(f"{excess} px too wide at {width}")
    page.set_viewport_size(size)
    return messages


def main() -> int:
    """Check all pages, write the report, and return how many pages have a violation."""
    violations: Violations = {}
    with service_and_browser() as (address, keys, browser):
        for width, scheme, language in product(WIDTHS, SCHEMES, LANGUAGES):
            visit = Visit(browser, address, width, scheme, language)
            for path, messages in visit.check_all(keys):
                violations.setdefault(_name(path, keys), {})[visit.variant] = messages
            found = [
                f"{name}: {each}" for name, seen in violations.items() for each in seen.get(visit.variant, ())
            ]
            print(f"{visit.variant}: {len(found)} violations", *found, sep="\n  ", flush=True)
    REPORT.write_text(_report(violations, visit.version))
    return sum(any(variants.values()) for variants in violations.values())


def _name(path: str, keys: dict[str, str]) -> str:
    """Return `path` with the names of keys instead of their values, which differ between runs."""
    for key, value in keys.items():
        path = path.replace(value, f"({key})")
    return path


def _report(violations: Violations, version: str) -> str:
    checks = sum(len(variants) for variants in violations.values())
    failed = sum(bool(messages) for variants in violations.values() for messages in variants.values())
    outcome = f"{failed} with violations" if failed else "no violations"
    lines = [
        "# Accessibility",
        "",
        "The goal is WCAG 2.2, levels A and AA. `python -m tools.pictures.axe_report` writes the first part.",
        "",
        "## What axe checks",
        "",
        f"On {datetime.now(UTC):%Y-%m-%d} axe-core {version} checked {len(violations)} pages and states of",
        f"pages, each at {' and '.join(map(str, WIDTHS))} pixels, {' and '.join(SCHEMES)}, in English and in",
        f"Traditional Chinese: {checks} checks, {outcome}. The rules are those tagged",
        ", ".join(f"`{tag}`" for tag in TAGS) + ".",
        f"The width of each page was also measured, on its screen and at {NARROWEST} pixels: no page may be",
        "wider than the screen (wide tables scroll in a box of their own, which the keyboard reaches).",
        "tests/support/pages/browser.py lists the pages.",
    ]
    for name, variants in violations.items():
        if failures := [f"{variant}: {', '.join(each)}" for variant, each in variants.items() if each]:
            lines.append(f"- `{name}`: {'; '.join(failures)}")
    return "\n".join(lines) + "\n\n" + _manual_part()


def _manual_part() -> str:
    """Return the last part of the document, which people write."""
    text = REPORT.read_text() if REPORT.exists() else ""
    return text[text.index(MANUAL_PART) :] if MANUAL_PART in text else f"{MANUAL_PART}\n"


if __name__ == "__main__":
    sys.exit(main())
