"""The command as people install it who have no wheel: from a zip, from a clone without links, from an sdist.

They install what is committed.
"""

import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from wardboard.scoring.medagentbench import demo

GRADE = ["grade", str(demo.GOOD), "--references", str(demo.FOLDER)]


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


def make_zip(folder: Path) -> Path:
    """Return what a code host sends for `main.zip`."""
    path = folder / "main.zip"
    command = ["git", "archive", "--format=zip", "--prefix=wardboard-main/", "-o", str(path), "HEAD"]
    subprocess.run(command, cwd=ROOT, check=True)
    return path


def clone(folder: Path, *, symlinks: str) -> Path:
    """Clone this repository; symlinks: "false" as Git for Windows does."""
    command = ["git", "clone", "--quiet", "-c", f"core.symlinks={symlinks}", str(ROOT), str(folder / "clone")]
    subprocess.run(command, check=True)
    return folder / "clone"


def clone_without_links(folder: Path) -> Path:
    path = clone(folder, symlinks="false")
    assert (path / "wardboard/scoring").read_text() == "../scoring"
    return path


def make_sdist(folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.tar.gz")
    return path


@pytest.mark.parametrize(
    "make",
    [
        clone_without_links,
        pytest.param(make_zip, marks=pytest.mark.long),
        pytest.param(make_sdist, marks=pytest.mark.long),
    ],
)
def test_pip_installs_the_graders_with_the_command(make: Callable[[Path], Path], tmp_path):
    environment = Environment(tmp_path / "environment")
    environment.install(make(tmp_path))
    code, printed, errors = environment.run(*GRADE)
    assert (code, errors) == (0, "")
    assert "success rate" in printed
    missing = "wardboard: the service is not installed: pip install wardboard-server\n"
    assert environment.run("serve") == (2, "", missing)
    # Nor is a module of the working folder the service.
    (tmp_path / "leaderboard.py").write_text("print('of a stranger')\n")
    assert environment.run("serve", cwd=tmp_path) == (2, "", missing)


def test_a_checkout_without_the_link_says_what_to_do_and_is_not_installed_as_editable(tmp_path):
    folder = clone_without_links(tmp_path)
    process = subprocess.run(
        [sys.executable, "-m", "wardboard", *GRADE], cwd=folder, capture_output=True, text=True, check=False
    )
    # 1 would say that the file has problems.
    assert (process.returncode, process.stdout) == (3, "")
    assert process.stderr.startswith("wardboard: the graders are missing, because ")
    assert process.stderr.count("\n") == 1
    assert "pip install ." in process.stderr
    with pytest.raises(subprocess.CalledProcessError) as failed:
        Environment(tmp_path / "environment").install("--editable", folder)
    assert "ln -sfn ../scoring wardboard/scoring" in failed.value.stderr
