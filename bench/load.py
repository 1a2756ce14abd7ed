"""Measure a deadline: many teams send files while readers look at the leaderboard. `make bench NAME=load`.

README.md beside this file describes what is measured.
"""

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The project comes first: a script here would hide the package of the same name.
sys.path.insert(0, str(ROOT))

from _measured_service import choose_settings, create_token, open_database  # noqa: E402
from _report import report  # noqa: E402
from _scratch_servers import postgresql, workers  # noqa: E402
from grading import GradingInput, find_input  # noqa: E402

from tests.support.nginx import SENT_FROM, nginx_before  # noqa: E402

BOARD = "load"
CLIENTS, READERS = 50, 20
RATE = 5  # files a second in the steady phase
PUBLISH_EVERY = 5  # of so many files one is published
TIMEOUT = 120  # seconds that a client waits for an answer
# Makes an address new: charts read it, so it is part of the address of every page.
_NEW = "v"
_MARK = b"0123456.25"  # the answer that differs in each file
# Name of the set-up -> workers for each lane of submissions; None for none, with SQLite.
SET_UPS: dict[str, int | None] = {"sqlite": None, "postgresql_1": 1, "postgresql_2": 2}
_HEADER = [
    "set-up",
    "phase",
    "accepted",
    "scored",
    "lost",
    "5xx",
    "no answer",
    "scored p50 ms",
    "p95",
    "reads",
]
_HEADER += ["read p50 ms", "p95", "statistics behind, s"]


@dataclass(slots=True)
class Tally:
    """What came of the requests of one phase; times in seconds.

    sent: id of an accepted submission -> when its request began and was answered, by the clock
    reads: how long each page took
    new_reads: how long those of them took that nobody had asked for, and so had to be made
    behind: how long the statistics of a changed leaderboard took
    """

    sent: dict[str, tuple[float, float]] = field(default_factory=dict)
    reads: list[float] = field(default_factory=list)
    new_reads: list[float] = field(default_factory=list)
    behind: list[float] = field(default_factory=list)
    errors_5xx: int = 0
    refused: int = 0
    unanswered: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, status: int | None) -> None:
        with self.lock:
            self.unanswered += status is None
            self.errors_5xx += status is not None and status >= 500
            self.refused += status is not None and 400 <= status < 500


class Site:
    """The service: port, tokens of the clients, and the file that they send."""

    def __init__(self, port: int, tokens: list[str], work: GradingInput) -> None:
        self.port, self.tokens = port, tokens
        document = json.loads(work.raw)
        document["results"][0]["answer"] = f"[{_MARK.decode()}]"
        self._file = json.dumps(document, indent=2).encode()
        self._numbers = itertools.count()

    def submit(self, tally: Tally, client: int) -> None:
        """Send a file that differs from all others."""
        number = next(self._numbers)
        raw = self._file.replace(_MARK, b"%010.2f" % (number + 0.25))
        publish = "true" if number % PUBLISH_EVERY == 0 else "false"
        path = f"/api/v1/submissions/raw/?benchmark={BOARD}&models=m&system=Agent+{number}&publish={publish}"
        headers = {"Authorization": f"Bearer {self.tokens[client]}", "Content-Type": "application/json"}
        began = time.time()
        status, answer = self._ask("POST", path, raw, headers)
        tally.count(status)
        if status in (200, 201):
            with tally.lock:
                tally.sent[json.loads(answer)["id"]] = (began, time.time())

    def read(self, tally: Tally, path: str) -> None:
        """Read a page over a new connection, as another reader does: a kept one has its worker already."""
        began = time.perf_counter()
        status, _ = self._ask("GET", path)
        tally.count(status)
        with tally.lock:
            tally.reads.append(time.perf_counter() - began)
            if f"{_NEW}=" in path:
                tally.new_reads.append(tally.reads[-1])

    def _ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int | None, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        try:
            sender = {SENT_FROM: f"2001:db8:{random.getrandbits(16):x}:{random.getrandbits(16):x}::1"}
            connection.request(method, path, body, {**sender, **(headers or {})})
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, HTTPException):
            return None, b""
        finally:
            connection.close()


def pages() -> Iterator[str]:
    """Yield what a reader looks at: pages that others read too, and one in five that nobody has."""
    board = f"/benchmarks/{BOARD}/"
    for number in itertools.count():
        yield from ("/", board, f"{board}about/", f"/api/v1/benchmarks/{BOARD}/leaderboard/")
        yield f"{board}?sort=-date&{_NEW}={threading.get_ident()}.{number}"


@contextmanager
def in_background(count: int, act: Callable[[int, threading.Event], None]) -> Iterator[None]:
    """Run `act` in `count` threads until the block ends; it gets its number and an event."""
    stopping = threading.Event()
    threads = [threading.Thread(target=act, args=(number, stopping)) for number in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join()


def send_steadily(site: Site, tally: Tally, seconds: float) -> None:
    """Send RATE files a second, whether or not those before are answered."""
    began, threads = time.monotonic(), []
    for number in range(int(seconds * RATE)):
        time.sleep(max(0.0, began + number / RATE - time.monotonic()))
        thread = threading.Thread(target=site.submit, args=(tally, number % CLIENTS))
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()


def send_in_a_rush(site: Site, tally: Tally, seconds: float) -> None:
    """Have all clients send one file after the other."""
    ends = time.monotonic() + seconds

    def send(client: int, _: threading.Event) -> None:
        while time.monotonic() < ends:
            site.submit(tally, client)

    with in_background(CLIENTS, send):
        pass


def play(site: Site, send: Callable[[Site, Tally, float], None], seconds: float, readers: int) -> Tally:
    """Play one phase: readers read as fast as they can while files are sent."""
    tally = Tally()

    def read(_: int, stopping: threading.Event) -> None:
        for path in pages():
            if stopping.is_set():
                return
            site.read(tally, path)

    with in_background(readers, read), in_background(1, lambda _, stopping: watch(tally, stopping)):
        send(site, tally, seconds)
    return tally


def watch(tally: Tally, stopping: threading.Event) -> None:
    """Note how long after a change of the leaderboard its statistics are there."""
    from django.db import connection  # noqa: PLC0415

    from leaderboard.models import BoardState, BoardStatistics  # noqa: PLC0415

    changed: dict[int, float] = {}
    try:
        while not stopping.wait(0.05):
            rows = BoardState.objects.filter(board__slug=BOARD).values_list("rows_number", flat=True).get()
            known = BoardStatistics.objects.filter(board__slug=BOARD).order_by("-number")
            done = known.values_list("number", flat=True).first() or 0
            now = time.monotonic()
            if rows > done:
                changed.setdefault(rows, now)
            tally.behind += [now - changed.pop(number) for number in list(changed) if number <= done]
    finally:
        connection.close()


def wait_until_scored(limit: float) -> None:
    from leaderboard.models import Status, Submission  # noqa: PLC0415

    pending = Submission.objects.filter(status__in=(Status.RECEIVED, Status.QUEUED, Status.SCORING))
    ends = time.monotonic() + limit
    while pending.exists() and time.monotonic() < ends:
        time.sleep(0.2)


def figures_of(tally: Tally) -> dict[str, float]:
    """Return the figures of a phase; a file counts as scored when score and answer are both there."""
    from leaderboard.models import Status, Submission  # noqa: PLC0415

    rows = Submission.objects.filter(pk__in=tally.sent, status=Status.SCORED, evaluation__isnull=False)
    took = []
    for pk, scored_at in rows.values_list("pk", "scored_at"):
        began, answered = tally.sent[str(pk)]
        took.append(max(scored_at.timestamp(), answered) - began)
    return {
        "accepted": len(tally.sent),
        "scored": len(took),
        "lost": len(tally.sent) - len(took),
        "errors_5xx": tally.errors_5xx,
        "unanswered": tally.unanswered,
        "refused": tally.refused,
        "scored_p50_ms": quantile(took, 50) * 1000,
        "scored_p95_ms": quantile(took, 95) * 1000,
        "reads": len(tally.reads),
        "reader_p50_ms": quantile(tally.reads, 50) * 1000,
        "reader_p95_ms": quantile(tally.reads, 95) * 1000,
        "reader_new_p50_ms": quantile(tally.new_reads, 50) * 1000,
        "reader_new_p95_ms": quantile(tally.new_reads, 95) * 1000,
        "statistics_behind_s": max(tally.behind, default=0.0),
    }


def quantile(values: list[float], percent: int) -> float:
    if len(values) < 2:
        return sum(values)
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def prepare(systems: int, work: GradingInput) -> list[str]:
    """Create the database, a leaderboard and the clients; return their API tokens."""
    open_database()
    import _board_rows  # noqa: PLC0415

    from leaderboard.models import User  # noqa: PLC0415
    from leaderboard.services import background  # noqa: PLC0415
    from leaderboard.services.accounts import personal_team  # noqa: PLC0415
    from leaderboard.services.files import installation  # noqa: PLC0415
    from leaderboard.services.statistics import compute  # noqa: PLC0415

    # The rows name files that were never written, so the service would not start.
    installation.adopt_uploads()
    with background.deduplicated_statistics():
        board = _board_rows.open_board(BOARD, list(work.tasks))
        _board_rows.add_systems(board, systems, _board_rows.create_teams(), seed=1)
        _board_rows.mark_scored(board)
    compute.compute_statistics(board_id=board.pk)
    tokens = [create_token(f"client{number}@example.org") for number in range(CLIENTS)]
    for user in User.objects.filter(email__startswith="client"):
        personal_team(user)
    return tokens


def measure(name: str, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Measure one set-up, in a process of its own; return phase -> figures."""
    # The helpers in submit.py import Django's settings late, too.
    from submit import service  # noqa: PLC0415

    count, work = SET_UPS[name], find_input(None)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="wardboard-bench-"))
        choose_settings(folder, RATE_SUBMISSIONS="100000/min")
        if count is not None:
            os.environ["DATABASE_URL"] = stack.enter_context(postgresql(options.postgresql))
            os.environ["WORKERS"] = "1"
        tokens = prepare(options.systems, work)
        from django.db import connection  # noqa: PLC0415 - after the environment is set

        stack.callback(connection.close)
        if count is not None:
            stack.enter_context(workers(count))
        port = stack.enter_context(service("ERROR"))
        if count is not None:
            files = stack.enter_context(service("ERROR"))
            port = stack.enter_context(nginx_before(port, Path(folder) / "nginx", files=files))
        site = Site(port, tokens, work)
        warm_up(site)
        results = {}
        for phase, send in (("steady", send_steadily), ("rush", send_in_a_rush)):
            tally = play(site, send, options.seconds, options.readers)
            wait_until_scored(options.wait)
            results[phase] = figures_of(tally)
    return results


def warm_up(site: Site) -> None:
    """Let each process load what it needs, as after a minute of service."""
    tally = Tally()
    for client in range(8):
        site.submit(tally, client)
    for path in itertools.islice(pages(), 20):
        site.read(tally, path)
    wait_until_scored(60)


def _row(name: str, phase: str, figures: dict[str, float]) -> list[str]:
    keys = (
        "accepted",
        "scored",
        "lost",
        "errors_5xx",
        "unanswered",
        "scored_p50_ms",
        "scored_p95_ms",
        "reads",
    )
    keys += ("reader_p50_ms", "reader_p95_ms")
    return [name, phase, *(f"{figures[key]:.0f}" for key in keys), f"{figures['statistics_behind_s']:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("setups", nargs="*", choices=[*SET_UPS, []], help="those to measure; all by default")
    parser.add_argument("--seconds", type=float, default=20, help="of each phase")
    parser.add_argument("--readers", type=int, default=READERS)
    parser.add_argument("--systems", type=int, default=500, help="on the leaderboard at the beginning")
    parser.add_argument("--wait", type=float, default=120, help="seconds for what is not scored at the end")
    parser.add_argument(
        "--postgresql", default="postgres://postgres@127.0.0.1:5432/postgres", help="a server"
    )
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.json:
        print(json.dumps(measure(options.setups[0], options)))
        return
    rows, figures, failed = [], {}, False
    for name in options.setups or SET_UPS:
        arguments = [sys.executable, __file__, name, "--json"]
        for key in ("seconds", "readers", "systems", "wait", "postgresql"):
            arguments += [f"--{key}", str(getattr(options, key))]
        done = subprocess.run(arguments, check=False, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            # What was measured so far is still worth printing.
            print(f"{name} could not be measured", file=sys.stderr)
            failed = True
            continue
        output = done.stdout
        for phase, result in json.loads(output.splitlines()[-1]).items():
            rows.append(_row(name, phase, result))
            figures[name if phase == "steady" else f"{name}_{phase}"] = result
    report(
        f"{find_input(None).source}: {RATE} files a second, then {CLIENTS} clients as fast as they can, "
        f"{options.seconds:.0f} s each; {options.readers} readers as fast as they can; one file in "
        f"{PUBLISH_EVERY} is published, on a leaderboard of {options.systems} systems",
        _HEADER,
        rows,
        figures,
    )
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
