"""Run the `wardboard` command in its own process."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT

SCRIPT = Path(sys.executable).with_name("wardboard")


def wardboard(*arguments, stdin=b"", env=None):
    """Run the command; return its exit code, stdout and stderr."""
    command = [SCRIPT if SCRIPT.exists() else "wardboard", *map(str, arguments)]
    result = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        timeout=240,
        env={**os.environ, **(env or {})},
        check=False,
        cwd=ROOT,
    )
    return result.returncode, result.stdout.decode(), result.stderr.decode()
