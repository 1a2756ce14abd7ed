"""What operators see of a running service."""

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env

_SHORTEST = 16
# Anyone who has it may read /metrics; without it there is no such address.
METRICS_TOKEN = env.text("METRICS_TOKEN")
if METRICS_TOKEN and len(METRICS_TOKEN) < _SHORTEST:
    raise ImproperlyConfigured(f"METRICS_TOKEN is too short: {_SHORTEST} random characters are the fewest")
# Both need the extra `observability`; "" for none.
SENTRY_DSN = env.url("SENTRY_DSN")
OTLP_ENDPOINT = env.url("OTEL_EXPORTER_OTLP_ENDPOINT")
