"""Sign-in with a provider of OpenID Connect: discovery, ID tokens, claims.

Source: OpenID Connect Core 1.0, sections 3.1.3.7 and 5.3.2; OpenID Connect Discovery 1.0, section 4.3.
"""

import secrets
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import jwt
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base import ProviderException
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.http import HttpRequest

from leaderboard.web.accounts.providers.answers import (
    CarefulAdapter,
    CarefulProvider,
    ProviderAway,
    fetch_object,
    id_in,
    text_in,
)

# Signatures with a public key alone: a shared secret, or none, proves nothing here.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_CLOCKS_MAY_DIFFER = 60  # seconds
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class OpenIDConnectAdapter(CarefulAdapter, OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # allauth has no types
    """Reads the claims of a person out of a verified ID token.

    nonce: of the request that the person began with; the callback view sets it.
    """

    nonce = ""

    @cached_property
    def openid_config(self) -> dict[str, Any]:
        """The provider's own description. Raises ProviderAway."""
        provider = self.get_provider()
        config = fetch_object(provider.server_url)
        issuer = provider.app.settings["server_url"]
        if str(config.get("issuer", "")).rstrip("/") != issuer:
            raise ProviderAway(f"the document at {provider.server_url} is of another issuer")
        scheme = urlsplit(issuer).scheme
        for name in _ENDPOINTS:
            if urlsplit(str(config.get(name, ""))).scheme not in ("https", scheme):
                raise ProviderAway(f"no address as {name} at {provider.server_url}")
        return config

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **kwargs: Any) -> SocialLogin:
        claims = read_id_token(
            kwargs["response"].get("id_token"),
            issuer=self.openid_config["issuer"],
            client_id=app.client_id,
            keys=fetch_object(self.openid_config["jwks_uri"]),
            nonce=self.nonce,
        )
        if "email" not in claims and isinstance(self.openid_config.get("userinfo_endpoint"), str):
            claims = {**self._fetch_userinfo(token.token, claims["sub"]), **claims}
        return self.get_provider().sociallogin_from_response(request, claims)

    def _fetch_userinfo(self, token: str, sub: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"}
        userinfo = fetch_object(self.openid_config["userinfo_endpoint"], headers=headers)
        if userinfo.get("sub") != sub:
            raise ProviderException("the userinfo is of another person than the ID token")
        return userinfo


def read_id_token(
    text: object, *, issuer: str, client_id: str, keys: Mapping[str, Any], nonce: str
) -> dict[str, Any]:
    """Return the claims of an ID token, once signature, issuer, audience, times and nonce are checked.

    keys: the JSON Web Key Set of the provider. Raises ProviderException.
    """
    if not isinstance(text, str):
        raise ProviderException("no ID token in the token response")
    try:
        claims: dict[str, Any] = jwt.decode(
            text,
            key=_key_of(text, keys),
            algorithms=_ALGORITHMS,
            issuer=issuer,
            audience=client_id,
            leeway=_CLOCKS_MAY_DIFFER,
            options={"require": ["iss", "sub", "aud", "exp", "iat"]},
        )
    # A key set may be as malformed as a token.
    except (jwt.PyJWTError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ProviderException("the ID token is not valid") from error
    if isinstance(claims["aud"], list) and len(claims["aud"]) > 1 and claims.get("azp") != client_id:
        raise ProviderException("the ID token is for another client")
    if not nonce or not secrets.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
        raise ProviderException("the ID token is not of this sign-in")
    return claims


def _key_of(text: str, keys: Mapping[str, Any]) -> jwt.PyJWK:
    """Return the key that an ID token names; the only one where it names none. Raises PyJWTError."""
    kid = jwt.get_unverified_header(text).get("kid")
    usable = [key for key in jwt.PyJWKSet.from_dict(dict(keys)) if key.public_key_use in (None, "sig")]
    if kid is not None:
        usable = [key for key in usable if key.key_id == kid]
    if len(usable) != 1:
        raise jwt.InvalidKeyError("the key of the ID token is not among those of the provider")
    return usable[0]


class OpenIDConnect(CarefulProvider, OpenIDConnectProvider):  # type: ignore[misc]
    oauth2_adapter_class = OpenIDConnectAdapter
    package = "leaderboard.web.accounts.providers"

    def redirect(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        # Keep it with the state; the ID token has to repeat it.
        nonce = secrets.token_urlsafe(24)
        kwargs["auth_params"] = {**self.get_auth_params(), "nonce": nonce}
        if request.user.is_authenticated:
            # Who is signed in here has to prove who they are: their session at the provider does not.
            kwargs["auth_params"]["prompt"] = "login"
        return super().redirect(request, *args, nonce=nonce, **kwargs)

    def extract_uid(self, data: Mapping[str, Any]) -> str:
        return id_in(data.get("sub"))

    def extract_common_fields(self, data: Mapping[str, Any]) -> dict[str, str]:
        full = " ".join(filter(None, (text_in(data, "given_name"), text_in(data, "family_name"))))
        return {"name": text_in({**data, "full": full}, "name", "full", "preferred_username")}

    def extract_extra_data(self, data: Mapping[str, Any]) -> dict[str, str]:
        return {"handle": text_in(data, "preferred_username", "email", "name")}

    def extract_email_addresses(self, data: Mapping[str, Any]) -> list[EmailAddress]:
        email = data.get("email")
        if not isinstance(email, str):
            return []
        # Some providers send a text. Nothing else counts, so that the word "false" is not taken for true.
        stated = data.get("email_verified")
        is_verified = self.app.settings["trusts_email"] and (stated is True or stated == "true")
        return [EmailAddress(email=email, verified=is_verified, primary=True)]
