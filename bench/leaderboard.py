"""A board of 1,000, 10,000 and 100,000 systems, read over HTTP: `make bench NAME=leaderboard`.

See README.md here for what is measured.
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

# Last, and the project first: a script here would be taken for the package that it is named after.
sys.path = [str(Path(__file__).resolve().parents[1]), *sys.path[1:], sys.path[0]]

from _report import report  # noqa: E402
from grading import find_work  # noqa: E402
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
    """One connection that is kept open. Answers how many milliseconds it took until all was there."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=120)
        self.tag = ""
        self.size = 0

    def get(self, path: str, *, expect: int = 200, **headers: str) -> float:
        start = time.perf_counter()
        self._connection.request("GET", path, headers=headers)
        response = self._connection.getresponse()
        body = response.read()
        took = (time.perf_counter() - start) * 1000
        if response.status != expect:
            raise SystemExit(f"GET {path}: HTTP {response.status}: {body[:500].decode()}")
        self.tag, self.size = response.headers.get("ETag", ""), len(body)
        return took


def seed(folder: Path, sizes: tuple[int, ...]) -> None:
    """Make the database with a board of each size, and what paired tests say of each."""
    import django  # noqa: PLC0415 - the environment has to be set first

    django.setup()
    import _board_rows  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415

    from leaderboard.services import background  # noqa: PLC0415
    from leaderboard.services.statistics import compute  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    connection.cursor().execute("PRAGMA synchronous=OFF")
    tasks = find_work(None).tasks
    with background.deduplicated_statistics():
        teams = _board_rows.people()
        for size in sizes:
            began = time.perf_counter()
            board = _board_rows.open_board(slug_of(size), tasks)
            _board_rows.fill(board, size, teams, seed=size)
            _board_rows.finish(board)
            compute.work_out(benchmark_id=board.pk)
            print(f"{size:,} systems written in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    connection.cursor().execute("PRAGMA optimize=0x10002")
    connection.close()


def slug_of(size: int) -> str:
    return f"of-{size}"


def filters(rng: random.Random) -> Iterator[str]:
    """Yield query strings that are all different: text, traits, models and organisations, two or three at
    once, in any order of the table."""
    while True:
        asked = {
            "q": rng.choice(_WORDS) if rng.random() < 0.6 else f"{rng.choice(_WORDS)[:4]}",
            "interaction": rng.choice(("", "multi-turn", "single-turn")),
            "weights": rng.choice(("", "open", "closed")),
            "source": rng.choice(("", "rescored", "reported")),
            "organisation": rng.choice(("", "", f"Hospital {rng.randrange(60)}")),
            "model": rng.choice(("", "", "Aster 70", "Harrow 7")),
            "sort": rng.choice(("", "", "system", "-date")),
        }
        yield "&".join(f"{key}={value.replace(' ', '+')}" for key, value in asked.items() if value)


def measure(client: Client, size: int, data: Path, rounds: int) -> dict[str, list[float]]:
    """Return what each kind of request took, in turns, so that other work on the machine slows them alike."""
    board = f"/benchmarks/{slug_of(size)}/"
    api = f"/api/v1/benchmarks/{slug_of(size)}/leaderboard/"
    rng, last = random.Random(size), max(1, size // 50)
    asked, seen = filters(rng), set()

    def other() -> str:
        while (found := next(asked)) in seen:
            pass
        seen.add(found)
        return found

    def changed() -> float:
        raise_revision(data, size)
        return client.get(board)

    client.get(board)
    tag, number = client.tag, itertools.count()

    def rendered(path: str) -> float:
        """Ask by an address that nobody asked by before: no rendered page is kept under it."""
        return client.get(f"{path}{'&' if '?' in path else '?'}bench={next(number)}")

    kinds: dict[str, Callable[[], float]] = {
        "trivial": lambda: client.get(TRIVIAL),
        "first page": lambda: rendered(board),
        "cached": lambda: client.get(board),
        "filtered": lambda: client.get(f"{board}?{other()}"),
        "last page": lambda: rendered(f"{board}?page={last}"),
        "page anywhere": lambda: rendered(f"{board}?page={rng.randrange(1, last + 1)}"),
        "revalidated": lambda: client.get(board, expect=304, **{"If-None-Match": tag}),
        "JSON": lambda: client.get(api),
    }
    for ask in kinds.values():
        for _ in range(3):
            ask()
    took: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, ask in kinds.items():
            took[name].append(ask())
    took["after a change"] = [changed() for _ in range(max(10, rounds // 10))]
    return took


def raise_revision(data: Path, size: int) -> None:
    """Do what a change of the board does to whatever was kept of it."""
    with sqlite3.connect(data / "wardboard.sqlite3", timeout=30) as base:
        base.execute(
            "UPDATE leaderboard_boardstate SET revision = revision + 1 WHERE benchmark_id = "
            "(SELECT id FROM leaderboard_benchmark WHERE slug = ?)",
            [slug_of(size)],
        )
    base.close()


def rows_of(took: dict[int, dict[str, list[float]]]) -> Iterator[list[str]]:
    for size, kinds in took.items():
        trivial = statistics.median(kinds["trivial"])
        for name, times in kinds.items():
            middle = statistics.median(times)
            yield [
                f"{size:,} systems, {name}",
                f"{middle:.2f}",
                f"{p95(times):.2f}",
                f"{1000 * len(times) / sum(times):.0f}",
                f"{middle / trivial:.1f}",
                f"{p95(times) / trivial:.1f}",
            ]


def figures_of(took: dict[int, dict[str, list[float]]]) -> dict:
    def of(kind: str, what: Callable[[list[float]], float]) -> dict[str, float]:
        return {str(size): round(what(kinds[kind]), 3) for size, kinds in took.items()}

    smallest, largest = took[min(took)], took[max(took)]
    trivial = [time for kinds in took.values() for time in kinds["trivial"]]
    return {
        "first_page_p50_ms": of("first page", statistics.median),
        "first_page_p95_ms": of("first page", p95),
        "cached_p50_ms": of("cached", statistics.median),
        "filtered_p95_ms": of("filtered", p95),
        "revalidated_p95_ms": of("revalidated", p95),
        "last_page_p95_ms": of("last page", p95),
        "after_a_change_p50_ms": of("after a change", statistics.median),
        "json_p50_ms": of("JSON", statistics.median),
        "trivial_p50_ms": round(statistics.median(trivial), 3),
        "growth": {
            name: round(statistics.median(largest[kind]) / statistics.median(smallest[kind]), 3)
            for name, kind in (("first_page", "first page"), ("revalidated", "revalidated"), ("json", "JSON"))
        },
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options.add_argument("--rounds", type=int, default=ROUNDS)
    options.add_argument("--data", type=Path, help="a folder to keep, or one kept from a run before")
    options = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="wardboard-bench-") as folder:
        data = options.data or Path(folder)
        os.environ |= {
            "WARDBOARD_DATA": str(data),
            "SECRET_KEY": "bench",
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        }
        for name in ("DATABASE_URL", "BROKER_URL", "DEBUG"):
            os.environ.pop(name, None)
        if not (data / "wardboard.sqlite3").exists():
            data.mkdir(parents=True, exist_ok=True)
            seed(data, tuple(options.sizes))
        with service() as port:
            took = {size: measure(Client(port), size, data, options.rounds) for size in options.sizes}
    trivial = f"GET {TRIVIAL}"
    report(
        f"One client on one kept connection over loopback; trivial is {trivial}",
        ["request", "p50 ms", "p95 ms", "a second", "p50/trivial", "p95/trivial"],
        list(rows_of(took)),
        figures_of(took),
    )


if __name__ == "__main__":
    main()
