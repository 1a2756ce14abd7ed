"""What all views of the API share."""

from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.views import APIView

from leaderboard.api.bodies import FieldsParser, UploadParser, fields_body, upload_body
from leaderboard.models import Team
from leaderboard.services.accounts import personal_team


class OneRenderer(BaseContentNegotiation):
    """There is one format of response, so `Accept` decides nothing. Source: RFC 9110, section 12.4.1."""

    def select_parser(self, request, parsers):
        return parsers[0]

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    """A view whose body is bounded."""

    content_negotiation_class = OneRenderer
    http_method_names = ["get", "head", "post"]
    parser_classes = [FieldsParser]

    @staticmethod
    def body_of(request):
        return fields_body(request)

    def initialize_request(self, request, *args, **kwargs):
        made = super().initialize_request(request, *args, **kwargs)
        made._stream = self.body_of(request)
        return made

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        if self.authentication_classes:
            # A team sees more of its own.
            patch_vary_headers(response, ["Authorization", "Cookie"])
        return response


class UploadView(ApiView):
    """A view that a file is sent to."""

    parser_classes = [UploadParser]

    @staticmethod
    def body_of(request):
        return upload_body(request)


def team_of(request) -> Team:
    """Return the team that the request acts for. NotAuthenticated for nobody."""
    if not request.user.is_authenticated:
        raise NotAuthenticated()
    return personal_team(request.user)
