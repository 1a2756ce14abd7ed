"""Where the address of the service and the token for it come from, and where they are kept.

In a CI job, the environment names them, or the job has an identity (`job_identity`). On a laptop, `wardboard
login` has kept them in a file that only its owner can read.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

from wardboard.errors import WrongUse

URL_VARIABLE, TOKEN_VARIABLE, TEAM_VARIABLE = "WARDBOARD_URL", "WARDBOARD_TOKEN", "WARDBOARD_TEAM"


def find_url() -> str:
    """Return the address of the service: of the environment, or that of the last login. Raises WrongUse."""
    url = os.environ.get(URL_VARIABLE, "").strip() or _read().get("url", "")
    if not url:
        raise WrongUse(f"no service is named: set {URL_VARIABLE} (`url` in the Action) or `wardboard login`")
    return url


def kept_token(url: str) -> tuple[str, str]:
    """Return the token that is kept for `url` and where, both "" without one."""
    token = _read().get(_key(url), "")
    return token, str(_path()) if token else ""


def keep_token(url: str, token: str) -> str:
    """Keep a token for the service at `url`, which becomes the default one; return where it is kept."""
    _write({**_read(), "url": url, _key(url): token})
    return str(_path())


def forget_token(url: str) -> bool:
    """Remove the token for `url`; return whether there was one."""
    kept = dict(_read())
    was_there = kept.pop(_key(url), None) is not None
    _write(kept)
    return was_there


def _key(url: str) -> str:
    return f"token {url.rstrip('/')}"


def _path() -> Path:
    return Path(click.get_app_dir("wardboard")) / "credentials.json"


def _read() -> Mapping[str, str]:
    try:
        kept = json.loads(_path().read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise WrongUse(f"cannot read {_path()}: {error}") from None
    return kept if isinstance(kept, dict) else {}


def _write(kept: Mapping[str, str]) -> None:
    """Replace the file at once; only its owner can read it."""
    path = _path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Its mode is 0600 from the start.
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "w") as file:
            json.dump(dict(kept), file)
        Path(name).replace(path)
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {error.strerror}") from None
