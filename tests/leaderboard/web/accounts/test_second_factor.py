"""The second factor: set up, asked for, required of staff, and never an answer of 500."""

import base64
import json
from hashlib import sha256

import pytest
from allauth.mfa.models import Authenticator
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from fido2 import cbor
from fido2.cose import ES256
from fido2.webauthn import Aaguid, AttestedCredentialData, AuthenticatorData

from leaderboard.models import User
from leaderboard.web.accounts.adapter import SecondFactorAdapter
from tests.support.factories import PASSWORD
from tests.support.second_factors import code_for

BOSS = "boss@example.org"


def set_up_app(client) -> str:
    """Turn on an app, as a person does; return its secret."""
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get("/accounts/2fa/totp/activate/")
    secret = page.context["form"].secret
    response = client.post("/accounts/2fa/totp/activate/", {"code": code_for(secret)})
    assert response["Location"] == "/accounts/2fa/recovery-codes/"
    return secret


@pytest.fixture
def boss(db) -> User:
    return User.objects.create_superuser(BOSS, PASSWORD)


def signed_in_by_password(email: str = BOSS) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": email, "password": PASSWORD})
    return client


def answer_to(code: str):
    return signed_in_by_password().post("/accounts/2fa/authenticate/", {"code": code})


def test_signing_in_takes_a_code_of_the_app_which_works_once(boss):
    secret = set_up_app(signed_in_by_password())
    client = signed_in_by_password()
    assert client.get("/submissions/").status_code == 302
    assert "Incorrect code." in client.post("/accounts/2fa/authenticate/", {"code": "000000"}).text
    response = client.post("/accounts/2fa/authenticate/", {"code": code_for(secret, 1)})
    assert response["Location"] == "/submissions/"
    assert client.get("/submissions/").status_code == 200
    assert answer_to(code_for(secret, 1)).status_code == 200


def test_the_database_holds_no_secret_that_a_code_could_be_made_from(boss):
    secret = set_up_app(signed_in_by_password())
    stored = {row.type: row.data for row in Authenticator.objects.all()}
    decrypt = SecondFactorAdapter().decrypt
    assert decrypt(stored["totp"]["secret"]) == secret
    assert secret not in json.dumps(stored)
    assert decrypt(stored["recovery_codes"]["seed"]) not in json.dumps(stored)


def test_a_change_of_the_secret_key_ends_second_factors_only_where_the_earlier_one_is_gone(
    boss, settings, caplog
):
    secret = set_up_app(signed_in_by_password())
    earlier, settings.SECRET_KEY = settings.SECRET_KEY, "4x3mVnq0TzWc7uYb9eKs2HrJ5gLa8PdF"
    assert answer_to(code_for(secret, 1)).status_code == 200
    assert "SECRET_KEY is not the one that it was set up with" in caplog.text
    assert secret not in caplog.text
    settings.SECRET_KEY_FALLBACKS = [earlier]
    assert answer_to(code_for(secret, 1)).status_code == 302


def test_staff_need_a_second_factor_for_the_admin_site(boss, settings):
    settings.STAFF_SECOND_FACTOR = True
    client = signed_in_by_password()
    for path in ("/admin/", "/admin/leaderboard/user/", "/admin/leaderboard/submission/"):
        page = client.get(path, follow=True)
        assert page.redirect_chain[-1][0] == "/accounts/2fa/"
        assert "once it has a second factor" in page.text
    secret = set_up_app(client)
    address = client.get("/admin/leaderboard/user/", follow=True).redirect_chain[-1][0]
    assert address == "/accounts/2fa/reauthenticate/?next=%2Fadmin%2Fleaderboard%2Fuser%2F"
    form = {"code": code_for(secret, 1), "next": "/admin/leaderboard/user/"}
    assert client.post(address, form)["Location"] == "/admin/leaderboard/user/"
    assert client.get("/admin/leaderboard/user/").status_code == 200
    Authenticator.objects.all().delete()
    assert client.get("/admin/leaderboard/user/").status_code == 302


def test_who_is_asked_for_a_second_factor(boss, user, ada, settings):
    # Where it is switched off, nobody is.
    assert signed_in_by_password().get("/admin/").status_code == 200
    settings.STAFF_SECOND_FACTOR = True
    # People who are not staff need none, and those who signed in with a code are not asked again.
    assert ada.get("/submissions/").status_code == 200
    assert ada.get("/admin/", follow=True).status_code == 403
    secret, client = set_up_app(signed_in_by_password()), signed_in_by_password()
    client.post("/accounts/2fa/authenticate/", {"code": code_for(secret, 1)})
    assert client.get("/admin/").status_code == 200


def test_staff_can_remove_a_lost_factor_and_read_no_secret(boss, user, ada):
    secret = set_up_app(ada)
    factor = Authenticator.objects.get(type="totp")
    client = signed_in_by_password()
    for path in ("", f"{factor.pk}/change/", f"{factor.pk}/delete/"):
        assert secret not in client.get(f"/admin/mfa/authenticator/{path}").text
    assert client.get(f"/admin/mfa/authenticator/?data__secret__startswith={secret[0]}").status_code == 400
    client.post(f"/admin/mfa/authenticator/{factor.pk}/delete/", {"post": "yes"})
    assert not Authenticator.objects.filter(type="totp").exists()


def encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def registration() -> dict:
    """Return what a browser sends of a new passkey for the host of the tests, made without one."""
    public_key = ES256.from_cryptography_key(ec.generate_private_key(ec.SECP256R1()).public_key())
    credential = AttestedCredentialData.create(Aaguid.NONE, b"c" * 16, public_key)
    flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.AT
    data = AuthenticatorData.create(sha256(b"testserver").digest(), flags, 0, credential)
    client_data = {"type": "webauthn.create", "challenge": "", "origin": "https://testserver"}
    attested = cbor.encode({"fmt": "none", "attStmt": {}, "authData": bytes(data)})
    response = {"clientDataJSON": encode(json.dumps(client_data).encode())}
    return {
        **{"id": encode(b"c" * 16), "rawId": encode(b"c" * 16), "type": "public-key"},
        **{"response": response | {"attestationObject": encode(attested)}, "clientExtensionResults": {}},
    }


def _hostile_credentials() -> list[str]:
    client_data = {"type": "webauthn.create", "challenge": "", "origin": "http://testserver"}
    answers = [
        *({}, [], None, 1, "text"),
        {"id": "a", "rawId": "a", "type": "public-key", "response": {}},
        {"id": 1, "rawId": 1, "type": 1, "response": 1},
        {"id": "é", "rawId": "é", "type": "public-key", "response": None},
    ]
    for data in (b"", b"{}", b"[]", b"null", b"\xff\0", json.dumps(client_data).encode()):
        for attested in (b"", b"\0", b"\xa0", b"\xa3cfmtdnonegattStmt\xa0hauthDataX\x05abcde", b"\x9f" * 500):
            response = {
                "clientDataJSON": encode(data),
                "userHandle": None,
                **dict.fromkeys(("attestationObject", "authenticatorData", "signature"), encode(attested)),
            }
            answers.append({"id": "YQ", "rawId": "YQ", "type": "public-key", "response": response, "x": "\0"})
            answers.append({**answers[-1], "x": "", "clientExtensionResults": {"credProps": 1}})
    texts = ["", "{", "[" * 5000, '"' + "x" * 100_000 + '"', "\0", "NaN"]
    return [*map(json.dumps, answers), *texts]


@pytest.mark.parametrize("page", ["webauthn/add/", "webauthn/reauthenticate/", "authenticate/"])
def test_no_answer_of_a_browser_is_an_error_of_the_server(ada, user, settings, page):
    settings.ACCOUNT_RATE_LIMITS = {"login_failed": None, "reauthenticate": None}
    set_up_app(ada)
    # A passkey as an authenticator of the tests makes one.
    data = {"name": "laptop", "credential": registration()}
    Authenticator.objects.create(user=user, type="webauthn", data=data)
    client = signed_in_by_password(user.email) if page == "authenticate/" else ada
    for credential in _hostile_credentials():
        # A page with the problem of the last answer has a challenge already.
        if "mfa.webauthn.state" not in client.session:
            client.get(f"/accounts/2fa/{page}")
        response = client.post(f"/accounts/2fa/{page}", {"credential": credential, "name": "x"})
        assert response.status_code in (200, 302), credential[:80]
    for code in ("", "\0", "x" * 100_000, "１２３４５６", "-1", "\u202e"):
        assert ada.post("/accounts/2fa/reauthenticate/", {"code": code}).status_code in (200, 302)
    assert Authenticator.objects.filter(type="webauthn").count() == 1
