"""Programs from npm that the tests of the OpenAPI document run."""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parent
_LOCK = CLIENTS / "package-lock.json"
# What npm answers where the registry is down, refuses, or cannot be reached.
_AWAY = re.compile(
    r"npm error code (E(NOTFOUND|AI_AGAIN|TIMEDOUT|CONN\w+|\w+UNREACH|[45]\d\d)|\w*(SOCKET|CERT)\w*)"
)
_INSTALL = ("ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--fetch-retries=1")


def cache_folder() -> Path:
    """Return where installed programs are kept from one run of the tests to the next."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "wardboard-tests"


def install_node_tools() -> Path:
    """Install the locked programs unless they are there, and return their folder.

    Skips the test where npm is not installed or its registry is away.
    """
    if shutil.which("npm") is None:
        pytest.skip("no npm: install Node.js 20 or newer")
    digest = hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:16]
    folder = cache_folder() / f"node-{digest}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            _install(Path(temporary) / "tools")
            # Whole or not there; another process of the same run may have been first.
            with contextlib.suppress(OSError):
                (Path(temporary) / "tools").rename(folder)
    return folder / "node_modules" / ".bin"


def _install(folder: Path) -> None:
    folder.mkdir()
    for name in ("package.json", _LOCK.name):
        shutil.copy(CLIENTS / name, folder)
    done = subprocess.run(["npm", *_INSTALL], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode and (away := _AWAY.search(done.stderr)):
        pytest.skip(f"no npm registry: {away[0]}")
    assert done.returncode == 0, done.stderr
