"""Run the `wardboard` command: in this process, or in its own."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
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


def run_program(
    command: Iterable[object],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    timeout: float = 240,
) -> subprocess.CompletedProcess[str]:
    """Run a program that has nothing to read to its end; return its exit code and what it wrote."""
    return subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=env,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def wardboard_process(*arguments, env=None) -> tuple[int, str, str]:
    """Run the command in its own process, as in a CI job; return its exit code, stdout and stderr."""
    command = [sys.executable, "-m", "wardboard", *arguments]
    result = run_program(command, env={**os.environ, **(env or {})})
    return result.returncode, result.stdout, result.stderr
