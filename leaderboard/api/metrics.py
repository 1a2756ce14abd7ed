"""The address that Prometheus reads."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from leaderboard.monitoring.metrics import server_registry
from leaderboard.services.health.figures import ServiceFigures


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics to a client that sends METRICS_TOKEN; 404 where that is not set."""
    if not settings.METRICS_TOKEN:
        raise Http404
    given = request.headers.get("Authorization", "")
    if not constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse(
            "METRICS_TOKEN is needed, as a bearer token.\n",
            status=401,
            content_type="text/plain; charset=utf-8",
            headers={"WWW-Authenticate": "Bearer"},
        )
    figures = CollectorRegistry()
    figures.register(ServiceFigures())
    text = generate_latest(server_registry()) + generate_latest(figures)
    return HttpResponse(text, content_type=CONTENT_TYPE_PLAIN_0_0_4, headers={"Cache-Control": "no-store"})
