"""Limits on how often something may be requested. They soften a flood, and refuse nobody by mistake."""

from rest_framework.request import Request
from rest_framework.throttling import ScopedRateThrottle, SimpleRateThrottle, UserRateThrottle
from rest_framework.views import APIView

from leaderboard.networks import network_of


class _OfNetworks(SimpleRateThrottle):
    """Count IPv6 addresses of one /64 as one."""

    def get_ident(self, request: Request) -> str:
        address = super().get_ident(request) or ""
        return network_of(address) or address

    num_requests: int
    duration: int

    def charge(self, request: Request, view: APIView) -> None:
        """Count a request as half of those that are allowed: its file took too long to read."""
        if self.allow_request(request, view) and self.key:
            self.history[:0] = [self.now] * (self.num_requests // 2)
            self.cache.set(self.key, self.history, self.duration)


class RequestThrottle(_OfNetworks, ScopedRateThrottle):
    """Count the requests of an account, or of an address where nobody is signed in."""


class PostThrottle(RequestThrottle):
    """Count requests that change something; reading the state of a submission stays free."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        return request.method != "POST" or bool(super().allow_request(request, view))


class CheckThrottle(_OfNetworks, UserRateThrottle):
    """Limit the forms with files to the rate of the API's dry run."""

    scope = "validations"
