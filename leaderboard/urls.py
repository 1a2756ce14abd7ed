"""Addresses of the service."""

from django.contrib import admin
from django.urls import include, path

from leaderboard.api.urls import health_urlpatterns
from leaderboard.web.errors import bad_request, forbidden, not_found, server_error

urlpatterns = [
    path("api/", include("leaderboard.api.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    *health_urlpatterns,
    path("", include("leaderboard.web.urls")),
]
handler400 = bad_request
handler403 = forbidden
handler404 = not_found
handler500 = server_error
