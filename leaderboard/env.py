"""Read environment variables, for the settings and gunicorn.py alone. An empty one counts as not set."""

import os
import re
from collections.abc import Collection
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_DAY_SECONDS = 86_400
HIGHEST_PORT = 65535
# What only names of ours begin with.
_OURS = ("DRAFT_", "JUDGE_", "OIDC_", "SCORING_", "SIGN_UPS_", "UPLOAD_", "UPLOADS_")
# Names that had an effect once, and begin like those of others.
_ENDED = frozenset(
    {
        *("CHECK_AT_ONCE_BYTES", "CHECK_SECONDS", "CHECK_SECONDS_ANONYMOUS", "REQUEST_SECONDS"),
        *("REFERENCE_UPLOAD_BYTES", "REFERENCE_UNPACKED_BYTES", "WEB_UPLOADS", "WEB_UPLOADS_PER_ADDRESS"),
        "BROKER_URL",
        *("WEB_CONNECTIONS_PER_ADDRESS", "WEB_BYTES_PER_SECOND", "WEB_PATIENCE_SECONDS"),
    }
)
_read: set[str] = set()
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def text(name: str, default: str = "") -> str:
    """Return a variable without the whitespace around it."""
    _read.add(name)
    return os.environ.get(name, "").strip() or default


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


def unknown() -> list[str]:
    """Return variables that are set, begin like ours, and were not read: misspelt, or of another release."""
    names = {name for name, value in os.environ.items() if value}
    return sorted(name for name in names - _read if name in _ENDED or name.startswith(_OURS))


def url(name: str) -> str:
    """Return a web address, "" if unset. Raises ImproperlyConfigured for anything else."""
    value = text(name)
    if value and not is_url(value):
        raise ImproperlyConfigured(f"{name} is {value!r}: a URL that begins with https:// is needed")
    return value


def is_url(value: str) -> bool:
    return value.startswith(("https://", "http://"))


def flag(name: str, *, default: bool = False) -> bool:
    """Return a yes/no variable. Raises ImproperlyConfigured for anything else."""
    value = text(name).lower()
    if not value:
        return default
    if value not in _TRUE | _FALSE:
        raise ImproperlyConfigured(f"{name} is {value!r}: say 1 or 0")
    return value in _TRUE


def number(name: str, default: int) -> int:
    """Return a whole number of 0 or more. Raises ImproperlyConfigured for anything else."""
    value = text(name)
    if not value:
        return default
    if not value.isdecimal():
        raise ImproperlyConfigured(f"{name} is {value!r}: a whole number is needed")
    return int(value)


def count(name: str, default: int) -> int:
    """Return a whole number of 1 or more. Raises ImproperlyConfigured for anything else."""
    value = number(name, default)
    if value < 1:
        raise ImproperlyConfigured(f"{name} is {value}: 1 is the least")
    return value


def at_most(name: str, default: int, most: int) -> int:
    """Return a whole number from 0 to `most`. Raises ImproperlyConfigured for anything else."""
    value = number(name, default)
    if value > most:
        raise ImproperlyConfigured(f"{name} is {value}: {most} is the most")
    return value


def amount(name: str) -> float | None:
    """Return a number of 0 or more, None if unset.

    Raises ImproperlyConfigured for anything else.
    """
    value = text(name)
    if not value:
        return None
    try:
        parsed = float(value)
    except ValueError:
        parsed = -1.0
    if not 0 <= parsed < float("inf"):
        raise ImproperlyConfigured(f"{name} is {value!r}: a number of 0 or more is needed")
    return parsed


def seconds(name: str, default: int) -> float:
    """Return a time of more than 0 seconds, and of a day at most. Raises ImproperlyConfigured for others."""
    value = amount(name)
    if value is None:
        return float(default)
    if not 0 < value <= _DAY_SECONDS:
        raise ImproperlyConfigured(f"{name} is {value:g}: say more than 0, and {_DAY_SECONDS} at most")
    return value


def limit(name: str) -> float | None:
    """Return a number of 0 or more; None if unset, or if the word `none` says that there is no limit.

    Raises ImproperlyConfigured for anything else.
    """
    return None if text(name).lower() == "none" else amount(name)


def words(name: str, default: str = "") -> list[str]:
    """Return the parts of a variable that are separated by commas."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def rates(name: str, default: str) -> list[str]:
    """Return limits such as 10/h and 20/d (per second, minute, hour or day); none for the word `none`.

    Raises ImproperlyConfigured for anything else.
    """
    values = words(name, default)
    if values == ["none"]:
        return []
    if any(not re.fullmatch(r"[1-9][0-9]*/[smhd]", value) for value in values):
        raise ImproperlyConfigured(
            f"{name} is {text(name)!r}: write limits such as 10/h,20/d, or none for no limit"
        )
    return values


def rate(name: str, default: str) -> str:
    """Return a limit such as 60/min. Raises ImproperlyConfigured for anything else."""
    value = text(name, default)
    if not re.fullmatch(r"[1-9][0-9]*/(s|sec|second|m|min|minute|h|hour|d|day)", value):
        raise ImproperlyConfigured(f"{name} is {value!r}: write a limit such as 60/min or 1000/hour")
    return value


def log_level(name: str) -> str:
    """Return the name of a level of the log, in capitals. Raises ImproperlyConfigured for anything else."""
    value = text(name, "INFO").upper()
    if value not in _LOG_LEVELS:
        raise ImproperlyConfigured(f"{name} is {text(name)!r}: say {', '.join(_LOG_LEVELS[:-1])} or CRITICAL")
    return value


def bind_address(name: str, default: str) -> str:
    """Return where gunicorn listens. Raises ImproperlyConfigured where the port is too high."""
    value = text(name, default)
    port = value.rpartition(":")[2]
    if port.isdecimal() and int(port) > HIGHEST_PORT:
        raise ImproperlyConfigured(f"{name} is {value!r}: {HIGHEST_PORT} is the highest port")
    return value


def server(name: str, schemes: Collection[str]) -> str:
    """Return the URL of a server, "" if unset. Raises ImproperlyConfigured for another scheme.

    The error does not show the value: it may hold a password.
    """
    value = text(name)
    scheme, separator, _rest = value.partition("://")
    if value and not (separator and scheme in schemes):
        raise ImproperlyConfigured(f"{name} is not a URL that begins with {' or '.join(schemes)}, then ://")
    return value


def hosts(name: str, default: str) -> list[str]:
    """Return names of hosts. Raises ImproperlyConfigured for a URL, and for a name with a port."""
    values = words(name, default)
    for value in values:
        if "/" in value or re.search(r":[0-9]*$", value):
            raise ImproperlyConfigured(
                f"{name} has {value!r}: write the host alone, such as board.example.org, without "
                "https:// and port"
            )
    return values


def origins(name: str) -> list[str]:
    """Return origins such as https://board.example.org. Raises ImproperlyConfigured for anything else."""
    values = words(name)
    for value in values:
        if not is_url(value):
            raise ImproperlyConfigured(f"{name} has {value!r}: an origin begins with https:// or http://")
    return values


def choice(name: str, default: str, choices: Collection[str]) -> str:
    """Return a variable that has one of a few values. Raises ImproperlyConfigured for any other."""
    value = text(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is {value!r}: say {' or '.join(choices)}")
    return value
