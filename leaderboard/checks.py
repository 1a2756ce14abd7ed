"""System checks, which manage.py, gunicorn and the workers run at their start."""

import logging
from typing import Any

from django.conf import settings
from django.core.checks import Error, Tags, Warning, register, run_checks

from leaderboard import secret_key
from leaderboard.services.files import installation
from leaderboard.services.record.keys import check_signing_key
from wardboard.scoring import registry

logger = logging.getLogger(__name__)

_SHORTEST, _FEWEST_CHARACTERS = 32, 10
# The placeholders for a key in documents and examples.
_EXAMPLES = ("django-insecure-", "changeme", "change-me", "secret", "only-for-development", "50 or more")


@register(Tags.security)
def check_secret_key(app_configs: Any, **_: Any) -> list[Error]:
    """Refuse a SECRET_KEY, and an earlier one, that could be guessed; with DEBUG, only one that is known."""
    # What an earlier key signs is valid, too.
    make = "Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
    remove = "Remove it: someone who guesses it can sign in as any person."
    keys = [("SECRET_KEY", settings.SECRET_KEY, make)]
    keys += [("A key in SECRET_KEY_FALLBACKS", key, remove) for key in settings.SECRET_KEY_FALLBACKS]
    return [
        Error(f"{name} can be guessed: {reason}.", hint=hint, id="wardboard.E001")
        for name, key, hint in keys
        if (reason := _why_guessable(key))
    ]


def _why_guessable(key: str) -> str:
    if secret_key.is_committed(key):
        return "it was published with the sources of this service"
    if settings.DEBUG:
        return ""
    if len(key) < _SHORTEST:
        return f"it has {len(key)} characters, and {_SHORTEST} are the fewest that are safe"
    if len(set(key)) < _FEWEST_CHARACTERS:
        return f"it repeats {len(set(key))} characters"
    return "it is an example" if key.lower().startswith(_EXAMPLES) else ""


@register()
def check_plugins(app_configs: Any = None, **_: Any) -> list[Warning]:
    """Name benchmarks of other distributions that cannot be used. The service runs without them."""
    return [
        Warning(problem.message, hint=problem.hint, id="wardboard.W002")
        for problem in registry.PLUGIN_PROBLEMS
    ]


register(check_signing_key, Tags.security)


def check_at_start() -> None:
    """End the process where a security check finds an error, or tables or uploads are not its own.

    Errors of plugins are logged; the others are served.
    """
    errors = [message for message in run_checks(tags=[Tags.security]) if message.is_serious()]
    if errors:
        raise SystemExit("\n".join(f"Wardboard does not start. {error.msg} {error.hint}" for error in errors))
    for message in check_plugins():
        logger.error("%s %s", message.msg, message.hint)
    installation.check_at_start()
