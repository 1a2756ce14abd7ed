"""The pages of the documents: the index, a document, and the files that it offers."""

from dataclasses import dataclass

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render as render_template
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from leaderboard.web.docs.library import Document, find, sections
from leaderboard.web.docs.markdown import Rendered, render
from leaderboard.web.shared.caching import site_cached
from leaderboard.web.shared.language import as_tag

_KINDS = {".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument:
    """A document as the index and the page show it. language: the tag of the language of its text."""

    slug: str
    text: Rendered
    language: str
    is_translated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSection:
    title: Promise
    entries: tuple[ListedDocument, ...]


@require_safe
@site_cached
def index(request: HttpRequest) -> HttpResponse:
    """List all documents, with the first paragraph of each."""
    return render_template(request, "web/docs/index.html", {"sections": _entry_sections()})


@require_safe
@site_cached
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a document, in English where it has no translation."""
    entry = _entry(_document(slug))
    context = {"entry": entry, "document": entry.text, "sections": _entry_sections()}
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


def _entry(document: Document) -> ListedDocument:
    language = get_language() or "en"
    text = render(document, language)
    tag = text.locale.replace("_", "-")
    return ListedDocument(slug=document.slug, text=text, language=tag, is_translated=tag == as_tag(language))


def _entry_sections() -> list[ListedSection]:
    return [
        ListedSection(title=section.title, entries=tuple(map(_entry, section.documents)))
        for section in sections()
    ]
