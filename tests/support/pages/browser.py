"""The pages that axe looks at, in the tests and in tools/pictures/axe_report.py; on boards of these slugs.

medagentbench-demo has published results of its own, fhir-agentbench the reported ones, empty none.
"""

import pytest

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
# Language -> what its addresses begin with.
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
    "/benchmarks/fhir-agentbench/views/by-resource-type/",
    "/benchmarks/fhir-agentbench/views/by-precision-bucket/",
    "/benchmarks/fhir-agentbench/views/by-true-resources/",
    "/benchmarks/fhir-agentbench/views/approach-by-model/",
    "/benchmarks/fhir-agentbench/views/distribution/",
    "/benchmarks/medagentbench-demo/views/by-task-type/",
    "/about/",
    "/benchmarks/medagentbench-demo/about/",
    "/benchmarks/fhir-agentbench/about/",
    "/benchmarks/medagentbench-demo/changes/",
    "/benchmarks/empty/changes/",
    "/benchmarks/empty/compare/",
    "/benchmarks/medagentbench-demo/compare/?q=zebra",
    "/benchmarks/medagentbench-demo/compare/?system=1&system=999999",
    "/embed/medagentbench-demo/",
    "/embed/empty/?scheme=dark",
    "/check/",
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
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/logout/",
)


def violations(page) -> list[str]:
    """Return the page's barriers as axe lists them; skip the test where axe is not installed."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    rules = axe.Axe().run(page).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]}" for rule in rules for node in rule["nodes"]]


# What depends on colours; every other rule of axe says the same in both schemes.
_RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"]
_AXE = """rules => axe.run({resultTypes: ["violations"], ...(rules && {runOnly: rules})}).then(
    results => results.violations.flatMap(
        rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 160)}`)
    )
)"""


def find_barriers_at(page, path: str) -> dict[str, list[str]]:
    """Open a page, and return what is wrong with it."""
    page.goto(path)
    return find_barriers(page, path)


def find_barriers(page, name: str) -> dict[str, list[str]]:
    """Return what axe finds wrong with the page as it is, and where it is wider than the screen.

    All of axe at 1280 pixels in light colours, its rules of colours in dark ones; all of it again at 390
    pixels where a table or a chart is laid out in another way there. Leaves the page at 1280, light.
    """
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe is not installed")
    wide, narrow = WIDTHS
    _set_screen(page, wide, "light")
    page.evaluate(axe.AXE_SCRIPT)
    wrong = [*_excess(page, wide), *page.evaluate(_AXE, None)]
    _set_screen(page, wide, "dark")
    wrong += [f"dark: {violation}" for violation in page.evaluate(_AXE, _RULES_OF_COLOURS)]
    _set_screen(page, narrow, "light")
    wrong += _excess(page, narrow)
    if page.locator(".scroll, figure.chart").count():
        wrong += [f"{narrow} pixels: {violation}" for violation in page.evaluate(_AXE, None)]
    _set_screen(page, wide, "light")
    return {name: wrong} if wrong else {}


def _set_screen(page, width: int, scheme: str) -> None:
    """Change the screen, and wait until every chart is drawn anew for it."""
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
    page.wait_for_function(
        "wanted => [...document.querySelectorAll('tbody a.name')].map(e => e.innerText).join() === wanted",
        arg=",".join(wanted),
    )


def wait_for_address(page, end: str) -> None:
    """Playwright learns of an address that a script has set a moment after the page shows it."""
    page.wait_for_url(lambda url: url.endswith(end))
