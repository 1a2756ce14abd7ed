"""System checks, which manage.py, gunicorn and the workers run at their start."""

import logging
from typing import Any

from django.conf import settings
from django.core.checks import Error, Tags, register, run_checks

from leaderboard.services.judging.judge import check_day_budget, check_declaration
from leaderboard.services.record.keys import check_signing_key

logger = logging.getLogger(__name__)

_SHORTEST, _FEWEST_CHARACTERS = 32, 10
# The placeholders for a key in documents and examples.
_EXAMPLES = ("django-insecure-", "changeme", "change-me", "secret", "only-for-development", "50 or more")


@register(Tags.security)
def check_secret_key(app_configs: Any, **_: Any) -> list[Error]:
    """Refuse a SECRET_KEY that could be guessed, except with DEBUG."""
    key = settings.SECRET_KEY
    if settings.DEBUG:
        return []
    if len(key) < _SHORTEST:
        reason = f"it has {len(key)} characters, and {_SHORTEST} are the fewest that are safe"
    elif len(set(key)) < _FEWEST_CHARACTERS:
        reason = f"it repeats {len(set(key))} characters"
    elif key.lower().startswith(_EXAMPLES):
        reason = "it is an example"
    else:
        return []
    hint = "Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
    return [Error(f"SECRET_KEY can be guessed: {reason}.", hint=hint, id="wardboard.E001")]


register(check_signing_key, Tags.security)
register(check_day_budget, "judge")
register(check_declaration, "judge")


def check_at_start() -> None:
    """End the process where a security check finds an error, and log errors of the judge's settings.

    Those concern leaderboards that an LLM judges; the others are served all the same.
    """
    errors = [message for message in run_checks(tags=[Tags.security]) if message.is_serious()]
    if errors:
        raise SystemExit("\n".join(f"Wardboard does not start. {error.msg} {error.hint}" for error in errors))
    for message in (*check_day_budget(), *check_declaration()):
        logger.error("%s %s", message.msg, message.hint)
