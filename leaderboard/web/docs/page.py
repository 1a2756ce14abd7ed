"""The pages of the documents: the index, a document, and the files that it offers."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render as render_template
from django.utils.functional import Promise
from django.views.decorators.http import require_safe

from leaderboard.web.docs.library import Document, find, sections
from leaderboard.web.docs.markdown import Rendered, render
from leaderboard.web.shared.caching import site_cached

_KINDS = {".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml"}


@require_safe
@site_cached
def index(request: HttpRequest) -> HttpResponse:
    """List what readers want, each with the document that answers it."""
    return render_template(request, "web/docs/index.html", {"sections": _sections()})


@require_safe
@site_cached
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a document, in English where it has no translation."""
    context = {"document": render(_document(slug)), "sections": _sections()}
    return render_template(request, "web/docs/page.html", context)


@require_safe
def download(request: HttpRequest, slug: str, name: str) -> FileResponse:
    """Serve a picture in a document, or a file that it links to, such as a small valid example."""
    document = _document(slug)
    if name not in document.files:
        raise Http404(name)
    kind = _KINDS.get(document.files[name].suffix, "text/plain; charset=utf-8")
    return FileResponse(
        document.files[name].open("rb"),
        as_attachment=not kind.startswith("image/"),
        filename=name,
        content_type=kind,
    )


def _document(slug: str) -> Document:
    document = find(slug)
    if document is None:
        raise Http404(slug)
    return document


def _sections() -> list[tuple[Promise, list[tuple[Rendered, Promise | str]]]]:
    return [
        (reader, [(render(document), wish) for document, wish in wanted]) for reader, wanted in sections()
    ]
