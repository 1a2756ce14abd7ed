"""The page about the site, with its privacy notice."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.web.shared.caching import site_cached


@require_safe
@site_cached
def about_site(request: HttpRequest) -> HttpResponse:
    return render(request, "web/site/about.html", {"days": settings.SESSION_COOKIE_AGE // 86_400})
