"""Sign-in with an account elsewhere, in a browser: our policy lets it leave, and it comes back."""

import pytest

from leaderboard.models import User
from tests.support.identity_provider import IdentityProvider
from tests.support.pages.browser import find_barriers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def provider(settings, watches):
    with IdentityProvider() as running:
        kinds = settings.SOCIALACCOUNT_PROVIDERS
        own = {**kinds["openid_connect"], "APPS": [running.settings]}
        settings.SOCIALACCOUNT_PROVIDERS = {**kinds, "openid_connect": own}
        yield running
        for watch in watches:
            watch.foreign_urls = [url for url in watch.foreign_urls if not url.startswith(running.origin)]


def test_a_person_signs_up_links_signs_in_and_says_no(open_page, provider):
    page = open_page()
    page.goto("/zh-hant/accounts/login/")
    barriers = find_barriers(page, "sign in")
    # By the keyboard alone.
    page.locator("a[href*='/oidc/lab/']").focus()
    page.keyboard.press("Enter")
    page.click("main form button[type=submit]")
    page.click("text=allow")
    page.wait_for_url("**/zh-hant/accounts/3rdparty/signup/")
    barriers |= find_barriers(page, "sign up")
    page.click("main form button[type=submit]")
    page.wait_for_url("**/zh-hant/submissions/")
    assert User.objects.get().email == "ada@example.org"
    page.goto("/accounts/3rdparty/")
    barriers |= find_barriers(page, "linked accounts")
    page.goto("/accounts/logout/")
    page.click("main form button[type=submit]")
    page.goto("/accounts/oidc/lab/login/")
    barriers |= find_barriers(page, "leave")
    page.click("main form button[type=submit]")
    page.click("text=deny")
    page.wait_for_url("**/accounts/3rdparty/login/cancelled/")
    barriers |= find_barriers(page, "cancelled")
    page.goto("/accounts/3rdparty/login/error/")
    barriers |= find_barriers(page, "error")
    assert barriers == {}
