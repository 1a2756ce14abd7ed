"""Run the service on a scratch database of invented systems, with a browser to look at it."""

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

from tools.chromium import find_chromium

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "scoring" / "medagentbench" / "demo"
_FILL = "import json; from tools.pictures.invented_systems import fill; print(json.dumps(fill()))"


@contextmanager
def service(folder: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Serve the invented systems from `folder`; yield the address and the keys from `fill`."""
    environment = {
        **os.environ,
        "WARDBOARD_DATA": folder,
        "SECRET_KEY": "for-the-pictures, and for nothing else at all",
        "PYTHONPATH": str(ROOT),
    }
    for name in ("DATABASE_URL", "WORKERS", "DEBUG"):
        environment.pop(name, None)
    _manage(environment, "migrate", "-v0")
    _manage(environment, "collectstatic", "-v0", "--noinput")
    output = _manage(environment, "shell", "-v0", "-c", _FILL)
    keys = json.loads(output.splitlines()[-1])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    gunicorn = [sys.executable, "-m", "gunicorn", "--threads", "4", "-b", f"127.0.0.1:{port}"]
    server = subprocess.Popen(  # noqa: S603 - our own command
        [*gunicorn, "leaderboard.wsgi"], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL
    )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address)
        yield address, keys
    finally:
        server.terminate()
        server.wait(10)


@contextmanager
def service_and_browser() -> Iterator[tuple[str, dict[str, str], Browser]]:
    """Serve the invented systems temporarily; yield what `service` does and a Chromium."""
    with (
        tempfile.TemporaryDirectory() as folder,
        service(folder) as (address, keys),
        sync_playwright() as playwright,
    ):
        options = ["--no-sandbox", "--disable-gpu"]
        yield address, keys, playwright.chromium.launch(executable_path=find_chromium(), args=options)


def sign_in(page: Page, address: str, account: str = "maya") -> None:
    """Sign in as the owner of some of the invented systems, or with another account of `fill`."""
    page.goto(f"{address}/accounts/login/")
    page.locator("input[type=email]").fill(f"{account}@example.org")
    page.locator("input[type=password]").fill("a-long-password-1")
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="My submissions").wait_for()


def _manage(environment: dict[str, str], *words: str) -> str:
    command = [sys.executable, "manage.py", *words]
    done = subprocess.run(  # noqa: S603 - our own command
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode()


def _wait_for(address: str) -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(address, timeout=1)  # noqa: S310 - our own address  # nosec B310
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the service did not start")
