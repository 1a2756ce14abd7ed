"""Measure when the first pages have painted what matters: `make bench NAME=first_paint`.

README.md beside this file describes what is measured.
"""

import argparse
import statistics
import sys
from pathlib import Path

from playwright.sync_api import Browser

# The project comes first and this folder last: a script here would hide the package of the same name.
sys.path = [str(Path(__file__).resolve().parents[1]), *sys.path[1:], sys.path[0]]

from _report import report  # noqa: E402

from tools.pictures.scratch_service import service_and_browser  # noqa: E402

PAGES = {
    "front": "/",
    "medagentbench": "/benchmarks/medagentbench-300/",
    "fhir_agentbench": "/benchmarks/fhir-agentbench/",
    "medagentbench_in_chinese": "/zh-hant/benchmarks/medagentbench-300/",
}
TIMES = 7
SLOWER = 4
# A page without a paint would be waited for without end.
_LARGEST_PAINT = """() => new Promise((done, fail) => {
    new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
        .observe({ type: "largest-contentful-paint", buffered: true });
    setTimeout(() => fail(new Error("nothing was painted")), 20000);
})"""
_BYTES = """() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation"))
    .reduce((sum, entry) => sum + entry.transferSize, 0)"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=TIMES, help="loads of each page")
    times = parser.parse_args().times
    rows, medians, slowest, sizes = [], {}, {}, {}
    with service_and_browser() as (address, _, browser):
        for name, path in PAGES.items():
            # The first load is left out: the service renders the page for it.
            runs = [_load(browser, address + path) for _ in range(times + 1)][1:]
            paints = [paint for paint, _ in runs]
            medians[name], slowest[name] = statistics.median(paints), max(paints)
            sizes[name] = runs[-1][1] / 1000
            rows.append([path, f"{medians[name]:.0f}", f"{slowest[name]:.0f}", f"{sizes[name]:.0f}"])
    report(
        f"Largest contentful paint in Chromium, its processor {SLOWER} times slower; {times} loads of each "
        "page with an empty cache",
        ["page", "median ms", "slowest ms", "kB"],
        rows,
        {"largest_paint_p50_ms": medians, "largest_paint_max_ms": slowest, "transferred_kb": sizes},
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
