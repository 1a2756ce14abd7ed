"""A passkey and an authenticator app, set up and used in a browser with an authenticator of its own."""

from urllib.parse import urlsplit

import pytest
from allauth.mfa.models import Authenticator

from tests.support.factories import PASSWORD, make_user
from tests.support.pages.browser import find_barriers

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(page) -> None:
    page.goto("/accounts/login/")
    page.fill("[name=login]", "ada@example.org")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button[type=submit]")


@pytest.fixture
def page(open_page):
    """Return a page of Ada, signed in, whose browser has an authenticator."""
    make_user("ada@example.org")
    page = open_page()
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    sign_in(page)
    page.wait_for_url("**/submissions/")
    return page


def test_a_passkey_is_added_confirms_and_signs_in(page):
    page.goto("/accounts/2fa/webauthn/add/")
    page.wait_for_url("**/accounts/reauthenticate/**")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button[type=submit]")
    page.fill("[name=name]", "laptop")
    barriers = find_barriers(page, "add")
    page.click("#mfa_webauthn_add")
    page.wait_for_url("**/accounts/2fa/recovery-codes/")
    barriers |= find_barriers(page, "recovery codes")
    for path in ("", "webauthn/", "recovery-codes/generate/", "webauthn/reauthenticate/", "reauthenticate/"):
        page.goto(f"/accounts/2fa/{path}")
        barriers |= find_barriers(page, path)
    for name in ("edit", "remove"):
        page.goto(f"/accounts/2fa/webauthn/keys/{Authenticator.objects.get(type='webauthn').pk}/{name}/")
        barriers |= find_barriers(page, name)
    # It confirms that it is you.
    page.goto("/accounts/2fa/webauthn/reauthenticate/?next=/account/tokens/")
    page.click("#mfa_webauthn_reauthenticate")
    # A pattern would have the address before it, too, by its `next`.
    page.wait_for_url(lambda url: urlsplit(url).path == "/account/tokens/")
    page.goto("/accounts/logout/")
    page.click("main form button[type=submit]")
    sign_in(page)
    page.wait_for_url("**/accounts/2fa/authenticate/")
    barriers |= find_barriers(page, "authenticate")
    page.click("#mfa_webauthn_authenticate")
    page.wait_for_url("**/submissions/")
    assert barriers == {}
