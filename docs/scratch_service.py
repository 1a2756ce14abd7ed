"""The service on a scratch database with invented systems, and a browser; for what looks at pages."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


@contextmanager
def service(folder: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields the address of a service with the invented systems on it, and keys of what is photographed."""
    environment = {
        **os.environ,
        "WARDBOARD_DATA": folder,
        "SECRET_KEY": "for-pictures",
        "STATIC_UNHASHED": "1",
        "PYTHONPATH": str(ROOT),
    }
    for name in ("DATABASE_URL", "BROKER_URL", "DEBUG"):
        environment.pop(name, None)

    def manage(*words: str) -> str:
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
        )
        return done.stdout.decode()

    manage("migrate", "-v0")
    manage("collectstatic", "-v0", "--noinput")
    said = manage(
        "shell", "-v0", "-c", "import json; from docs.invented_systems import fill; print(json.dumps(fill()))"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "--threads",
        "4",
        "-b",
        f"127.0.0.1:{port}",
        "leaderboard.wsgi",
    ]
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address)
        yield address, json.loads(said.splitlines()[-1])
    finally:
        server.terminate()
        server.wait(10)


@contextmanager
def service_and_browser() -> Iterator[tuple[str, dict[str, str], Browser]]:
    """Yields what `service` does, on a folder of its own, and a headless Chromium."""
    with (
        tempfile.TemporaryDirectory() as folder,
        service(folder) as (address, keys),
        sync_playwright() as playwright,
    ):
        yield (
            address,
            keys,
            playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]),
        )


def sign_in(page: Page, address: str) -> None:
    """Sign in as the person whose systems some of the invented ones are."""
    page.goto(f"{address}/accounts/login/")
    page.locator("input[type=email]").fill("maya@example.org")
    page.locator("input[type=password]").fill("a-long-password-1")
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="My submissions").wait_for()


def _wait_for(address: str) -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(address, timeout=1)  # noqa: S310 - our own address
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the service did not start")
