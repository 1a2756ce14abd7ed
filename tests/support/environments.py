"""Virtual environments in which tests install the command."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest


class Environment:
    """A virtual environment of its own. What our wheel needs is that of the environment of the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder, symlinks=True)
        (self.site,) = folder.glob("lib/python3*/site-packages")
        # Files .pth of a folder that is named so are not read: the checkout is not in it.
        (self.site / "needed.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")

    def install(self, *sources: Path | str) -> None:
        """Let pip install wheels, archives or folders, or one folder after `--editable`.

        Raises subprocess.CalledProcessError, whose `stderr` is the text of pip.
        """
        pip = [sys.executable, "-m", "pip", "--python", str(self.folder / "bin" / "python")]
        options = ["--quiet", "--no-index", "--no-deps", "--ignore-installed", "--no-build-isolation"]
        command = [*pip, "install", *options, *map(str, sources)]
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=240)

    def run(self, *arguments: str, cwd: Path | None = None) -> tuple[int, str, str]:
        """Run `wardboard`; return its exit code and what it printed to stdout and stderr."""
        process = subprocess.run(
            [str(self.folder / "bin" / "wardboard"), *arguments],
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        return process.returncode, process.stdout, process.stderr
