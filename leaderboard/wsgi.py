"""The WSGI application."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.wsgi import get_wsgi_application

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
_django = get_wsgi_application()
# How long a thread may run while others wait to. A page asks the database several times; while another thread
# scores a file, it would wait five milliseconds, Python's default, after each answer.
sys.setswitchinterval(0.001)
_CHUNK = 256 * 1024  # bytes
_CHARSET = re.compile(r";\s*charset=[^;]*", re.IGNORECASE)


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Serve a request. URLs and forms are UTF-8, whatever charset the client states."""
    # Django decodes the URL by the charset of the body: one that is not a text encoding, such as bz2_codec,
    # would raise an error that nothing catches.
    if "charset" in environ.get("CONTENT_TYPE", "").lower():
        environ["CONTENT_TYPE"] = _CHARSET.sub("", environ["CONTENT_TYPE"])
    response = _django(environ, start_response)
    if settings.BEHIND_PROXY:
        # The proxy has the whole body, and nginx gives up with a 502 where it cannot send all of it.
        while environ["wsgi.input"].read(_CHUNK):
            pass
    return response
