"""Measure what readers notice of attacks on the service behind nginx: `make bench NAME=hostile`.

README.md beside this file describes what is measured, and how to add an attack.
"""

import argparse
import gzip
import io
import json
import os
import random
import socket
import statistics
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
# The project comes first: a script here would hide the package of the same name.
sys.path.insert(0, str(ROOT))

from _fhir_submission import make_questions, make_records  # noqa: E402
from _measured_service import choose_settings, create_token, open_database  # noqa: E402
from _report import report  # noqa: E402
from _scratch_servers import descendants, workers  # noqa: E402
from _servers_to_kill import Postgres  # noqa: E402
from grading import find_input  # noqa: E402
from submit import InventedFhir, service  # noqa: E402

from tests.support.nginx import SENT_FROM, nginx_before  # noqa: E402

MEDAGENTBENCH, FHIR = "hostile-medagentbench", "hostile-fhir"
HEALTH, BOARD = "/healthz", f"/benchmarks/{MEDAGENTBENCH}/"
READ_EVERY = 0.1  # seconds
TIMEOUT = 60  # seconds that a reader waits
QUESTION_IDS = [question.reference.task_id for question in make_questions()]


@dataclass(slots=True)
class Target:
    """The service under attack.

    - port: where nginx listens in front of it
    - token, other_token: of the account that sends files, and of one that sends honest ones
    - seconds: how long an attack lasts at most; it may end earlier
    - accepted: ids of the submissions that the service took, none of which may be lost
    - answers: how often each HTTP status came
    - honest: seconds until an honest file of another team was final, for each that was sent meanwhile
    - alone_seconds, alone_mb: what a hostile file took while no other was sent, and 0 if none was sent alone
    """

    port: int
    token: str
    other_token: str
    seconds: float
    accepted: list[str] = field(default_factory=list)
    answers: dict[int, int] = field(default_factory=dict)
    honest: list[float] = field(default_factory=list)
    alone_seconds: float = 0
    alone_mb: float = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def submit(self, raw: bytes, *, system: str) -> None:
        """Send a file in, as a submission to the board of FHIR-AgentBench."""
        self.post(_submissions(system), raw, token=self.token)

    def submit_honest(self, raw: bytes, *, system: str) -> None:
        """Send a file of the other team, and wait until it has its final state."""
        began = time.monotonic()
        self.submit_and_wait(raw, system=system, token=self.other_token)
        self.honest.append(time.monotonic() - began)

    def submit_and_wait(self, raw: bytes, *, system: str, token: str) -> None:
        """Send a file, again where there is no room for it, and wait until it has its final state."""
        while (answer := self.post(_submissions(system), raw, token=token)).get("code") in (
            "busy",
            "no-room",
        ):
            time.sleep(1)
        while answer.get("status") in ("received", "queued", "scoring", "incomplete"):
            time.sleep(0.1)
            answer = self._ask("GET", f"/api/v1/submissions/{answer['id']}/", token=token)[1]

    def check(self, raw: bytes) -> None:
        """Have a visitor check a file, which may be refused."""
        self.post(f"/api/v1/validations/raw/?benchmark={MEDAGENTBENCH}", raw)

    def post(self, path: str, body: bytes, *, token: str = "") -> dict[str, Any]:
        """Send a file, note what became of it, and return the answer."""
        status, answer = self._ask("POST", path, body, token=token)
        with self.lock:
            self.answers[status] = self.answers.get(status, 0) + 1
            if status in (200, 201):
                self.accepted += [answer["id"]] if "id" in answer else []
        return answer

    def _ask(self, method: str, path: str, body: bytes = b"", *, token: str) -> tuple[int, dict[str, Any]]:
        headers = {"Content-Type": "application/octet-stream", SENT_FROM: invented_address()}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection = HTTPConnection("127.0.0.1", self.port, timeout=600)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()


def _submissions(system: str) -> str:
    return f"/api/v1/submissions/raw/?benchmark={FHIR}&models=m&allow_empty=true&system={quote(system)}"


def invented_address() -> str:
    """Return an address for one request, so that limits by address alone stop no attack."""
    return f"2001:db8:{random.getrandbits(16):x}:{random.getrandbits(16):x}::1"


# Makes what it needs, and returns the function that attacks and returns when the attack is over: files are
# made before anything is measured, as that would slow the readers of this process.
Attack = Callable[[Target], Callable[[], None]]


def in_threads(count: int, act: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=act, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def nothing(target: Target) -> Callable[[], None]:
    """Leave the service alone, to compare with."""
    return lambda: time.sleep(min(5, target.seconds))


def anonymous_checks(target: Target) -> Callable[[], None]:
    """Have eight visitors check 12 kB that hold 400,000 problems, again and again."""
    return check_again_and_again(target, b"{}")


def slow_checks(target: Target) -> Callable[[], None]:
    """Have eight visitors check a valid file of 200,000 history items, again and again."""
    return check_again_and_again(target, b'{"role":"agent","content":"GET x"}')


def check_again_and_again(target: Target, item: bytes) -> Callable[[], None]:
    history = b",".join([item] * 199_999)
    result = b'{"task_id":"task1_1","answer":"[]","post_history":[' + history + b"]}"
    raw = gzip.compress(b'{"version":"v2","results":[' + result + b"]}")

    def check(_: int) -> None:
        ends = time.monotonic() + target.seconds
        while time.monotonic() < ends:
            target.check(raw)

    return lambda: in_threads(8, check)


def long_answers(target: Target) -> Callable[[], None]:
    """Send twenty files of a few hundred kB whose answers, 8,000 characters each, are all judged."""
    text = "The value was 12.5 mg/dL on 2024-01-05. No other value was found. " * 120
    files = [answers(f"{number} {text}") for number in range(20)]

    def send(number: int) -> None:
        target.submit(files[number], system=f"Long {number}")

    def attack() -> None:
        in_threads(len(files), send)
        # What was passed on to the background goes on.
        time.sleep(target.seconds)

    return attack


def final_answers(target: Target) -> Callable[[], None]:
    """Send two files of 2 MB whose answers have 300 final answers each, beside honest files."""
    lines = "\n".join(f"final answer: {number} {'x' * 30}" for number in range(300))
    return beside_honest_files(target, [answers(f"{n}\n{lines}", questions=139) for n in range(2)])


def many_numbers(target: Target) -> Callable[[], None]:
    """Send two files whose answers have two thousand numbers each, beside honest files."""
    files = [answers(f"{number} " + "½`" * 2000) for number in range(2)]
    # Packed, they would be refused: they unpack to more than 200 times their size.
    return beside_honest_files(target, [gzip.decompress(raw) for raw in files])


def beside_honest_files(
    target: Target, files: list[bytes], send: Callable[[bytes], None] | None = None
) -> Callable[[], None]:
    """Send hostile files, and as long as the attack lasts short and long honest files of another team."""
    records = list(make_records(make_questions()))
    sizes = {"Short": 20, "Long": len(records)}

    def send_honest() -> None:
        ends = time.monotonic() + target.seconds
        for number in count():
            for name, size in sizes.items():
                if time.monotonic() > ends:
                    return
                # No file is like one of another attack.
                raw = json.dumps(records[:size]).encode() + b" " * random.randrange(10_000)
                target.submit_honest(raw, system=f"{name} {number}")

    def attack() -> None:
        def send_one(number: int) -> None:
            if send is None:
                target.submit(files[number], system=f"Hostile {number}")
            else:
                send(files[number])

        sending = threading.Thread(target=in_threads, args=(len(files), send_one))
        sending.start()
        # They are on their way.
        time.sleep(1)
        send_honest()
        sending.join()

    return attack


def subagents(target: Target) -> Callable[[], None]:
    """Have visitors check a trajectory of 40,000 subagents, alone and then four at once."""
    call = {"tool_call_id": "c", "function_name": "f", "arguments": {}}
    step = {"step_id": 1, "source": "agent", "timestamp": "2026-01-01T00:00:00Z", "tool_calls": [call]}
    inner = {"schema_version": "ATIF-v1.6", "agent": {"name": "a", "version": "1"}, "steps": [step]}
    named = {**inner, "extra": {"task_id": "task1_1"}}
    return dear_checks(target, {**named, "subagent_trajectories": [inner] * 40_000})


def equal_keys(target: Target) -> Callable[[], None]:
    """The same with a log of Inspect that has 100,000 equal keys."""
    log = {"version": 2, "status": "success", "eval": {"task": "x"}, "keys": 1, "samples": []}
    return dear_checks(target, log, {'"keys"': '"same":1,' * 100_000 + '"keys"'})


def nodes(target: Target) -> Callable[[], None]:
    """The same with an episode of verifiers whose tree has 60,000 nodes, each below the one before."""
    message = {"role": "user", "content": ""}
    tree = [{"parent": number - 1 if number else None, "message": message} for number in range(60_000)]
    traces = [{"agent": {"name": "a"}, "nodes": tree}]
    return dear_checks(target, {"task": {"data": {"task_id": "task1_1"}}, "traces": traces})


def deep(target: Target) -> Callable[[], None]:
    """The same with lists in lists, a million deep."""
    result = {"task_id": "task1_1", "answer": "deep"}
    return dear_checks(
        target, {"version": "v2", "results": [result]}, {'"deep"': "[" * 1_000_000 + "]" * 1_000_000}
    )


def names(target: Target) -> Callable[[], None]:
    """The same with an archive of 10,000 files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(10_000):
            archive.writestr(f"run/{number}.json", "{}")
    return alone_and_at_once(target, [packed.getvalue() + b"\0" * n for n in range(5)], target.check)


def dear_checks(
    target: Target, document: Mapping[str, object], replaced: Mapping[str, str] | None = None
) -> Callable[[], None]:
    """Have a document checked. replaced: what JSON of Python cannot say, by the text in its place."""
    text = json.dumps(document)
    for old, new in (replaced or {}).items():
        text = text.replace(old, new)
    # No file is like another.
    files = [gzip.compress(f"{text}{' ' * number}".encode()) for number in range(5)]
    return alone_and_at_once(target, files, target.check)


def dear_texts(target: Target) -> Callable[[], None]:
    """Send a file of 139 answers that consist of marks of final answers alone, and then four at once."""
    files = [answers(f"{number} " + "final answer: . " * 900, questions=139) for number in range(5)]

    def send(raw: bytes) -> None:
        target.submit_and_wait(raw, system="Dear", token=target.token)

    return alone_and_at_once(target, files, send)


def alone_and_at_once(
    target: Target, files: list[bytes], send: Callable[[bytes], None]
) -> Callable[[], None]:
    """Send the first file alone, and note what it takes; then the others at once, beside honest files."""

    def attack() -> None:
        with watched_memory() as peaks:
            began = time.monotonic()
            send(files[0])
            target.alone_seconds = time.monotonic() - began
        target.alone_mb = peaks[-1] - peaks[0]
        beside_honest_files(target, files[1:], send)()

    return attack


def enormous_costs(target: Target) -> Callable[[], None]:
    """Send forty files whose costs have no sum."""
    files = [answers(f"Yes, {number}.", usage={"cost": 1.7e308}) for number in range(40)]

    def send(worker: int) -> None:
        for raw in files[worker::8]:
            target.submit(raw, system=f"Costly {worker}")

    return lambda: in_threads(8, send)


def slow_headers(target: Target) -> Callable[[], None]:
    """Hold forty connections, and send a byte of the headers a second."""
    return trickle(target, lambda: b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")


def slow_bodies(target: Target) -> Callable[[], None]:
    """Hold forty connections of someone signed in, and send a byte of a large body a second."""
    path = f"/api/v1/submissions/raw/?benchmark={FHIR}&system=Slow"
    lines = [f"Authorization: Bearer {target.token}", "Content-Type: application/json"]
    return trickle(target, lambda: post_head(path, 10_000_000, *lines))


def no_reading(target: Target) -> Callable[[], None]:
    """Ask for two hundred pages on each of forty connections, and read nothing."""
    pages = f"GET {BOARD} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 200
    return trickle(target, lambda: pages, byte=b"")


def unwanted_bodies(target: Target) -> Callable[[], None]:
    """Have forty clients that are not signed in send a gigabyte each, again and again."""
    return flood(target, 2**30)


def unwanted_uploads(target: Target) -> Callable[[], None]:
    """Have forty clients that are not signed in send 99 MB each, which nginx receives, again and again."""
    return flood(target, 99_000_000)


def flood(target: Target, length: int) -> Callable[[], None]:
    """Send bodies of `length` bytes from forty addresses, as fast as they are taken."""

    def send(_: int) -> None:
        ends = time.monotonic() + target.seconds
        while time.monotonic() < ends:
            # Anyone who does not want the body ends the connection.
            with suppress(OSError), socket.create_connection(("127.0.0.1", target.port), TIMEOUT) as wire:
                wire.sendall(post_head(f"/benchmarks/{FHIR}/submit/", length))
                for _ in range(length // 65536):
                    wire.sendall(b" " * 65536)
                    if time.monotonic() > ends:
                        return
                wire.sendall(b" " * (length % 65536))
                wire.recv(1)
            time.sleep(0.1)

    return lambda: in_threads(40, send)


def post_head(path: str, length: int, *lines: str) -> bytes:
    """Return the headers of a request with a body of `length` bytes, from an address of its own."""
    head = [f"POST {path} HTTP/1.1", "Host: localhost", f"{SENT_FROM}: {invented_address()}"]
    return "\r\n".join([*head, f"Content-Length: {length}", *lines, "", ""]).encode()


def trickle(target: Target, begin: Callable[[], bytes], byte: bytes = b"x") -> Callable[[], None]:
    """Keep forty connections that send `begin()` and then a byte a second; renew those that end."""

    def hold(_: int) -> None:
        ends = time.monotonic() + target.seconds
        while time.monotonic() < ends:
            with suppress(OSError), socket.socket() as wire:
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                wire.connect(("127.0.0.1", target.port))
                wire.sendall(begin())
                while time.monotonic() < ends:
                    time.sleep(1)
                    wire.sendall(byte)

    return lambda: in_threads(40, hold)


def answers(text: str, *, questions: int | None = None, **fields: object) -> bytes:
    """Return a packed file with `text` as the answer to every question, or to the first of them."""
    records = [
        {"question_id": question_id, "agent_answer": text, "agent_fhir_resources": {}, **fields}
        for question_id in QUESTION_IDS[:questions]
    ]
    return gzip.compress(json.dumps(records).encode())


# fmt: off
_ALL = (nothing, subagents, equal_keys, nodes, deep, names, dear_texts, anonymous_checks, slow_checks,
        long_answers, final_answers, many_numbers, enormous_costs, slow_headers, slow_bodies, no_reading,
        unwanted_bodies, unwanted_uploads)
# fmt: on
ATTACKS: dict[str, Attack] = {attack.__name__: attack for attack in _ALL}


def prepare() -> str:
    """Create the database and two leaderboards; return an API token."""
    open_database()
    from leaderboard.models import UNLIMITED, Board  # noqa: PLC0415
    from leaderboard.services.publishing.import_references import import_references  # noqa: PLC0415
    from wardboard.scoring.medagentbench import build_references  # noqa: PLC0415

    common = {"title": "Hostile", "question": "?", "is_demo": True, **UNLIMITED}
    board = Board(slug=MEDAGENTBENCH, benchmark="medagentbench", version="v2", **common)
    tasks = list(find_input(None).tasks)
    import_references(board=board, references=build_references(tasks, InventedFhir()), origin="invented")
    board = Board(slug=FHIR, benchmark="fhir-agentbench", version="1", **common)
    questions = {question.reference.task_id: question.reference for question in make_questions()}
    import_references(board=board, references=questions, origin="invented")
    return create_token()


class Reader:
    """Asks for a page over and over, and keeps how long each answer took, in ms."""

    def __init__(self, port: int, path: str) -> None:
        self._port, self._path = port, path
        self.elapsed: list[float] = []
        self.failed = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._read)

    def __enter__(self) -> "Reader":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _read(self) -> None:
        while not self._stopping.wait(READ_EVERY):
            self.read_once()

    def read_once(self) -> None:
        """Ask once, over a new connection, as another reader does: a kept one has its worker already."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT)
        start = time.perf_counter()
        try:
            # An address that was not rendered before.
            connection.request("GET", f"{self._path}?v={time.time()}")
            response = connection.getresponse()
            response.read()
            self.failed += response.status != HTTPStatus.OK
        except (OSError, HTTPException):
            self.failed += 1
        finally:
            connection.close()
        self.elapsed.append((time.perf_counter() - start) * 1000)

    @property
    def p95(self) -> float:
        return statistics.quantiles([*self.elapsed, *self.elapsed[-1:]], n=20, method="inclusive")[-1]


@contextmanager
def watched_memory() -> Iterator[list[float]]:
    """Give a list that ends with the most MB that this process's children took together."""

    def total() -> float:
        return sum(map(resident_mb, descendants(os.getpid())))

    peaks, stopping = [total()], threading.Event()

    def watch() -> None:
        while not stopping.wait(0.2):
            peaks.append(max(peaks[-1], total()))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peaks
    finally:
        stopping.set()
        thread.join()


def resident_mb(pid: int) -> float:
    """Return the memory of a process that it shares with no other, or its part of what it shares."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1000


def wait_until_done(limit: float) -> tuple[int, int]:
    """Wait until no submission is on its way; return how many are still, and how many there are."""
    from leaderboard.models import Status, Submission  # noqa: PLC0415

    pending = Submission.objects.filter(status__in=(Status.RECEIVED, Status.QUEUED, Status.SCORING))
    ends = time.monotonic() + limit
    while pending.exists() and time.monotonic() < ends:
        time.sleep(1)
    return pending.count(), Submission.objects.count()


def count_lost(accepted: list[str]) -> int:
    """Return how many accepted submissions have no row, or failed."""
    from leaderboard.models import Status, Submission  # noqa: PLC0415

    kept = Submission.objects.filter(pk__in=accepted).exclude(status=Status.FAILED)
    return len(accepted) - kept.count()


def play(name: str, target: Target) -> tuple[list[str], dict[str, float]]:
    """Play one attack; return its row of the table and its figures."""
    attack = ATTACKS[name](target)
    started = time.monotonic()
    with Reader(target.port, HEALTH) as health, Reader(target.port, BOARD) as page:
        attack()
    seconds = time.monotonic() - started
    answers = ", ".join(f"{status}: {count}" for status, count in sorted(target.answers.items()))
    row = [name, f"{health.p95:.0f}", f"{max(health.elapsed):.0f}", f"{page.p95:.0f}"]
    honest = max(target.honest, default=0)
    row += [str(health.failed + page.failed), f"{honest:.1f}", f"{target.alone_seconds:.1f}"]
    row += [f"{target.alone_mb:.0f}", f"{seconds:.0f}", answers]
    figures = {"health": health.p95, "page": page.p95, "failed": health.failed + page.failed}
    return row, figures | {"honest": honest, "alone": target.alone_seconds, "alone_mb": target.alone_mb}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attacks", nargs="*", choices=[*ATTACKS, []], help="those to play; all by default")
    parser.add_argument("--seconds", type=float, default=20, help="of an attack that repeats itself")
    parser.add_argument("--workers", action="store_true", help="PostgreSQL, workers and two pools")
    parser.add_argument("--wait", type=float, default=60, help="seconds for what is unfinished at the end")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wardboard-bench-") as folder, ExitStack() as stack:
        # So that an attack is not stopped by the rate alone, which many addresses would get around.
        rates = {"RATE_SUBMISSIONS": "100000/min", "RATE_VALIDATIONS": "100000/min"}
        choose_settings(folder, BEHIND_PROXY="1", **rates)
        if options.workers:
            postgres = Postgres()
            stack.callback(postgres.end)
            os.environ |= {"DATABASE_URL": postgres.url, "WORKERS": "1"}
        tokens = {"token": prepare(), "other_token": create_token("honest@example.org")}
        rows, figures, accepted = [], {}, []
        # What is refused is logged, and is not of interest here.
        with watched_memory() as peaks, ExitStack() as running:
            behind = running.enter_context(service("CRITICAL"))
            files = running.enter_context(service("CRITICAL")) if options.workers else None
            if options.workers:
                running.enter_context(workers(2))
            port = running.enter_context(nginx_before(behind, Path(folder, "nginx"), files=files))
            for path in (HEALTH, BOARD) * 10:
                Reader(port, path).read_once()
            for name in options.attacks or ATTACKS:
                target = Target(port=port, **tokens, seconds=options.seconds)
                row, figures[name] = play(name, target)
                rows.append(row)
                accepted += target.accepted
            pending, total = wait_until_done(options.wait)
        lost = count_lost(accepted)
    report(
        f"{'PostgreSQL, workers, two pools' if options.workers else 'gunicorn and SQLite as in `make run`'}, "
        f"behind nginx\n{total} submissions, {lost} lost, "
        f"{pending} unfinished; peak memory {peaks[-1]:.0f} MB",
        [
            "attack",
            "healthz p95 ms",
            "worst",
            "board p95 ms",
            "failed reads",
            "honest s",
            "alone s",
            "alone MB",
            "seconds",
            "answers",
        ],
        rows,
        {
            "healthz_p95_ms": {name: figure["health"] for name, figure in figures.items()},
            "board_p95_ms": {name: figure["page"] for name, figure in figures.items()},
            "honest_s": {name: figure["honest"] for name, figure in figures.items() if figure["honest"]},
            "alone_s": {name: figure["alone"] for name, figure in figures.items() if figure["alone"]},
            "alone_mb": {name: figure["alone_mb"] for name, figure in figures.items() if figure["alone"]},
            "failed_reads": sum(figure["failed"] for figure in figures.values()),
            "peak_mb": peaks[-1],
            "lost": lost,
            "unfinished": pending,
        },
    )


if __name__ == "__main__":
    main()
