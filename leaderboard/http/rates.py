"""Limits on how often something may be requested. They soften a flood, and refuse nobody by mistake."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle, BaseThrottle, ScopedRateThrottle, SimpleRateThrottle
from rest_framework.views import APIView

from leaderboard.networks import network_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """A limit and what is left of it.

    name: of lower-case letters and hyphens
    allowed: in each window of `window` seconds; without a window, in all
    left: what remains. renews_in: seconds until more is left; None where waiting does not help
    """

    name: str
    allowed: int
    left: int
    window: int | None = None
    renews_in: int | None = None


def headers_of(limits: Sequence[RateLimit]) -> dict[str, str]:
    """Return the limits as headers. Source: draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4."""
    policies = (_item(limit.name, q=limit.allowed, w=limit.window) for limit in limits)
    states = (_item(limit.name, r=limit.left, t=limit.renews_in) for limit in limits)
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(states)}


def _item(name: str, **parameters: int | None) -> str:
    stated = (f";{key}={value}" for key, value in parameters.items() if value is not None)
    return f'"{name}"' + "".join(stated)


def state_of(throttle: BaseThrottle) -> RateLimit | None:
    """Return what is left of a limit on requests; None where it did not count this one."""
    if not isinstance(throttle, SimpleRateThrottle) or not hasattr(throttle, "history"):
        return None
    # REST framework's types do not know what a throttle keeps.
    kept: Any = throttle
    oldest = kept.history[-1] if kept.history else kept.now
    return RateLimit(
        name=kept.scope,
        allowed=kept.num_requests,
        left=max(0, kept.num_requests - len(kept.history)),
        window=kept.duration,
        renews_in=max(0, math.ceil(kept.duration - (kept.now - oldest))),
    )


class _OfNetworks(SimpleRateThrottle):
    """Count IPv6 addresses of one /64 as one."""

    def get_ident(self, request: Request) -> str:
        address = super().get_ident(request) or ""
        return network_of(address) or address


class RequestThrottle(_OfNetworks, ScopedRateThrottle):
    """Count the requests of an account, or of an address where nobody is signed in."""


class PostThrottle(RequestThrottle):
    """Count requests that change something; reading the state of a submission stays free."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        return request.method != "POST" or bool(super().allow_request(request, view))


class CheckThrottle(_OfNetworks, AnonRateThrottle):
    """Limit checks to the rate of the API's dry run, for visitors who are not signed in."""

    scope = "validations"
