"""Who runs the service, and the texts that they owe its readers: at the foot of each page, where set."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from leaderboard.settings.base import ALLOWED_HOSTS, HTTPS


def _document(name: str, value: str) -> dict[str, str]:
    """Return the URL of a text elsewhere, or the content of the file that the variable `name` names.

    Raises ImproperlyConfigured where the file cannot be read.
    """
    if not value or env.is_url(value):
        return {"url": value, "text": ""}
    try:
        return {"url": "", "text": Path(value).read_text()}
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name} is neither a URL nor a text file in UTF-8: {error}") from error


def _address() -> str:
    """Return where the service is reached, as far as other settings say so."""
    host = next((name for name in ALLOWED_HOSTS if name != "*"), "localhost").removeprefix(".")
    return f"{'https' if HTTPS else 'http'}://{host}"


# For links in emails that no request asked for, without a slash at the end.
SITE_URL = (env.url("SITE_URL") or _address()).rstrip("/")
# For a proxy that changes the host of requests: the origin of their pages.
CSRF_TRUSTED_ORIGINS = [SITE_URL] if env.text("SITE_URL") else []
_contact = env.text("CONTACT")
_licence = env.text("DATA_LICENCE")
SITE: dict[str, Any] = {
    "organiser": env.text("ORGANISER"),
    "contact": _contact,
    "contact_url": _contact if env.is_url(_contact) else f"mailto:{_contact}" if "@" in _contact else "",
    # Under which readers may use the published results: a name such as CC BY 4.0, or a URL.
    "data_licence": _licence,
    "data_licence_url": _licence if env.is_url(_licence) else "",
    "terms": _document("TERMS", env.text("TERMS")),
    "privacy": _document("PRIVACY", env.text("PRIVACY")),
    "citation": _document("CITATION", env.text("CITATION")),
}
