"""Running the `wardboard` command in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.paths import ROOT

SCRIPT = Path(sys.executable).with_name("wardboard")


def wardboard(*arguments, stdin=b"", env=None):
    command = [SCRIPT if SCRIPT.exists() else "wardboard", *map(str, arguments)]
    done = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        timeout=240,
        env={**os.environ, **(env or {})},
        check=False,
        cwd=ROOT,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()
