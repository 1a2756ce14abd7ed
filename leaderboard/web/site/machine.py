"""What programs ask a site for first: robots.txt, the sitemap and llms.txt.

Sources: RFC 9309 (robots.txt), sitemaps.org, llmstxt.org.
"""

from collections.abc import Sequence

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps import views as sitemap_views
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.web.docs.library import sections
from leaderboard.web.docs.markdown import render
from leaderboard.web.shared.caching import site_cached

# Pages that nobody looks for: accounts, and what belongs to one team. Not /review/: a crawler that may not
# read such a page does not see that it must not be indexed, and lists an address that someone linked to.
_PRIVATE = ("/accounts/", "/account/", "/admin/", "/submissions/", "/organise/", "/embed/")
_BOARD_PAGES = ("board", "about", "changes")

Place = tuple[str, tuple[str, ...]]


class PublicPages(Sitemap):  # type: ignore[type-arg]  # generic in the stubs alone
    """The pages that are the same for everyone, in each language."""

    i18n = True
    alternates = True

    def items(self) -> Sequence[Place]:
        places: list[Place] = [("front", ()), ("docs", ()), ("about-site", ()), ("choose", ())]
        places += [("docs-page", (doc.slug,)) for _title, documents in sections() for doc in documents]
        slugs = Board.objects.installed().order_by("position", "slug").values_list("slug", flat=True)
        return [*places, *((name, (slug,)) for slug in slugs for name in _BOARD_PAGES)]

    def location(self, item: Place) -> str:
        name, args = item
        return reverse(f"web:{name}", args=args)

    def get_protocol(self, protocol: str | None = None) -> str:
        return protocol or "https"


@require_safe
@site_cached
def sitemap(request: HttpRequest) -> HttpResponse:
    """List the public pages for search engines."""
    return sitemap_views.sitemap(request, sitemaps={"pages": PublicPages}).render()


@require_safe
@site_cached
def robots(request: HttpRequest) -> HttpResponse:
    """Keep crawlers off pages that belong to one reader, and name the sitemap."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _PRIVATE)]
    lines += ["", f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@require_safe
@site_cached
def llms(request: HttpRequest) -> HttpResponse:
    """Tell language models in a page of Markdown what is here and where."""

    def link(title: str, name: str, *args: object, about: str = "") -> str:
        address = request.build_absolute_uri(reverse(name, args=args))
        return f"- [{title}]({address})" + (f": {about}" if about else "")

    lines = [
        "# Wardboard",
        "",
        "> Leaderboards of clinical AI agent benchmarks. Result files are scored by the official graders' "
        "rules (MedAgentBench, retrieval) or by the judge that each row names, against reference answers "
        "that are hidden unless a leaderboard says otherwise, with confidence intervals and paired tests.",
        "",
        "## Leaderboards",
        "",
    ]
    for board in Board.objects.installed().order_by("position", "slug"):
        lines.append(link(board.title, "web:board", board.slug, about=board.question))
        lines.append(link(f"{board.title} as JSON", "web:board-json", board.slug))
    for title, documents in sections():
        lines += ["", f"## {title}", ""]
        texts = map(render, documents)
        lines += [link(text.title, "web:docs-page", text.slug, about=text.summary) for text in texts]
    lines += [
        "",
        "## API",
        "",
        link("OpenAPI document", "api:openapi"),
        link("API reference", "api:docs"),
        "",
    ]
    return HttpResponse("\n".join(lines), content_type="text/markdown; charset=utf-8")
