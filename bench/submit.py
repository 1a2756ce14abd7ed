"""From POST to scored, over HTTP, on the embedded default: `make bench NAME=submit`.

See README.md here for what is measured.
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
# A script here would be taken for the package that it is named after.
sys.path.insert(0, str(ROOT))

from _report import report  # noqa: E402
from grading import find_work  # noqa: E402

from scoring.medagentbench.demo.patients import search_bundle  # noqa: E402

COPIES, AT_ONCE = 50, 8
BOARD = "bench"


class InventedFhir:
    """A FhirSource with invented values for any MRN."""

    def search(self, resource_type: str, /, **parameters: str) -> dict:
        return search_bundle(resource_type, parameters)


def prepare(tasks: list[dict]) -> str:
    """Make the database and a board with `tasks`; return an API token."""
    import django  # noqa: PLC0415 - the environment has to be set first

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    from leaderboard.models import Benchmark, User  # noqa: PLC0415
    from leaderboard.services.accounts import create_token  # noqa: PLC0415
    from leaderboard.services.publishing.import_references import import_references  # noqa: PLC0415
    from scoring.medagentbench import build_references  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    benchmark = Benchmark(
        slug=BOARD, family="medagentbench", version="v2", title="Bench", question="?", daily_limit=None
    )
    import_references(
        benchmark=benchmark, references=build_references(tasks, InventedFhir()), origin="invented"
    )
    return create_token(user=User.objects.create_user("bench@example.org"), name="bench", days=1)[1]


def scored() -> int:
    from leaderboard.models import Status, Submission  # noqa: PLC0415

    return Submission.objects.filter(status=Status.SCORED, evaluation__isnull=False).count()


@contextmanager
def service() -> Iterator[int]:
    """The service as `make run` starts it; gives its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"]
    environment = {**os.environ, "BIND": f"127.0.0.1:{port}", "LOG_LEVEL": "WARNING"}
    process = subprocess.Popen([*command, "--log-level", "warning"], cwd=ROOT, env=environment)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def copies(raw: bytes, count: int, first: int) -> list[bytes]:
    """Return `count` files like `raw`, each with another answer changed."""
    made = []
    for n in range(first, first + count):
        document = json.loads(raw)
        document["results"][n]["answer"] = f"[{n}.5]"
        made.append(json.dumps(document, indent=2).encode())
    return made


_kept = local()


def send(port: int, method: str, path: str, body: bytes | None = None, token: str = "") -> float:
    """Send one request on this thread's connection; return milliseconds until the whole answer is there."""
    if getattr(_kept, "port", None) != port:
        _kept.port, _kept.connection = port, HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"} if token else {}
    start = time.perf_counter()
    _kept.connection.request(method, path, body, headers)
    response = _kept.connection.getresponse()
    answer = response.read()
    took = (time.perf_counter() - start) * 1000
    if response.status >= 300 or (body and json.loads(answer)["status"] != "scored"):
        raise SystemExit(f"{method} {path}: HTTP {response.status}: {answer[:500].decode()}")
    return took


def p95(took: list[float]) -> float:
    return statistics.quantiles(took, n=20, method="inclusive")[-1]


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    work = find_work(None)
    with tempfile.TemporaryDirectory(prefix="wardboard-bench-") as folder:
        os.environ |= {
            "WARDBOARD_DATA": folder,
            "SECRET_KEY": "bench",
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "RATE_SUBMISSIONS": "100000/min",
        }
        for name in ("DATABASE_URL", "BROKER_URL"):
            os.environ.pop(name, None)
        token = prepare(list(work.tasks))
        with service() as port:

            def post(raw: bytes) -> float:
                path = f"/api/v1/submissions/?benchmark={BOARD}&system=Agent&models=m"
                return send(port, "POST", path, raw, token)

            def trivial(_: int = 0) -> float:
                return send(port, "GET", "/api/v1/")

            # Each worker's first request loads the references; it is shown apart.
            first = post(copies(work.raw, 1, 0)[0])
            for raw in copies(work.raw, 7, 1):
                post(raw)
            for _ in range(20):
                trivial()
            light = [trivial() for _ in range(200)]
            alone = [post(raw) for raw in copies(work.raw, COPIES, 10)]
            with ThreadPoolExecutor(AT_ONCE) as pool:
                crowd = list(pool.map(post, copies(work.raw, COPIES, 100)))
                light_crowd = list(pool.map(trivial, range(200)))
        sent = 8 + len(alone) + len(crowd)
        lost = sent - scored()
    rows = [
        ["POST to scored, the very first", f"{first:.1f}", "", "1"],
        ["POST to scored, one after another", statistics.median(alone), p95(alone), len(alone)],
        [f"POST to scored, {AT_ONCE} at a time", statistics.median(crowd), p95(crowd), len(crowd)],
        ["GET /api/v1/, one after another", statistics.median(light), p95(light), len(light)],
        [f"GET /api/v1/, {AT_ONCE} at a time", statistics.median(light_crowd), p95(light_crowd), 200],
    ]
    report(
        f"{work.source}: {len(work.tasks)} tasks, {len(work.raw) / 1000:.0f} kB; gunicorn and SQLite as in "
        f"`make run`\n{sent} files accepted, {lost} lost\nPOST to scored / GET: "
        f"{statistics.median(alone) / statistics.median(light):.0f} times",
        ["request", "p50 ms", "p95 ms", "requests"],
        [[cell if isinstance(cell, str) else f"{cell:.4g}" for cell in row] for row in rows],
        {
            "p50_ms": statistics.median(alone),
            "p95_ms": p95(alone),
            "p50_ms_at_8": statistics.median(crowd),
            "p95_ms_at_8": p95(crowd),
            "trivial_p50_ms": statistics.median(light),
            "lost": lost,
        },
    )


if __name__ == "__main__":
    main()
