"""Sign in by a code that a person approves in a browser: the device authorization grant. Source: RFC 8628."""

import platform
import time
from collections.abc import Callable, Sequence

from wardboard.client.documents import shown
from wardboard.client.service import Client, Document
from wardboard.errors import RequestRefused
from wardboard.version import __version__

SCOPES = ("validate", "submit", "publish", "read")
_CLIENT_ID = "wardboard"
_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
_LONGER = 5  # seconds, where the service asks to slow down. Source: RFC 8628, section 3.5.
_LONGEST_INTERVAL, _LONGEST_LIFE = 60, 3600  # seconds
_LONGEST_HOST = 60  # characters that the service takes


def sign_in(client: Client, *, scopes: Sequence[str], show: Callable[[Document], None]) -> str:
    """Return a token that someone approved.

    scopes: of the token; () for all. show: called once with the code and the address of its page.
    Raises RequestRefused where the code is denied or expires.
    """
    code = client.request_device_code(
        client_id=_CLIENT_ID,
        client_version=__version__,
        # Leave out the domain, which the service does not need to know.
        host=platform.node().partition(".")[0][:_LONGEST_HOST],
        scope=" ".join(scopes),
    )
    show(code)
    with shown():
        interval = min(int(code["interval"]), _LONGEST_INTERVAL)
        end = time.monotonic() + min(int(code["expires_in"]), _LONGEST_LIFE)
    while True:
        time.sleep(interval)
        try:
            return client.fetch_device_token(
                client_id=_CLIENT_ID, grant_type=_GRANT_TYPE, device_code=code["device_code"]
            )
        except RequestRefused as refusal:
            error = refusal.document.get("error")
            # Wait no longer than the code lasts, even if the service keeps saying that it is pending.
            if error not in ("authorization_pending", "slow_down") or time.monotonic() > end + interval:
                raise
            interval += _LONGER if error == "slow_down" else 0
