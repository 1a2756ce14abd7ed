"""Answer a request with an error while Sentry and OpenTelemetry are configured; print its status.

Its only argument is a word that must reach neither.
"""

import logging
import sys

import django

django.setup()

import sentry_sdk  # noqa: E402
from django.test import Client  # noqa: E402
from opentelemetry import trace  # noqa: E402

from leaderboard.web.site import pages  # noqa: E402

SECRET = sys.argv[1]


def fail(request, *_):
    answer = {"a local variable": SECRET}
    logging.getLogger("leaderboard.tests").error("about %s", SECRET)
    raise KeyError(answer["a local variable"])


pages.render = fail
client = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {SECRET}"})
client.cookies["sessionid"] = SECRET
answered = client.post("/submit/", {"text": SECRET}, headers={"Referer": f"http://{SECRET}/"})
answered = client.get(f"/about/?q={SECRET}", headers={"User-Agent": SECRET})
client.get(f"/accounts/password/reset/key/1-{SECRET}/")
client.get(f"/{SECRET}/")
sentry_sdk.flush()
trace.get_tracer_provider().force_flush()
print(answered.status_code)
