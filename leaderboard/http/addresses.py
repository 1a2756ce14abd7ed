"""The network addresses of clients."""

from typing import cast

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from leaderboard.networks import address_digest


def client_address(request: HttpRequest) -> str:
    """Return the address of the client, as the nearest trusted proxy gives it; "" where there is none."""
    # REST framework reads nothing but META here, and trusts as many proxies as its settings say.
    return BaseThrottle().get_ident(cast(Request, request)) or ""


def sender_digest(request: HttpRequest) -> str:
    """Return a keyed digest of the client's address; "" where there is none."""
    return address_digest(client_address(request))
