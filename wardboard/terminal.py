"""Print text that others wrote: no line of it is a command to GitHub Actions or to the terminal.

Source: actions/runner, ActionCommand.cs: a line is a command where it begins with `::` after spaces, or has
`##[` anywhere. It compares by the rules of a language, which skip invisible characters, so that an invisible
character neither breaks a command nor makes one harmless.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from wardboard.scoring.benchmark_cli import USAGE, Failure

# Before and between the characters of a command, allow whatever may be skipped: all but visible ASCII.
_COMMAND = re.compile(r"^([^!-~\n]*)(?=:[^ -~\n]*:)", re.MULTILINE)
_OLD_COMMAND = re.compile(r"(#[^ -~\n]*#[^ -~\n]*)(?=\[)")
_OLD_COMMAND_IN_JSON = re.compile(r"#(?=[^ -~\n]*#[^ -~\n]*\[)")


def show(text: str, *, err: bool = False) -> None:
    """Print `text`, of one line or more, to standard output or standard error."""
    _write(harmless(text), err=err)


def harmless(text: str) -> str:
    """Return `text` with control characters escaped, and in a job of GitHub without its commands.

    A backslash breaks a command: it is visible, and nothing skips it.
    """
    text = _escaped(text, lambda character: character.encode("unicode_escape").decode())
    if not _is_on_github():
        return text
    return _OLD_COMMAND.sub(r"\1\\", _COMMAND.sub(r"\1\\", text))


def print_json(value: Mapping[str, Any]) -> None:
    """Print a document as JSON. Parsers read what `value` is, whatever its strings hold.

    Lines of JSON begin with a bracket, a digit or a quotation mark, so that `##[` alone has to be broken.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False)
    text = _escaped(text, lambda character: json.dumps(character)[1:-1])
    _write(_OLD_COMMAND_IN_JSON.sub(r"\\u0023", text) if _is_on_github() else text)


def _write(text: str, *, err: bool = False) -> None:
    """Raise Failure where the output cannot take the text, such as a file on a full disk."""
    try:
        click.echo(text, err=err)
    except OSError as error:
        drop_output(err=err)
        # A reader that has closed the output (`| head`) has what it wants.
        if not isinstance(error, BrokenPipeError):
            raise Failure(USAGE, f"cannot write the output: {error.strerror}") from None


def drop_output(*, err: bool = False) -> None:
    """Send the rest of an output nowhere: otherwise Python would complain of it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), (sys.stderr if err else sys.stdout).fileno())


def _escaped(text: str, escape: Callable[[str], str]) -> str:
    """Return `text` with every unprintable character escaped, except line feeds."""
    return "".join(c if c.isprintable() or c == "\n" else escape(c) for c in text)


def _is_on_github() -> bool:
    return bool(os.environ.get("GITHUB_ACTIONS"))
