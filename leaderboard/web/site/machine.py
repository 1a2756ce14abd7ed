"""What programs ask a site for first: robots.txt (RFC 9309) and the sitemap (sitemaps.org)."""

from collections.abc import Sequence

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps import views as sitemap_views
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.services.boards.system import public_models
from leaderboard.web.docs.library import sections
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
        places += [("docs-page", (doc.slug,)) for _reader, wanted in sections() for doc, _wish in wanted]
        places += [("model", (name,)) for name in public_models()]
        slugs = Board.objects.installed().order_by("position", "slug").values_list("slug", flat=True)
        return [*places, *((name, (slug,)) for slug in slugs for name in _BOARD_PAGES)]

    def location(self, item: Place) -> str:
        name, args = item
        return reverse(f"web:{name}", args=args)


@require_safe
@site_cached
def sitemap(request: HttpRequest) -> HttpResponse:
    return sitemap_views.sitemap(request, sitemaps={"pages": PublicPages}).render()


@require_safe
@site_cached
def robots(request: HttpRequest) -> HttpResponse:
    """Keep crawlers off pages that belong to one reader, and name the sitemap."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _PRIVATE)]
    lines += ["", f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")
