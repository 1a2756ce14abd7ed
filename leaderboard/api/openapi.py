"""The OpenAPI document and its pages."""

import json
from functools import cache

from django.http import HttpResponse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularSwaggerSplitView

from leaderboard.api import documents
from leaderboard.api.boards import PublicView


class ApiTokenScheme(OpenApiAuthenticationExtension):
    target_class = "leaderboard.api.authentication.ApiTokenAuthentication"
    name = "apiToken"

    def get_security_definition(self, auto_schema):
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A personal API token, made on your Tokens page: `Authorization: Bearer wb_…`",
        }


class BrowserSessionScheme(OpenApiAuthenticationExtension):
    target_class = "leaderboard.api.authentication.BrowserSessionAuthentication"
    name = "browserSession"

    def get_security_definition(self, auto_schema):
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "Signed in to the pages; this page sends it by itself.",
        }


class OpenApi(PublicView):
    @documents.undocumented
    def get(self, request):
        return HttpResponse(_document(), content_type="application/vnd.oai.openapi+json")


@cache
def _document() -> bytes:
    # The same for everybody for as long as the process lives, and slow to make.
    return json.dumps(SchemaGenerator().get_schema(request=None, public=True), ensure_ascii=False).encode()


class SwaggerUi(SpectacularSwaggerSplitView):
    """The document as a page that can send requests.

    Its files are served by us, so no network is needed, and it runs under the policy of all pages:
    the start-up script comes from an address of its own, and the template has no inline style.
    """

    authentication_classes = []
    permission_classes = []
    url_name = "api:openapi"
    template_name = "api/docs.html"
