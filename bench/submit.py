"""Measure from POST to scored over HTTP, on the default settings: `make bench NAME=submit`.

README.md beside this file describes what is measured.
"""

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import local

ROOT = Path(__file__).resolve().parents[1]
# The project comes first: a script here would hide the package of the same name.
sys.path.insert(0, str(ROOT))

from _measured_service import choose_settings, create_token, open_database  # noqa: E402
from _report import report  # noqa: E402
from _scratch_servers import cpu_seconds, free_port  # noqa: E402
from grading import find_input  # noqa: E402

from tools.demo.medagentbench.patients import search_bundle  # noqa: E402

COPIES, AT_ONCE = 50, 8
BOARD = "bench"


class InventedFhir:
    """Serve invented values for any MRN, as a FhirSource."""

    def search(self, resource_type: str, /, **parameters: str) -> dict:
        return search_bundle(resource_type, parameters)


def prepare(tasks: list[dict]) -> str:
    """Create the database and a leaderboard with `tasks`; return an API token."""
    open_database()
    from leaderboard.models import UNLIMITED, Board  # noqa: PLC0415
    from leaderboard.services.publishing.import_references import import_references  # noqa: PLC0415
    from wardboard.scoring.medagentbench import build_references  # noqa: PLC0415

    board = Board(
        slug=BOARD, benchmark="medagentbench", version="v2", title="Bench", question="?", **UNLIMITED
    )
    import_references(board=board, references=build_references(tasks, InventedFhir()), origin="invented")
    return create_token()


def count_scored() -> int:
    from leaderboard.models import Status, Submission  # noqa: PLC0415

    return Submission.objects.filter(status=Status.SCORED, evaluation__isnull=False).count()


@contextmanager
def service(log_level: str = "WARNING") -> Iterator[int]:
    """Run the service as `make run` starts it; yield its port."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"]
    environment = {**os.environ, "BIND": f"127.0.0.1:{port}", "LOG_LEVEL": log_level}
    process = subprocess.Popen([*command, "--log-level", "warning"], cwd=ROOT, env=environment)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        else:
            raise SystemExit("the service does not listen after a minute")
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def copies(raw: bytes, count: int, first: int) -> list[bytes]:
    """Return `count` copies of `raw`, each with a different answer changed."""
    files = []
    for n in range(first, first + count):
        document = json.loads(raw)
        document["results"][n]["answer"] = f"[{n}.5]"
        files.append(json.dumps(document, indent=2).encode())
    return files


_connections = local()


def send(port: int, method: str, path: str, body: bytes | None = None, token: str = "") -> float:
    """Send a request on this thread's connection; return the ms until the whole response was received."""
    if getattr(_connections, "port", None) != port:
        _connections.port, _connections.connection = port, HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"} if token else {}
    start = time.perf_counter()
    _connections.connection.request(method, path, body, headers)
    response = _connections.connection.getresponse()
    answer = response.read()
    elapsed = (time.perf_counter() - start) * 1000
    if response.status >= 300 or (body and json.loads(answer)["status"] != "scored"):
        raise SystemExit(f"{method} {path}: HTTP {response.status}: {answer[:500].decode()}")
    return elapsed


def p95(elapsed: list[float]) -> float:
    return statistics.quantiles(elapsed, n=20, method="inclusive")[-1]


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    work = find_input(None)
    with tempfile.TemporaryDirectory(prefix="wardboard-bench-") as folder:
        choose_settings(folder, RATE_SUBMISSIONS="100000/min")
        token = prepare(list(work.tasks))
        with service() as port:

            def post(raw: bytes) -> float:
                path = f"/api/v1/submissions/raw/?benchmark={BOARD}&system=Agent&models=m"
                return send(port, "POST", path, raw, token)

            def trivial(_: int = 0) -> float:
                return send(port, "GET", "/healthz")

            # Each worker's first request loads the references, so it is listed separately.
            first = post(copies(work.raw, 1, 0)[0])
            for raw in copies(work.raw, 7, 1):
                post(raw)
            for _ in range(20):
                trivial()
            trivial_times = [trivial() for _ in range(200)]
            files = copies(work.raw, COPIES, 10)
            cpu_before = cpu_seconds()
            sequential_times = [post(raw) for raw in files]
            cpu_ms = (cpu_seconds() - cpu_before) / len(files) * 1000
            with ThreadPoolExecutor(AT_ONCE) as pool:
                parallel_times = list(pool.map(post, copies(work.raw, COPIES, 100)))
                parallel_trivial_times = list(pool.map(trivial, range(200)))
        sent = 8 + len(sequential_times) + len(parallel_times)
        lost = sent - count_scored()
    rows = [
        ["POST to scored, the very first", f"{first:.1f}", "", "1"],
        [
            "POST to scored, one after another",
            statistics.median(sequential_times),
            p95(sequential_times),
            len(sequential_times),
        ],
        [
            f"POST to scored, {AT_ONCE} at a time",
            statistics.median(parallel_times),
            p95(parallel_times),
            len(parallel_times),
        ],
        [
            "GET /healthz, one after another",
            statistics.median(trivial_times),
            p95(trivial_times),
            len(trivial_times),
        ],
        [
            f"GET /healthz, {AT_ONCE} at a time",
            statistics.median(parallel_trivial_times),
            p95(parallel_trivial_times),
            200,
        ],
    ]
    report(
        f"{work.source}: {len(work.tasks)} tasks, {len(work.raw) / 1000:.0f} kB; gunicorn and SQLite as in "
        f"`make run`\n{sent} files accepted, {lost} lost\nPOST to scored / GET: "
        f"{statistics.median(sequential_times) / statistics.median(trivial_times):.0f} times; "
        f"processor time of the service: {cpu_ms:.0f} ms a file",
        ["request", "p50 ms", "p95 ms", "requests"],
        [[cell if isinstance(cell, str) else f"{cell:.4g}" for cell in row] for row in rows],
        {
            "p50_ms": statistics.median(sequential_times),
            "p95_ms": p95(sequential_times),
            "p50_ms_at_8": statistics.median(parallel_times),
            "p95_ms_at_8": p95(parallel_times),
            "cpu_ms": cpu_ms,
            "trivial_p50_ms": statistics.median(trivial_times),
            "lost": lost,
        },
    )


if __name__ == "__main__":
    main()
