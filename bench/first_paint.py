"""Measure when the first pages have painted what matters: python bench/first_paint.py

Starts the service with invented systems, and loads its first pages in a Chromium whose processor is slowed
down to a quarter, each several times and with an empty cache. Prints the largest contentful paint (the goal
is less than 1 s) and the bytes that were transferred, of which pages are not compressed: a proxy does that.
"""

import statistics

from playwright.sync_api import Browser

from tools.pictures.scratch_service import service_and_browser

PAGES = (
    "/",
    "/benchmarks/medagentbench-300/",
    "/benchmarks/fhir-agentbench/",
    "/zh-hant/benchmarks/medagentbench-300/",
)
TIMES = 7
SLOWER = 4
_LARGEST_PAINT = """() => new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
        .observe({ type: "largest-contentful-paint", buffered: true });
})"""
_BYTES = """() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
    .reduce((sum, entry) => sum + entry.transferSize, 0)"""


def main() -> None:
    with service_and_browser() as (address, _, browser):
        print(f"largest contentful paint, processor {SLOWER} times slower, {TIMES} loads with an empty cache")
        for path in PAGES:
            runs = [_load(browser, address + path) for _ in range(TIMES + 1)][1:]
            paints = sorted(paint for paint, _ in runs)
            print(
                f"{path:45} median {statistics.median(paints):5.0f} ms, slowest {paints[-1]:5.0f} ms, "
                f"{runs[-1][1] / 1000:.1f} kB"
            )


def _load(browser: Browser, url: str) -> tuple[float, int]:
    """Return the largest contentful paint in milliseconds, and the bytes transferred."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(url, wait_until="networkidle")
    paint, size = page.evaluate(_LARGEST_PAINT), page.evaluate(_BYTES)
    context.close()
    return float(paint), int(size)


if __name__ == "__main__":
    main()
