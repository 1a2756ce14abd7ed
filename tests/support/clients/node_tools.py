"""Install the npm programs that check the OpenAPI document."""

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
# npm's errors if the registry is down, refuses, or cannot be reached.
_UNREACHABLE = re.compile(
    r"npm error code (E(NOTFOUND|AI_AGAIN|TIMEDOUT|CONN\w+|\w+UNREACH|[45]\d\d)|\w*(SOCKET|CERT)\w*)"
)
_INSTALL = ("ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--fetch-retries=1")


def cache_folder() -> Path:
    """Return the folder where installed programs are kept between test runs."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "wardboard-tests"


def install_node_tools() -> Path:
    """Install the locked programs unless they are installed, and return their folder.

    Skips the test if npm is not installed or its registry cannot be reached.
    """
    if shutil.which("npm") is None:
        pytest.skip("no npm: install Node.js 20 or newer")
    digest = hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:16]
    folder = cache_folder() / f"node-{digest}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            _install(Path(temporary) / "tools")
            # Renamed, so that it is complete or absent; another process of the run may have been first.
            with contextlib.suppress(OSError):
                (Path(temporary) / "tools").rename(folder)
    return folder / "node_modules" / ".bin"


def _install(folder: Path) -> None:
    folder.mkdir()
    for name in ("package.json", _LOCK.name):
        shutil.copy(CLIENTS / name, folder)
    result = subprocess.run(["npm", *_INSTALL], cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode and (error := _UNREACHABLE.search(result.stderr)):
        pytest.skip(f"no npm registry: {error[0]}")
    assert result.returncode == 0, result.stderr
