"""The pages that axe checks, in the tests and in tools/pictures/axe_report.py, and helpers for a browser.

The pages need three boards: medagentbench-demo with published results, fhir-agentbench with reported ones,
and empty without rows.
"""

import pytest

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
# Language -> prefix of its paths.
LANGUAGES = {"en": "", "zh-Hant": "/zh-hant"}
PUBLIC = (
    "/",
    "/benchmarks/medagentbench-demo/",
    "/benchmarks/medagentbench-demo/?q=zebra",
    "/benchmarks/medagentbench-demo/?as_of=2",
    "/benchmarks/empty/",
    "/benchmarks/fhir-agentbench/",
    "/benchmarks/fhir-agentbench/views/progress/",
    "/benchmarks/fhir-agentbench/views/forest/",
    "/benchmarks/fhir-agentbench/views/precision-recall/",
    "/benchmarks/fhir-agentbench/views/score-by-cost/",
    "/benchmarks/fhir-agentbench/views/by-resource-type/",
    "/benchmarks/fhir-agentbench/views/by-precision-bucket/",
    "/benchmarks/fhir-agentbench/views/by-true-resources/",
    "/benchmarks/fhir-agentbench/views/approach-by-model/",
    "/benchmarks/medagentbench-demo/views/by-task-type/",
    "/benchmarks/medagentbench-demo/views/by-task/",
    "/about/",
    "/docs/",
    "/docs/submitters/",
    "/docs/problems/",
    "/status/",
    "/api/",
    "/benchmarks/medagentbench-demo/about/",
    "/benchmarks/fhir-agentbench/about/",
    "/models/o4-mini/",
    "/benchmarks/medagentbench-demo/changes/",
    "/benchmarks/empty/changes/",
    "/benchmarks/empty/compare/",
    "/benchmarks/medagentbench-demo/compare/?q=zebra",
    "/benchmarks/medagentbench-demo/compare/?system=1&system=999999",
    "/embed/medagentbench-demo/",
    "/embed/empty/?scheme=dark",
    "/submit/",
    "/accounts/login/",
    "/accounts/signup/",
    "/accounts/password/reset/",
    "/accounts/password/reset/done/",
    "/accounts/confirm-email/nonsense/",
    "/nothing-here/",
)
OWN = (
    "/submissions/",
    "/submit/",
    "/benchmarks/medagentbench-demo/submit/",
    "/account/tokens/",
    "/account/device/",
    "/account/publishers/",
    "/account/teams/",
    "/account/teams/ward-lab/",
    "/accounts/email/",
    "/account/names/",
    "/account/emails/",
    "/account/delete/",
    "/accounts/password/change/",
    "/accounts/logout/",
    "/accounts/2fa/",
    "/accounts/2fa/totp/activate/",
    "/accounts/2fa/webauthn/",
    "/accounts/2fa/webauthn/add/",
    "/accounts/reauthenticate/",
)
DESK = (
    "/organise/",
    "/organise/boards/medagentbench-demo/",
    "/organise/boards/medagentbench-demo/announcements/",
    "/organise/boards/medagentbench-demo/feedback/",
    "/organise/boards/medagentbench-demo/doubts/",
    "/organise/boards/medagentbench-demo/references/",
    "/organise/boards/medagentbench-demo/references/1/",
    "/organise/boards/medagentbench-demo/references/import/",
    "/organise/boards/medagentbench-demo/teams/",
    "/organise/submissions/",
)


# The rules that depend on colours; every other rule of axe gives the same result in both schemes.
_RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]
_AXE = """rules => axe.run({resultTypes: ["violations"], ...(rules && {runOnly: rules})}).then(
    results => results.violations.flatMap(
        rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 160)}`)
    )
)"""

_SMALL_BOXES = """() => [...document.querySelectorAll("input:is([type=checkbox], [type=radio])")]
    .filter(box => box.offsetWidth && Math.min(box.offsetWidth, box.offsetHeight) < 24)
    .map(box => `a box of ${box.offsetWidth} x ${box.offsetHeight} pixels: ${box.name}`)"""


def find_barriers_at(page, path: str) -> dict[str, list[str]]:
    """Open a page, wait for the chart of a view, and return its barriers."""
    page.goto(path)
    if "/views/" in path and page.locator("figure.chart").count():
        page.locator("figure.chart > svg").wait_for()
    return find_barriers(page, path)


def find_barriers(page, name: str) -> dict[str, list[str]]:
    """Return the violations that axe finds on the page, and where it is wider than the screen.

    Runs all rules at 1280 pixels in light colours, the colour rules in dark ones, and all rules again at 390
    pixels if there is a table or a chart, which has another layout there; boxes have 24 pixels there.
    Leaves the page at 1280, light.
    """
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe is not installed")
    wide, narrow = WIDTHS
    _set_screen(page, wide, "light")
    page.evaluate(axe.AXE_SCRIPT)
    barriers = [*_excess(page, wide), *page.evaluate(_AXE, None)]
    _set_screen(page, wide, "dark")
    barriers += [f"dark: {violation}" for violation in page.evaluate(_AXE, _RULES_OF_COLOURS)]
    _set_screen(page, narrow, "light")
    barriers += [*_excess(page, narrow), *page.evaluate(_SMALL_BOXES)]
    if page.locator(".scroll, .sheet-table, figure.chart").count():
        barriers += [f"{narrow} pixels: {violation}" for violation in page.evaluate(_AXE, None)]
    _set_screen(page, wide, "light")
    return {name: barriers} if barriers else {}


def _set_screen(page, width: int, scheme: str) -> None:
    """Change the screen, and wait until every chart is redrawn for it."""
    page.evaluate("document.querySelectorAll('figure.chart > svg').forEach(svg => svg.dataset.before = '')")
    before = page.evaluate("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    if before != [width, scheme == "dark"]:
        page.wait_for_function("() => !document.querySelector('figure.chart > svg[data-before]')")


def _excess(page, width: int) -> list[str]:
    excess = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [f"{excess} pixels wider than a screen of {width}"] if excess > 0 else []


def names_on_page(page) -> list[str]:
    return page.locator("tbody a.name").all_inner_texts()


def wait_for_names(page, *wanted: str) -> None:
    """Wait until the table lists these systems and the page is whole."""
    page.wait_for_function(
        "wanted => document.readyState !== 'loading' &&"
        " [...document.querySelectorAll('tbody a.name')].map(e => e.innerText).join() === wanted",
        arg=",".join(wanted),
    )


def wait_for_address(page, end: str) -> None:
    """Wait until the URL ends with `end`: Playwright learns of a URL set by a script a moment later."""
    page.wait_for_url(lambda url: url.endswith(end))
