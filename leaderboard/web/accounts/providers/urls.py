"""Addresses of sign-in with an account elsewhere; their names are those that allauth looks up."""

from allauth.account.views import password_set
from allauth.socialaccount import views as allauth_views
from django.urls import path
from django.views.decorators.cache import never_cache

from leaderboard.web.accounts.guards import signed_in_recently
from leaderboard.web.accounts.providers import views
from leaderboard.web.shared.signed_in_request import sign_in_first

set_password = sign_in_first(signed_in_recently(never_cache(password_set)))
urlpatterns = [
    path("github/login/", views.start, name="github_login"),
    path("oidc/<str:provider_id>/login/", views.start, name="openid_connect_login"),
    # Before allauth's page at the same address.
    path("password/set/", set_password, name="account_set_password"),
    path("3rdparty/", views.linked, name="socialaccount_connections"),
    path("3rdparty/signup/", views.sign_up, name="socialaccount_signup"),
    path("3rdparty/login/cancelled/", allauth_views.login_cancelled, name="socialaccount_login_cancelled"),
    path("3rdparty/login/error/", allauth_views.login_error, name="socialaccount_login_error"),
]
# The addresses that providers know have no language.
callback_urlpatterns = [
    path("github/login/callback/", views.callback, name="github_callback"),
    path("oidc/<str:provider_id>/login/callback/", views.callback, name="openid_connect_callback"),
]
