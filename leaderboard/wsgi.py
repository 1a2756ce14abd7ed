"""The service as a WSGI application."""

import os
import re

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
_django = get_wsgi_application()
_CHARSET = re.compile(r";\s*charset=[^;]*", re.IGNORECASE)


def application(environ, start_response):
    # Addresses and forms are UTF-8 whatever the client says. Django decodes the address by the charset of the
    # body, and where that is no text encoding (bz2_codec, say) it fails before anything could catch it.
    if "charset" in environ.get("CONTENT_TYPE", "").lower():
        environ["CONTENT_TYPE"] = _CHARSET.sub("", environ["CONTENT_TYPE"])
    return _django(environ, start_response)
