"""Set Wardboard up in a folder and serve it: `wardboard serve`, `make run`, `python -m leaderboard.serve`."""

# Django is imported once the environment, which it reads, is complete.
# ruff: noqa: PLC0415

import os
import socket
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env, secret_key


def main() -> None:
    """Make the key, the tables and the static files, load the demonstration, and become the server.

    The demonstration is loaded where only this machine reaches the service and no leaderboard has hidden
    reference answers; always with DEMO=1, never with DEMO=0.
    """
    # Other users can read nothing that the service writes, also where SECRET_KEY is given.
    os.umask(0o077)
    try:
        port = env.number("PORT", 8000, most=env.HIGHEST_PORT)
        options = _complete_environment(port)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    import django
    from django.core.management import CommandError, call_command

    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        sys.exit(f"Wardboard cannot listen on port {port}: is it in use? Choose another one with PORT=8080.")
    django.setup()
    try:
        call_command("migrate", verbosity=0)
    except CommandError as error:
        sys.exit(str(error))
    call_command("collectstatic", interactive=False, verbosity=0)
    if options is not None:
        call_command("load_demo", address=_address(port), **options)
    else:
        print(f"Wardboard   {_address(port)}/   (DEMO=0: no demonstration, no account)")
    sys.stdout.flush()
    command = [sys.executable, "-m", "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"]
    os.execv(sys.executable, command)  # noqa: S606 (no shell)


def _address(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _complete_environment(port: int) -> dict[str, bool] | None:
    """Set what the environment leaves open; return the options of `load_demo`, None to load nothing."""
    defaults = {
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "WARDBOARD_DATA": str(Path.cwd() / "var"),
        "SITE_URL": "" if env.flag("HTTPS") else _address(port),
    }
    os.environ.update({name: value for name, value in defaults.items() if not env.text(name)})
    os.environ.update(BIND=f"127.0.0.1:{port}")
    if not env.text("SECRET_KEY"):
        os.environ.update(SECRET_KEY=secret_key.read_or_make())
    if not env.text("DEMO"):
        return {"if_local": True}
    return {} if env.flag("DEMO") else None


if __name__ == "__main__":
    main()
