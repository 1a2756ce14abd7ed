"""Find a POST in the text of a program that an agent had run: a command of a shell, or code."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.reading.limits import KIB

_SHELLS = {"bash", "sh", "zsh", "shell", "terminal", "command", "cmd", "exec", "execute", "run"}
_INTERPRETERS = {"python", "ipython", "jupyter", "code", "repl"}
_PROGRAMS = ("command", "cmd", "commands", "code", "script", "source", "input")

# The command that the adapter of Harbor gives its agents.
_OWN_COMMAND = re.compile(r"medagentbench_cli\.py[\"']?\s+post\b", re.I)
_CURL = re.compile(r"\b(?:curl|wget)\b")
_SENDS = re.compile(r"-X\s*[\"']?POST\b|--request[= ][\"']?POST\b|\s-d\b|--(?:data|json|post-data)\b")
_GETS = re.compile(r"\s(?:-G|--get)\b")
_CODE = re.compile(r"\.post\(|method\s*=\s*[\"']POST[\"']|request\(\s*[\"']POST[\"']", re.I)
_URL = re.compile(r"https?://[^\s'\"\\)}>]+")
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
    text = next(filter(None, (_program(arguments.get(key)) for key in _PROGRAMS)), "")
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
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        tokens = list(lexer)
    except ValueError:
        return None, None
    start = next((place for place, word in enumerate(tokens) if word.endswith("medagentbench_cli.py")), None)
    if start is None:
        return None, None
    url = body = None
    for word in tokens[start + 2 :]:
        if set(word) <= set("();<>|&"):
            if "<" in word:
                return None, None
            break
        if body is None and word.lstrip().startswith(("{", "[")):
            body = word.strip()
        elif url is None and re.match(r"https?://|/", word):
            url = word
    # A shell may have replaced a name or a command by its value.
    is_literal = url and body and not re.search(r"[$`]", url + body)
    return (url, body) if is_literal else (None, None)
