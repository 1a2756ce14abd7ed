"""Read the answers of a sign-in provider. An answer that cannot be used raises ProviderException."""

from collections.abc import Mapping
from typing import Any

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialLogin, SocialToken
from allauth.socialaccount.providers.base import ProviderException
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils import translation

from leaderboard.services.text import has_visible_character, remove_hidden_characters

# The length of allauth's column.
_LONGEST_ID = 191
_LONGEST_NAME = 120


class ProviderAway(ProviderException):  # type: ignore[misc]  # allauth has no types
    """The provider does not answer, or answers with another document."""


def fetch_json(url: str, *, headers: Mapping[str, str] | None = None) -> Any:
    """Return the JSON document at an address of a provider. Raises ProviderAway."""
    try:
        with get_adapter().get_requests_session() as session:
            response = session.get(url, headers=headers)
            response.raise_for_status()
            return response.json()
    # The errors of requests are OSErrors.
    except (OSError, RecursionError, ValueError) as error:
        raise ProviderAway(f"no JSON document at {url}") from error


def fetch_object(url: str, *, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the JSON object at an address of a provider. Raises ProviderAway."""
    document = fetch_json(url, headers=headers)
    if not isinstance(document, dict):
        raise ProviderAway(f"no JSON object at {url}")
    return document


def id_in(value: object) -> str:
    """Return the id by which a provider knows a person. Raises ProviderException."""
    if isinstance(value, str) and value.isprintable() and 0 < len(value) <= _LONGEST_ID:
        return value
    raise ProviderException("the id of the person cannot be used")


def text_in(data: Mapping[str, Any], *names: str) -> str:
    """Return the first of some members that is a text which can be shown; "" where none is."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and has_visible_character(text := remove_hidden_characters(value)):
            return text[:_LONGEST_NAME].rstrip()
    return ""


class CarefulAdapter:
    """Mixin of allauth's adapters: a token response that cannot be used is an error of the provider."""

    def get_callback_url(self, request: HttpRequest, app: object) -> str:
        # Providers know one address, whatever the language of the page.
        with translation.override(settings.LANGUAGE_CODE):
            url: str = super().get_callback_url(request, app)  # type: ignore[misc]
        return url

    def get_access_token_data(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        try:
            data = super().get_access_token_data(*args, **kwargs)  # type: ignore[misc]
        # A response without a content type, or with JSON that is not an object.
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ProviderAway("no token response") from error
        if not isinstance(data, dict) or not isinstance(data.get("access_token"), str):
            raise ProviderAway("no access token in the token response")
        return data

    def parse_token(self, data: Mapping[str, Any]) -> SocialToken:
        # Nothing else of the response is used, and it is stored nowhere.
        return SocialToken(token=data["access_token"])


class CarefulProvider:
    """Mixin of allauth's providers: requests cannot add scopes or parameters to a sign-in.

    An account is linked together with the email about it.
    """

    def sociallogin_from_response(self, request: HttpRequest, response: Mapping[str, Any]) -> SocialLogin:
        login: SocialLogin = super().sociallogin_from_response(request, response)  # type: ignore[misc]
        login.connect = transaction.atomic(login.connect)
        return login

    def get_scope_from_request(self, request: object) -> list[str]:
        scope: list[str] = self.get_scope()  # type: ignore[attr-defined]
        return scope

    def get_auth_params_from_request(self, request: object, action: str) -> dict[str, str]:
        params: dict[str, str] = self.get_auth_params()  # type: ignore[attr-defined]
        return params

    def serialize(self) -> dict[str, str]:
        # By its own name: two providers of OpenID Connect may know us by the same client id.
        return {"id": self.sub_id, "app.client_id": self.app.client_id}  # type: ignore[attr-defined]
