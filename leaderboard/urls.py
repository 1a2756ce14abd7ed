"""URLs of the service."""

from allauth.account import views as account_views
from allauth.account.decorators import secure_admin_login
from allauth.mfa.totp.views import activate_totp
from allauth.mfa.webauthn.views import add_webauthn
from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path

from leaderboard.api.urls import health_urlpatterns
from leaderboard.http.readers import reader_of
from leaderboard.services.access import may_use_admin
from leaderboard.web.accounts.addresses import AddressesView
from leaderboard.web.accounts.guards import in_one_transaction, signed_in_recently
from leaderboard.web.accounts.providers.urls import callback_urlpatterns
from leaderboard.web.shared.error_pages import bad_request, server_error
from leaderboard.web.shared.second_factor import ask_for_second_factor
from leaderboard.web.site import machine

# The admin's own sign-in form does not limit attempts; superusers sign in like everyone else.
admin.site.login = ask_for_second_factor(secure_admin_login(admin.site.login))  # type: ignore[method-assign]  # as allauth documents
admin.site.has_permission = lambda request: may_use_admin(reader_of(request))  # type: ignore[method-assign]

urlpatterns = [
    path("api/", include("leaderboard.api.urls")),
    path("admin/", admin.site.urls),
    *health_urlpatterns,
    path("robots.txt", machine.robots, name="robots"),
    path("sitemap.xml", machine.sitemap, name="sitemap"),
    path("accounts/", include(callback_urlpatterns)),
    *i18n_patterns(
        # Before allauth's pages at the same addresses.
        path("accounts/signup/", in_one_transaction(account_views.signup), name="account_signup"),
        # It may link an account elsewhere, which waits for the password.
        path(
            "accounts/reauthenticate/",
            in_one_transaction(account_views.reauthenticate),
            name="account_reauthenticate",
        ),
        path("accounts/email/", AddressesView.as_view(), name="account_email"),
        # allauth lets people who have neither a password nor a factor add one at once.
        path("accounts/2fa/totp/activate/", signed_in_recently(activate_totp), name="mfa_activate_totp"),
        path("accounts/2fa/webauthn/add/", signed_in_recently(add_webauthn), name="mfa_add_webauthn"),
        path("accounts/2fa/", include("allauth.mfa.urls")),
        path("accounts/", include("leaderboard.web.accounts.providers.urls")),
        path("accounts/", include("allauth.account.urls")),
        path("", include("leaderboard.web.urls")),
        prefix_default_language=False,
    ),
]
handler400 = bad_request
handler500 = server_error
