"""Read environment variables, for the settings and gunicorn.py alone. An empty one counts as not set.

Each function raises ImproperlyConfigured for what it cannot take. The error names the variable and says what
to write, without the value, which may be a secret.
"""

import os
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from environs import Env, EnvError, validate

HIGHEST_PORT = 65535
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_env = Env()


def _value(parse: Callable[..., Any], name: str, default: Any, needed: str, **options: Any) -> Any:
    """Return what a parser of environs makes of a variable, `default` if unset. needed: what to write."""
    if not os.environ.get(name, "").strip():
        return default
    try:
        return parse(name, **options)
    except EnvError:
        raise ImproperlyConfigured(f"{name}: {needed}") from None


def text(name: str, default: str = "") -> str:
    return str(_value(_env.str, name, default, "")).strip()


def words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def flag(name: str, *, default: bool = False) -> bool:
    return bool(_value(_env.bool, name, default, "say 1 or 0"))


def number(name: str, default: int, *, least: int = 0, most: int | None = None) -> int:
    needed = f"write a whole number of {least} or more{'' if most is None else f', and {most} at most'}"
    return int(_value(_env.int, name, default, needed, validate=validate.Range(min=least, max=most)))


def amount(name: str) -> float | None:
    """Return a number of 0 or more; None if unset, or if the word `none` says that there is no limit."""
    if text(name).lower() == "none":
        return None
    needed = "write a number of 0 or more"
    parsed: float | None = _value(_env.float, name, None, needed, validate=validate.Range(min=0))
    return parsed


def matching(name: str, default: str, pattern: str, needed: str) -> str:
    """Return a text of a form. needed: what the error says to write."""
    if (value := text(name, default)) and not re.fullmatch(pattern, value):
        raise ImproperlyConfigured(f"{name}: {needed}")
    return value


def choice(name: str, default: str, choices: Collection[str]) -> str:
    """Return a variable that has one of a few values, in capitals or not."""
    known = {one.lower(): one for one in choices}
    if (value := text(name, default).lower()) not in known:
        raise ImproperlyConfigured(f"{name}: say {' or '.join(filter(None, choices))}")
    return known[value]


def log_level(name: str) -> str:
    return choice(name, "INFO", ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"))


def is_url(value: str) -> bool:
    return value.startswith(("https://", "http://"))


def url(name: str) -> str:
    return matching(name, "", r"https?://.*", "write a URL that begins with https://")


def hosts(name: str, default: str) -> list[str]:
    values = words(name, default)
    if any("/" in value or re.search(r":[0-9]*$", value) for value in values):
        raise ImproperlyConfigured(f"{name}: write each host alone, without https:// and port")
    return values


def host_and_port(name: str, port: int) -> tuple[str, int]:
    """Return a host, "" if unset, and its port, `port` where none is stated."""
    found = re.fullmatch(r"(?:\[(.+)\]|([^:/]*))(?::([0-9]+))?", text(name))
    if found is None or int(found[3] or port) > HIGHEST_PORT:
        raise ImproperlyConfigured(f"{name}: write a host, or host and port such as mail.example.org:587")
    return found[1] or found[2], int(found[3] or port)


def rates(name: str, default: str) -> list[str]:
    """Return limits such as 10/h and 20/d (per second, minute, hour or day); none for the word `none`."""
    one = r"[1-9][0-9]*/[smhd]"
    matching(name, default, rf"{one}(\s*,\s*{one})*|none", "write limits such as 10/h,20/d, or none")
    return [rate for rate in words(name, default) if rate != "none"]


def rate(name: str, default: str) -> str:
    pattern = r"[1-9][0-9]*/(s|sec|second|m|min|minute|h|hour|d|day)"
    return matching(name, default, pattern, "write a limit such as 60/min or 1000/hour")


def data_folder(default: Path) -> Path:
    """Return WARDBOARD_DATA, the folder that the service writes to.

    Raises ImproperlyConfigured for the root of a checkout, where its key is soon committed.
    """
    folder = Path(text("WARDBOARD_DATA") or default)
    if any((folder / name).exists() for name in (".git", "pyproject.toml")):
        raise ImproperlyConfigured(
            f"WARDBOARD_DATA is {folder}, the root of a checkout: name a folder of its own, such as "
            f"{folder / 'var'}, and move there what the service wrote"
        )
    return folder
