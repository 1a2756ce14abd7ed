"""A provider of OpenID Connect on loopback, which speaks for GitHub too: real HTTP.

It checks what a real one checks: client, secret, redirect address, PKCE, single use of a code.
"""

import base64
import hashlib
import re
import secrets
import time
from collections.abc import Callable
from html import escape, unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
import requests
from django.test import Client

from tests.support.loopback import Loopback, ScriptedReply, json_reply

# Addresses of the service.
LAB, GITHUB = "/accounts/oidc/lab/login/", "/accounts/github/login/"
SIGN_UP, LINKED = "/accounts/3rdparty/signup/", "/accounts/3rdparty/"
CLIENT_ID, CLIENT_SECRET = "wardboard", "a secret of the client"


# The service has the token from the provider itself, by TLS, and so takes its signature as read.
SIGNING_KEY = "a key that the service does not know"


class IdentityProvider(Loopback):
    """The provider, and what a test changes of it.

    person: the claims of who signs in, in ID token and userinfo
    claims: of the ID token in place of the right ones
    sign: makes an ID token of claims in another way
    replies: path -> the reply in place of the right one
    """

    def __init__(self) -> None:
        super().__init__(self._reply)
        self.person: dict[str, Any] = {
            "sub": "u-17",
            "email": "ada@example.org",
            "email_verified": True,
            "name": "Ada L.",
            "preferred_username": "ada",
        }
        self.claims: dict[str, Any] = {}
        self.sign: Callable[[dict[str, Any]], str] | None = None
        self.replies: dict[str, ScriptedReply] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.emails: list[Any] = [
            {"email": "ada@users.noreply.github.com", "verified": True, "primary": False},
            {"email": "ada@example.org", "verified": True, "primary": True},
        ]

    @property
    def settings(self) -> dict[str, Any]:
        """A provider of OpenID Connect as leaderboard/settings/accounts.py makes it."""
        return {
            "client_id": CLIENT_ID,
            "secret": CLIENT_SECRET,
            "provider_id": "lab",
            "name": "Lab SSO",
            "settings": {"server_url": self.origin, "trusts_email": True},
        }

    def _reply(self, path: str) -> ScriptedReply:
        parts = urlsplit(path)
        if parts.path in self.replies:
            return self.replies[parts.path]
        query = dict(parse_qsl(parts.query))
        answers: dict[str, Callable[[], ScriptedReply]] = {
            "/.well-known/openid-configuration": self._describe,
            "/authorize": lambda: self._ask(query),
            "/allow": lambda: self._return(query, code=self._new_code(query)),
            "/deny": lambda: self._return(query, error="access_denied"),
            "/token": self._exchange,
            "/userinfo": lambda: self._person(self.person),
            "/user": lambda: self._person({"id": 583231, "login": "octocat", "name": self.person["name"]}),
            "/user/emails": lambda: self._person(self.emails),
        }
        return answers[parts.path]() if parts.path in answers else json_reply({}, 404)

    def _describe(self) -> ScriptedReply:
        names = ("authorize", "token", "userinfo")
        addresses = {f"{name}_endpoint": f"{self.origin}/{name}" for name in names}
        addresses["authorization_endpoint"] = addresses.pop("authorize_endpoint")
        methods = {"token_endpoint_auth_methods_supported": ["client_secret_basic"]}
        return json_reply({"issuer": self.origin, "jwks_uri": f"{self.origin}/jwks", **addresses, **methods})

    def _ask(self, query: dict[str, str]) -> ScriptedReply:
        required = {"client_id": CLIENT_ID, "response_type": "code", "code_challenge_method": "S256"}
        wrong = {name for name, value in required.items() if query.get(name) != value}
        if wrong or not query.get("state") or not query.get("code_challenge"):
            return json_reply({"error": "invalid_request", "wrong": sorted(wrong)}, 400)
        links = (f'<a href="/{way}?{escape(urlencode(query))}">{way}</a>' for way in ("allow", "deny"))
        page = f"<!doctype html><title>Lab SSO</title>{' '.join(links)}"
        return ScriptedReply(body=page.encode(), headers={"Content-Type": "text/html"})

    def _new_code(self, query: dict[str, str]) -> str:
        code = secrets.token_urlsafe(8)
        self.codes[code] = query
        return code

    def _return(self, query: dict[str, str], **answer: str) -> ScriptedReply:
        address = f"{query['redirect_uri']}?{urlencode({'state': query['state'], **answer})}"
        return ScriptedReply(status=302, headers={"Location": address})

    def _exchange(self) -> ScriptedReply:
        sent = dict(parse_qsl(self.bodies[-1].decode()))
        asked = self.codes.pop(sent.get("code", ""), None)
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            asked is None
            or not self._knows_client(sent)
            or sent.get("redirect_uri") != asked["redirect_uri"]
            or challenge != asked["code_challenge"]
        ):
            return json_reply({"error": "invalid_grant"}, 400)
        token = {"access_token": "an access token", "token_type": "Bearer", "expires_in": 60}
        return json_reply({**token, "id_token": self._id_token()})

    def _knows_client(self, sent: dict[str, str]) -> bool:
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        in_body = (sent.get("client_id"), sent.get("client_secret")) == (CLIENT_ID, CLIENT_SECRET)
        return in_body or self.headers[-1].get("Authorization") == f"Basic {basic}"

    def _id_token(self) -> str:
        now = int(time.time())
        claims = {
            **self.person,
            "iss": self.origin,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 60,
            **self.claims,
        }
        return self.sign(claims) if self.sign is not None else jwt.encode(claims, SIGNING_KEY, "HS256")

    def _person(self, document: Any) -> ScriptedReply:
        if self.headers[-1].get("Authorization") not in (
            "Bearer an access token",
            "token an access token",
        ):
            return json_reply({"error": "invalid_token"}, 401)
        return json_reply(document)


def go_to_provider(client: Client, path: str, **query: str) -> str:
    """Press the button of a provider; return the address that the browser is sent to."""
    answer = client.post(f"{path}?{urlencode(query)}" if query else path)
    assert answer.status_code == 200, answer
    return unescape(re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', answer.content.decode())[1])


def decide(address: str, way: str = "allow") -> str:
    """Allow or deny at the provider; return the path and query that the browser comes back to."""
    page = requests.get(address, timeout=10)
    assert page.status_code == 200, page.text
    link = unescape(re.search(rf'href="(/{way}[^"]+)"', page.text)[1])
    parts = urlsplit(address)
    answer = requests.get(f"{parts.scheme}://{parts.netloc}{link}", allow_redirects=False, timeout=10)
    back = urlsplit(answer.headers["Location"])
    return f"{back.path}?{back.query}"


def come_back(client: Client, path: str, *, way: str = "allow", **query: str) -> Any:
    """Sign in with a provider, and return the response to its answer."""
    return client.get(decide(go_to_provider(client, path, **query), way))


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session
