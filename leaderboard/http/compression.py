"""Compress answers, but none that has a secret beside a stranger's text.

Whoever chooses a part of a compressed answer and sees its length can guess a secret in it (BREACH), such as a
CSRF token or what a reader alone may see, by requests from the reader's browser, which sends cookies. So an
answer is compressed where it is the same for everyone, or where no cookie came and none goes. A proxy cannot
tell.
"""

import gzip
import re

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware, re_accepts_gzip

_TEXTS = re.compile(r"text/|application/(problem\+|x-)?(json|tex|bibtex)|(application/atom|image/svg)\+xml")


class AnswerCompression(GZipMiddleware):
    """Compress what may be, and unpack a compressed page for a client that does not take it."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if "Content-Encoding" not in response.headers and _may_compress(request, response):
            return super().process_response(request, response)
        takes_gzip = re_accepts_gzip.search(request.headers.get("Accept-Encoding", ""))
        if isinstance(response, HttpResponse) and "Content-Encoding" in response.headers and not takes_gzip:
            response.content = gzip.decompress(response.content)
            response.headers["Content-Length"] = str(len(response.content))
            del response.headers["Content-Encoding"]
        return response


def pack(response: HttpResponse) -> None:
    """Compress a page that is the same for everyone; `AnswerCompression` unpacks it where needed."""
    response.content = gzip.compress(response.content, compresslevel=6, mtime=0)
    response.headers["Content-Encoding"] = "gzip"


def _may_compress(request: HttpRequest, response: HttpResponseBase) -> bool:
    control, kind = (response.headers.get(name, "") for name in ("Cache-Control", "Content-Type"))
    is_without_cookies = not request.COOKIES and not response.cookies and "no-store" not in control
    return bool(_TEXTS.match(kind)) and ("public" in control or is_without_cookies)
