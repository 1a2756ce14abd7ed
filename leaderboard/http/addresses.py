"""The network addresses of clients."""

from typing import cast

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from leaderboard.networks import address_digest


class _Throttle(BaseThrottle):
    """Knows how many proxies to trust (settings.REST_FRAMEWORK)."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        raise NotImplementedError


def client_address(request: HttpRequest) -> str:
    """Return the address of the client, as the nearest trusted proxy gives it; "" where there is none."""
    # REST framework reads nothing but META here.
    return _Throttle().get_ident(cast(Request, request)) or ""


def sender_digest(request: HttpRequest) -> str:
    """Return a keyed digest of the client's address; "" where there is none."""
    address = client_address(request)
    return address_digest(address)
