"""The service about itself: is it alive, where is what, what does a problem mean."""

import logging

from django.db import DatabaseError, connection
from django.http import Http404, JsonResponse
from django.urls import Resolver404, resolve, reverse
from rest_framework.exceptions import NotFound
from rest_framework.response import Response

from leaderboard.api import documents
from leaderboard.api.boards import PublicView
from leaderboard.api.problems import KINDS, MEDIA_TYPE, describe, document

logger = logging.getLogger(__name__)


def healthz(request):
    """Say whether the process answers and its database too: 200, or 503. Knows nothing worth hiding."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        logger.exception("health check: the database does not answer")
        said = document("unavailable", "The database does not answer.", instance=request.path)
        return JsonResponse(said, status=503, content_type=MEDIA_TYPE)
    return JsonResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


class Health(PublicView):
    @documents.health
    def get(self, request):
        return healthz(request)


class Root(PublicView):
    @documents.root
    def get(self, request):
        names = ("benchmarks", "submissions", "validations", "openapi", "health")
        return Response({name: reverse(f"api:{name}") for name in (*names, "docs")})


class Problems(PublicView):
    @documents.undocumented
    def get(self, request):
        return Response({"problems": [describe(code) for code in KINDS]})


class ProblemKind(PublicView):
    """What the `type` of a problem document points at."""

    @documents.undocumented
    def get(self, request, code: str):
        if code not in KINDS:
            raise NotFound("There is no such problem type; GET /api/problems/ lists them.")
        return Response(describe(code))


class Nothing(PublicView):
    """Every address under /api/ that is no address."""

    schema = None

    def initial(self, request, *args, **kwargs):
        try:
            match = resolve(f"{request.path_info}/")
        except Resolver404:
            raise Http404 from None
        if match.url_name != "nothing":
            raise NotFound("There is nothing at this address. With a slash at its end there is.")
        raise Http404
