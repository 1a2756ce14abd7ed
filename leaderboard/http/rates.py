"""Limits on how often something may be requested. They soften a flood, and refuse nobody by mistake."""

import logging

from rest_framework.request import Request
from rest_framework.throttling import AnonRateThrottle, ScopedRateThrottle, SimpleRateThrottle
from rest_framework.views import APIView

from leaderboard.monitoring.withheld import describe
from leaderboard.services import outages

logger = logging.getLogger(__name__)


class _Lenient(SimpleRateThrottle):
    """Let a request pass where the cache that counts does not answer; the database still has its limits."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        try:
            return bool(super().allow_request(request, view))
        except Exception as error:
            if not outages.is_cache_away(error):
                raise
            logger.warning("a request was not counted: %s", describe(error))
            return True


class RequestThrottle(_Lenient, ScopedRateThrottle):
    """Count the requests of an account, or of an address where nobody is signed in."""


class PostThrottle(RequestThrottle):
    """Count requests that change something; reading the state of a submission stays free."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        return request.method != "POST" or super().allow_request(request, view)


class CheckThrottle(_Lenient, AnonRateThrottle):
    """Limit checks to the rate of the API's dry run, for visitors who are not signed in."""

    scope = "validations"
