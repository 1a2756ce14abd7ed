"""Metrics that each process of the web server counts itself; services.health.figures reads the others.

Labels are names of routes, statuses and reasons: few values, and never a path, a team or a figure of a
result. With gunicorn the counts of all its processes are added up (see leaderboard/gunicorn.py).
"""

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

_REGISTRY = CollectorRegistry()

REQUESTS = Counter(
    "wardboard_http_requests",
    "Requests by name of the route, method and status.",
    ["route", "method", "status"],
    registry=_REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "wardboard_http_request_seconds",
    "Seconds until the response began, by name of the route.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
    registry=_REGISTRY,
)
REFUSED = Counter(
    "wardboard_files_refused",
    "Files that were not taken, by reason: the codes of services.errors.",
    ["reason"],
    registry=_REGISTRY,
)
SIGN_INS_REFUSED = Counter(
    "wardboard_sign_ins_refused",
    "Attempts to sign in after too many wrong passwords.",
    registry=_REGISTRY,
)


def server_registry() -> CollectorRegistry:
    registry = CollectorRegistry()
    try:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    except ValueError:
        # This process is the only one: there is no folder for the counts of several.
        return _REGISTRY
    return registry
