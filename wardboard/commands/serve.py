"""`wardboard serve`: run the service that is installed beside the command."""

import os
import sys
from pathlib import Path

import click

from wardboard.errors import WrongUse

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command(help="Serve leaderboards from this machine, with a demonstration. It needs wardboard-server.")
@click.option("--port", type=click.IntRange(1, 65535), help="where it listens on 127.0.0.1 [8000]")
@click.option("--data", type=_FOLDER, help="folder of its database and files [./var]")
def serve(port: int | None, data: Path | None) -> None:
    _require_service()
    if port is not None:
        os.environ["PORT"] = str(port)
    if data is not None:
        os.environ["WARDBOARD_DATA"] = str(data.absolute())
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "leaderboard.serve"])  # noqa: S606 (no shell)


def _require_service() -> None:
    """Raise WrongUse where `python -m leaderboard.serve` would find no service.

    The command imports nothing of the service, which may not be installed.
    """
    # With -m, Python looks into the working folder first.
    for folder in (Path.cwd(), *map(Path, sys.path)):
        package = folder / "leaderboard"
        if all((package / name).is_file() for name in ("serve.py", "secret_key.py")):
            return
        if (package / "__init__.py").is_file() or package.with_suffix(".py").is_file():
            # The package of a stranger.
            break
    raise WrongUse("the service is not installed: pip install wardboard-server")
