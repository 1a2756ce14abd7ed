"""Measure leaderboards of 1,000 to 100,000 systems over HTTP: `make bench NAME=leaderboard`.

README.md beside this file describes what is measured.
"""

import argparse
import itertools
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

# The project comes first and this folder last: a script here would hide the package of the same name.
sys.path = [str(Path(__file__).resolve().parents[1]), *sys.path[1:], sys.path[0]]

from _measured_service import choose_settings, open_database  # noqa: E402
from _report import report  # noqa: E402
from grading import find_input  # noqa: E402
from submit import p95, service  # noqa: E402

SIZES = (1_000, 10_000, 100_000)
ROUNDS = 200
TRIVIAL = "/healthz"
_WORDS = (
    "round",
    "careful",
    "linden 7",
    "hospital 12",
    "marram",
    "team of ward 7",
    "chart 1",
    "9",
    "harrow 235",
)


class Client:
    """Send requests over one connection that is kept open, and return their durations in milliseconds."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=120)
        self.tag = ""
        self.size = 0

    def get(self, path: str, *, expect: int = 200, **headers: str) -> float:
        start = time.perf_counter()
        self._connection.request("GET", path, headers=headers)
        response = self._connection.getresponse()
        body = response.read()
        elapsed = (time.perf_counter() - start) * 1000
        if response.status != expect:
            raise SystemExit(f"GET {path}: HTTP {response.status}: {body[:500].decode()}")
        self.tag, self.size = response.headers.get("ETag", ""), len(body)
        return elapsed


def seed(folder: Path, sizes: tuple[int, ...]) -> None:
    """Create the database with a leaderboard of each size, including its statistics."""
    open_database()
    import _board_rows  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415

    from leaderboard.services import background  # noqa: PLC0415
    from leaderboard.services.files import installation  # noqa: PLC0415
    from leaderboard.services.statistics import compute  # noqa: PLC0415

    # The rows name files that were never written, so the service would not start.
    installation.adopt_uploads()
    connection.cursor().execute("PRAGMA synchronous=OFF")
    tasks = find_input(None).tasks
    with background.deduplicated_statistics():
        teams = _board_rows.create_teams()
        for size in sizes:
            started = time.perf_counter()
            board = _board_rows.open_board(slug_of(size), tasks)
            _board_rows.add_systems(board, size, teams, seed=size)
            _board_rows.mark_scored(board)
            compute.compute_statistics(board_id=board.pk)
            print(f"{size:,} systems written in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    connection.cursor().execute("PRAGMA optimize=0x10002")
    connection.close()


def slug_of(size: int) -> str:
    return f"of-{size}"


def filters(rng: random.Random) -> Iterator[str]:
    """Yield random query strings: filters by text, traits, models and organisations, and an order."""
    while True:
        queries = {
            "q": rng.choice(_WORDS) if rng.random() < 0.6 else f"{rng.choice(_WORDS)[:4]}",
            "interaction": rng.choice(("", "multi-turn", "single-turn")),
            "weights": rng.choice(("", "open", "closed")),
            "source": rng.choice(("", "rescored", "reported")),
            "organisation": rng.choice(("", "", f"Hospital {rng.randrange(60)}")),
            "model": rng.choice(("", "", "Aster 70", "Harrow 7")),
            "sort": rng.choice(("", "", "system", "-date")),
        }
        yield "&".join(f"{key}={value.replace(' ', '+')}" for key, value in queries.items() if value)


def measure(client: Client, size: int, data: Path, rounds: int) -> dict[str, list[float]]:
    """Return the durations of each kind of request, in ms.

    They take turns, so that other work on the machine slows them alike.
    """
    board = f"/benchmarks/{slug_of(size)}/"
    api = f"/api/v1/benchmarks/{slug_of(size)}/leaderboard/"
    rng, last = random.Random(size), max(1, size // 50)
    queries, used = filters(rng), set()

    def next_filter() -> str:
        while (query := next(queries)) in used:
            pass
        used.add(query)
        return query

    def after_change() -> float:
        raise_revision(data, size)
        # For a second visitors may get the page of this address as it was before.
        return uncached(board)

    client.get(board)
    tag, number = client.tag, itertools.count()

    def uncached(path: str) -> float:
        """Request an address that was never requested before, so that no rendered page is cached for it."""
        return client.get(f"{path}{'&' if '?' in path else '?'}v={next(number)}")

    requests: dict[str, Callable[[], float]] = {
        "trivial": lambda: client.get(TRIVIAL),
        "first page": lambda: uncached(board),
        "cached": lambda: client.get(board),
        "filtered": lambda: client.get(f"{board}?{next_filter()}"),
        "last page": lambda: uncached(f"{board}?page={last}"),
        "page anywhere": lambda: uncached(f"{board}?page={rng.randrange(1, last + 1)}"),
        "revalidated": lambda: client.get(board, expect=304, **{"If-None-Match": tag}),
        "JSON": lambda: client.get(api),
    }
    for send in requests.values():
        for _ in range(3):
            send()
    times: dict[str, list[float]] = {name: [] for name in requests}
    for _ in range(rounds):
        for name, send in requests.items():
            times[name].append(send())
    times["after a change"] = [after_change() for _ in range(max(10, rounds // 10))]
    return times


def raise_revision(data: Path, size: int) -> None:
    """Invalidate all caches of the leaderboard, as a change of it does."""
    with sqlite3.connect(data / "wardboard.sqlite3", timeout=30) as database:
        database.execute(
            "UPDATE leaderboard_boardstate SET revision = revision + 1 WHERE board_id = "
            "(SELECT id FROM leaderboard_board WHERE slug = ?)",
            [slug_of(size)],
        )
    database.close()


def table_rows(results: dict[int, dict[str, list[float]]]) -> Iterator[list[str]]:
    for size, requests in results.items():
        trivial = statistics.median(requests["trivial"])
        for name, times in requests.items():
            median = statistics.median(times)
            yield [
                f"{size:,} systems, {name}",
                f"{median:.2f}",
                f"{p95(times):.2f}",
                f"{1000 * len(times) / sum(times):.0f}",
                f"{median / trivial:.1f}",
                f"{p95(times) / trivial:.1f}",
            ]


def summarise(results: dict[int, dict[str, list[float]]]) -> dict:
    def by_size(kind: str, statistic: Callable[[list[float]], float]) -> dict[str, float]:
        return {str(size): round(statistic(requests[kind]), 3) for size, requests in results.items()}

    smallest, largest = results[min(results)], results[max(results)]
    trivial = [time for requests in results.values() for time in requests["trivial"]]
    return {
        "first_page_p50_ms": by_size("first page", statistics.median),
        "first_page_p95_ms": by_size("first page", p95),
        "cached_p50_ms": by_size("cached", statistics.median),
        "filtered_p95_ms": by_size("filtered", p95),
        "revalidated_p95_ms": by_size("revalidated", p95),
        "last_page_p95_ms": by_size("last page", p95),
        "after_a_change_p50_ms": by_size("after a change", statistics.median),
        "json_p50_ms": by_size("JSON", statistics.median),
        "trivial_p50_ms": round(statistics.median(trivial), 3),
        "growth": {
            name: round(statistics.median(largest[kind]) / statistics.median(smallest[kind]), 3)
            for name, kind in (("first_page", "first page"), ("revalidated", "revalidated"), ("json", "JSON"))
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--data", type=Path, help="a folder to keep, or one kept from a run before")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wardboard-bench-") as folder:
        data = options.data or Path(folder)
        choose_settings(data, PYTHONPATH=str(Path(__file__).resolve().parents[1]))
        os.environ.pop("DEBUG", None)
        if not (data / "wardboard.sqlite3").exists():
            data.mkdir(parents=True, exist_ok=True)
            seed(data, tuple(options.sizes))
        with service() as port:
            results = {size: measure(Client(port), size, data, options.rounds) for size in options.sizes}
    trivial = f"GET {TRIVIAL}"
    report(
        f"One client on one kept connection over loopback; trivial is {trivial}",
        ["request", "p50 ms", "p95 ms", "a second", "p50/trivial", "p95/trivial"],
        list(table_rows(results)),
        summarise(results),
    )


if __name__ == "__main__":
    main()
