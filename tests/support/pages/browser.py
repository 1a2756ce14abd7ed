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


def look_at(page, path: str) -> dict[str, list[str]]:
    """What is wrong with the page: by axe, and by being wider than the screen."""
    page.goto(path)
    return look(page, path)


def look(page, name: str) -> dict[str, list[str]]:
    wrong = violations(page)
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        wrong.append(f"{wide} pixels wider than the screen")
    return {name: wrong} if wrong else {}


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
