"""Count requests and their seconds, by name of the route."""

from collections.abc import Callable
from time import perf_counter

from django.http import HttpRequest, HttpResponse

from leaderboard.monitoring import metrics

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def request_metrics(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: count a request once its response begins."""

    def middleware(request: HttpRequest) -> HttpResponse:
        started = perf_counter()
        response = get_response(request)
        # Without a route: static files, unknown addresses, and requests that were refused before.
        route = request.resolver_match.view_name if request.resolver_match else "none"
        method = request.method if request.method in _METHODS else "other"
        metrics.REQUESTS.labels(route, method, str(response.status_code)).inc()
        metrics.REQUEST_SECONDS.labels(route).observe(perf_counter() - started)
        return response

    return middleware
