"""Measure how heavy the command and the service are to install: `make bench NAME=client`.

README.md beside this file describes what is measured.
"""

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
# The project comes first: a script here would hide the package of the same name.
sys.path.insert(0, str(ROOT))

from _report import report  # noqa: E402
from _scratch_servers import free_port  # noqa: E402
from grading import find_input  # noqa: E402

RUNS = 20


class Installation:
    """A virtual environment of its own, with what pip put into it.

    seconds: that pip took. megabytes: of all files that it added, compiled modules included.
    """

    def __init__(self, folder: Path, *packages: str) -> None:
        self.bin = folder / "bin"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        before = self._files(folder)
        start = time.perf_counter()
        self.run("pip", "install", "--quiet", "--disable-pip-version-check", *packages)
        self.seconds = time.perf_counter() - start
        self.megabytes = sum(path.stat().st_size for path in self._files(folder) - before) / 1e6

    @staticmethod
    def _files(folder: Path) -> set[Path]:
        return {path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}

    def run(self, name: str, *arguments: object, **options: str) -> str:
        """Run a program of the environment outside of this checkout; return its output."""
        command: Sequence[str] = [str(self.bin / name), *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=self.bin,
            env={**os.environ, "PIP_NO_CACHE_DIR": "", **options},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout


def build_wheel(project: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=project, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    return wheel


def time_of_validating(client: Installation, folder: Path) -> list[float]:
    """Return the milliseconds of `wardboard validate` of the real file, each in a fresh process."""
    work = find_input(None)
    path = folder / "results.json"
    path.write_bytes(work.raw)
    times = []
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        out = client.run("wardboard", "validate", path)
        times.append((time.perf_counter() - start) * 1000)
        if "no error" not in out:
            raise SystemExit(f"the file was not read as it should be: {out}")
    # The first run after an installation reads the modules from the disk.
    return times[1:]


def serve_once(server: Installation, folder: Path) -> str:
    """Migrate, start the service from the two wheels, and return its first page."""
    port = free_port()
    options = {
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "SECRET_KEY": "for-the-bench, and for nothing else at all",
        "WARDBOARD_DATA": str(folder),
        "BIND": f"127.0.0.1:{port}",
        "WEB_WORKERS": "1",
    }
    for command in (["migrate", "--verbosity", "0"], ["collectstatic", "--noinput", "--verbosity", "0"]):
        server.run("django-admin", *command, **options)
    command = [str(server.bin / "gunicorn"), "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"]
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **options}, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        with urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
            return str(answer.read().decode())
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--client-only", action="store_true", help="leave the service out")
    client_only = parser.parse_args().client_only
    with tempfile.TemporaryDirectory(prefix="wardboard-bench-") as name:
        folder = Path(name)
        wheel = build_wheel(ROOT, folder / "command")
        client = Installation(folder / "client", str(wheel))
        times = time_of_validating(client, folder)
        rows = [
            ["pip install wardboard, MB", f"{client.megabytes:.1f}"],
            ["pip install wardboard, s", f"{client.seconds:.1f}"],
            [f"wardboard validate in a fresh process, p50 ms of {RUNS}", f"{statistics.median(times):.0f}"],
        ]
        figures = {
            "client_mb": client.megabytes,
            "client_install_s": client.seconds,
            "validate_ms": statistics.median(times),
        }
        if not client_only:
            server_wheel = build_wheel(ROOT / "leaderboard", folder / "service")
            server = Installation(folder / "server", str(wheel), str(server_wheel))
            if "Wardboard" not in serve_once(server, folder):
                raise SystemExit("the service from the wheels does not show its front page")
            rows.append(["pip install wardboard wardboard-server, MB", f"{server.megabytes:.1f}"])
            rows.append(["pip install wardboard wardboard-server, s", f"{server.seconds:.1f}"])
            figures |= {"server_mb": server.megabytes, "server_install_s": server.seconds}
        report(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB", ["", "measured"], rows, figures)


if __name__ == "__main__":
    main()
