"""Problem documents for what goes wrong under /api/ outside of the API's views."""

from leaderboard.api.errors import BY_STATUS, unexpected
from leaderboard.api.problems import KINDS, MEDIA_TYPE, respond

_PREFIX = "/api/"


def problem_documents(get_response):
    """Far out, so that an unknown host, or an error in another middleware, is answered in kind too."""

    def middleware(request):
        response = get_response(request)
        if response.status_code < 400 or not request.path_info.startswith(_PREFIX):
            return response
        if response.headers.get("Content-Type") == MEDIA_TYPE:
            return response
        code = BY_STATUS.get(response.status_code)
        if code is None:
            # Django has logged the trace already; this line joins it to what the client was told.
            return unexpected(request, None)
        return respond(code, f"{KINDS[code].title}.", request=request)

    return middleware
