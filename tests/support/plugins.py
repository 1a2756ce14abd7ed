"""Install distributions with benchmarks into a folder, which other processes then have on their path."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT

EXACT_MATCH = ROOT / "tests" / "support" / "exact_match"


def install(project: Path, folder: Path) -> Path:
    """Install the distribution in `project` into `folder` with pip, without an index; return the folder."""
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder), str(project)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    return folder


def write_distribution(folder: Path, *, name: str, entry: str, module: str, source: str) -> None:
    """Put a distribution `name` into `folder` as an installer would: one module, and one entry point.

    entry: the line of the entry point, such as `wards = "wards:Wards"` without the quotes
    """
    (folder / f"{module}.py").write_text(source)
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[wardboard.benchmarks]\n{entry}\n")


def environment(*folders: Path, **more: str) -> dict[str, str]:
    """Return an environment without the settings of the tests, in which `folders` are on the path."""
    unset = ("DJANGO_SETTINGS_MODULE", "DATABASE_URL", "WARDBOARD_DATA", "SECRET_KEY", "BIND", "SITE_URL")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, [*folders, ROOT])), **more}
