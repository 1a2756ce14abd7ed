"""Find a POST in the text of a program that an agent had run: a command of a shell, or code."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from wardboard.scoring.reading.limits import KIB

_SHELLS = {"bash", "sh", "zsh", "shell", "terminal", "command", "cmd", "exec", "execute", "run"}
_INTERPRETERS = {"python", "ipython", "jupyter", "code", "repl"}
_PROGRAMS = ("command", "cmd", "commands", "keystrokes", "code", "script", "source", "input")

# The command that the adapter of Harbor gives its agents.
_OWN_PROGRAM = "medagentbench_cli.py"
_OWN_COMMAND = re.compile(rf"{re.escape(_OWN_PROGRAM)}[\"']?\s+post\b", re.I)
_CURL = re.compile(r"\b(?:curl|wget)\b")
_SENDS = re.compile(r"-X\s*[\"']?POST\b|--request[= ][\"']?POST\b|\s-d\b|--(?:data|json|post-data)\b")
_GETS = re.compile(r"\s(?:-G|--get)\b")
_CODE = re.compile(r"\.post\(|method\s*=\s*[\"']POST[\"']|request\(\s*[\"']POST[\"']", re.I)
_URL = re.compile(r"https?://[^\s'\"\\)}>]+")
_ADDRESS = re.compile(r"https?://|/|[A-Z][A-Za-z]+\Z")  # the last is a type of FHIR alone
_ENDS = "();<>|&\n"  # what a word of a shell ends before
_LONGEST = 64 * KIB  # characters of a command; a shell's words are split slowly


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramPost:
    """A POST of a program. url: None if the text does not show it; body: None if it does not show that."""

    url: str | None
    body: str | None
    is_code: bool


def post_of_program(words: Sequence[str], arguments: Mapping[str, Any], base: str) -> ProgramPost | None:
    """Return the POST of a tool, named with `words`, that runs a program; None if it runs or posts none.

    The body is known only if the benchmark's own command has it literally: what a shell or other code makes
    of a text cannot be known from the text.
    """
    if not (_SHELLS | _INTERPRETERS).intersection(words):
        return None
    text = _text(arguments)
    if own := _OWN_COMMAND.findall(text):
        url, body = _literals(text) if len(own) == 1 and len(text) <= _LONGEST else (None, None)
        return ProgramPost(url=url or _fhir_url(text, base), body=body, is_code=False)
    is_code = bool(_CODE.search(text))
    if not is_code and (not _CURL.search(text) or not _SENDS.search(text) or _GETS.search(text)):
        return None
    url = _fhir_url(text, base)
    # A program may well post to other services.
    if url is None and "fhir" not in text.lower():
        return None
    return ProgramPost(url=url, body=None, is_code=is_code)


def answer_of_program(words: Sequence[str], arguments: Mapping[str, Any]) -> str | None:
    """Return the answer that the benchmark's own command gives in a shell; None if it does not show it."""
    text = _text(arguments) if _SHELLS.intersection(words) else ""
    values = [value for value in _own_arguments(text, "finish") or () if not value.startswith("--")]
    return values[0] if len(values) == 1 and _is_literal(values[0]) else None


def _text(arguments: Mapping[str, Any]) -> str:
    return next(filter(None, (_program(arguments.get(key)) for key in _PROGRAMS)), "")


def _program(value: Any) -> str:
    """Return the text of a program: text, or a list of words such as ["bash", "-lc", "curl …"]."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return value[-1] if len(value) == 3 and value[1] in ("-c", "-lc") else shlex.join(value)
    return value if isinstance(value, str) else ""


def _fhir_url(text: str, base: str) -> str | None:
    urls = _URL.findall(text)
    below = next((url for url in urls if url.startswith(base)), None)
    return below or next((url for url in urls if "/fhir" in url.lower()), None)


def _literals(text: str) -> tuple[str | None, str | None]:
    """Return the address and the body of the benchmark's own command; None twice unless both are literal."""
    words = _own_arguments(text, "post") or ()
    body = next((word for word in words if word.startswith(("{", "["))), None)
    url = next((word for word in words if _ADDRESS.match(word)), None)
    return (url, body) if url and body and _is_literal(url + body) else (None, None)


def _own_arguments(text: str, command: str) -> list[str] | None:
    """Return what follows `command` of the benchmark's own program, options as their values.

    None if the program is not called so, or reads from elsewhere.
    """
    if _OWN_PROGRAM not in text or len(text) > _LONGEST:
        return None
    # A line that ends with a backslash goes on.
    lexer = shlex.shlex(text.replace("\\\n", " "), posix=True, punctuation_chars=_ENDS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        tokens = [token.strip() or token for token in lexer]
    except ValueError:
        return None
    calls = (word.endswith(_OWN_PROGRAM) and after == command for word, after in pairwise(tokens))
    start = next((place for place, is_call in enumerate(calls) if is_call), None)
    if start is None:
        return None
    found: list[str] = []
    for word in tokens[start + 2 :]:
        if set(word) <= set(_ENDS):
            return None if "<" in word else found
        option, is_set, value = word.partition("=")
        found.append(value if option.startswith("--") and is_set else word)
    return found


def _is_literal(text: str) -> bool:
    """Return whether a shell takes a text as it is: it replaces names and commands in others."""
    return not re.search(r"[$`]", text)
