"""Addresses of the service."""

from django.contrib import admin
from django.urls import include, path

from leaderboard.api.urls import health_urlpatterns
from leaderboard.web.errors import not_found, server_error

urlpatterns = [
    path("api/", include("leaderboard.api.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    *health_urlpatterns,
    path("", include("leaderboard.web.urls")),
]
handler404 = not_found
handler500 = server_error
