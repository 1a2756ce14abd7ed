"""Measure how the first pages load on a slow phone: `make bench NAME=first_paint`.

README.md beside this file describes what is measured.
"""

import argparse
import csv
import io
import statistics
import sys
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

# The project comes first and this folder last: a script here would hide the package of the same name.
sys.path = [str(Path(__file__).resolve().parents[1]), *sys.path[1:], sys.path[0]]

from _report import report  # noqa: E402

from tools.chromium import find_chromium  # noqa: E402
from tools.pictures.scratch_service import service_and_browser  # noqa: E402

BOARD = "/benchmarks/medagentbench-300/"
PAGES = {
    "front": "/",
    "medagentbench": BOARD,
    "fhir_agentbench": "/benchmarks/fhir-agentbench/",
    "medagentbench_in_chinese": f"/zh-hant{BOARD}",
    "intervals": f"{BOARD}views/forest/",
    "by_task_type": f"{BOARD}views/by-task-type/",
    "by_cost": f"{BOARD}views/score-by-cost/",
    "over_time": f"{BOARD}views/progress/",
    "precision_and_recall": "/benchmarks/fhir-agentbench/views/precision-recall/",
    "compare": f"{BOARD}compare/",
    "submit": "/submit/",
}
TIMES = 5
SLOWER = 4
# Slow 4G, as Lighthouse has it: the delay in milliseconds, and bytes a second.
_NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 204_800, "uploadThroughput": 96_000}
_SCREENS = {"phone": (390, 844), "desktop": (1280, 850)}
_WATCH = """
window.seen = { paint: 0, shift: 0 };
new PerformanceObserver((list) => { seen.paint = list.getEntries().at(-1).startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
# A page without a paint would be waited for without end.
_SEEN = """() => new Promise((done, fail) => {
    const ask = () => (seen.paint ? done(seen) : setTimeout(ask, 100));
    ask();
    setTimeout(() => fail(new Error("nothing was painted")), 20000);
})"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What one load of a page took: milliseconds to the largest paint, layout shift, and bytes."""

    paint: float
    shift: float
    size: int


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=TIMES, help="loads of each page on each screen")
    parser.add_argument(
        "addresses",
        nargs="*",
        help="services that run already, such as those of two commits",
    )
    options = parser.parse_args()
    with ExitStack() as stack:
        addresses = options.addresses
        if addresses:
            playwright = stack.enter_context(sync_playwright())
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        else:
            address, _, browser = stack.enter_context(service_and_browser())
            addresses = [address]
        _measure(browser, addresses, options.times)


def _measure(browser: Browser, addresses: list[str], times: int) -> None:
    """Load every page at every address in turn, as the machine may be busy at times; print the report."""
    compared = {address: _compared(address) for address in addresses}
    rows, figures = [], {}
    for name, path in PAGES.items():
        loads: dict[tuple[str, str], list[Load]] = {}
        # The first load is left out: the service renders the page for it.
        for time in range(times + 1):
            for address, screen in product(addresses, _SCREENS):
                query = compared[address] if name == "compare" else ""
                load = _load(browser, address + path + query, screen)
                if time:
                    loads.setdefault((address, screen), []).append(load)
        for (address, screen), found in loads.items():
            number = f"_{addresses.index(address) + 1}" if len(addresses) > 1 else ""
            values = {
                "paint_p50_ms": statistics.median(load.paint for load in found),
                "shift_max": max(load.shift for load in found),
                "kb": max(load.size for load in found) / 1000,
            }
            label = f"{name}_{screen}{number}"
            figures |= {f"{label}_{key}": value for key, value in values.items()}
            paint, shift, size = values.values()
            rows.append([label, f"{paint:.0f}", f"{shift:.3f}", f"{size:.0f}"])
    report(
        f"Chromium, its processor {SLOWER} times slower, on slow 4G; {times} loads with an empty cache",
        ["page", "largest paint, median ms", "largest layout shift", "kB"],
        rows,
        figures,
    )


def _compared(address: str) -> str:
    """Return the query that compares the first two systems of the board that were scored there."""
    with urllib.request.urlopen(f"{address}{BOARD}board.csv") as response:
        rows = csv.DictReader(io.StringIO(response.read().decode("utf-8-sig")))
        first, second, *_ = [row["system_id"] for row in rows if row["kind"] == "rescored"]
    return f"?system={first}&system={second}"


def _load(browser: Browser, url: str, screen: str) -> Load:
    width, height = _SCREENS[screen]
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.add_init_script(_WATCH)
    session = context.new_cdp_session(page)
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", _NETWORK)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(url, wait_until="networkidle", timeout=90_000)
    # Whatever a script draws at last may still move the page.
    page.wait_for_timeout(300)
    seen = page.evaluate(_SEEN)
    context.close()
    return Load(paint=float(seen["paint"]), shift=float(seen["shift"]), size=sum(sizes))


if __name__ == "__main__":
    main()
