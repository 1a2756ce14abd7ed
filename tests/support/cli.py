"""Run the `wardboard` command: in this process, or in its own."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from tests.support.paths import ROOT
from wardboard.commands.main import main


def wardboard(*arguments, stdin=b"") -> tuple[int, str, str]:
    """Run the command here, where it costs no start of Python; return its exit code, stdout and stderr."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    with (
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(ROOT),
    ):
        code = main([str(argument) for argument in arguments])
    return code, *_texts(out, err)


def _texts(*streams: io.TextIOWrapper) -> Iterator[str]:
    for stream in streams:
        stream.flush()
        yield stream.buffer.getvalue().decode()


def install_command(folder: Path) -> None:
    """Put the command of this checkout into a new folder, for a shell whose PATH has it."""
    folder.mkdir(parents=True)
    command = folder / "wardboard"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m wardboard "$@"\n')
    command.chmod(0o755)


def wardboard_process(*arguments, stdin=b"", env=None) -> tuple[int, str, str]:
    """Run the command in its own process, as in a CI job; return its exit code, stdout and stderr."""
    command = [sys.executable, "-m", "wardboard", *map(str, arguments)]
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
