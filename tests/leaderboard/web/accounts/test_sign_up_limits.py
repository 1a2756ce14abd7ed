"""How many accounts may be created from a network address, and that all processes count together."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.models import LimitEntry, User
from tests.support.factories import PASSWORD, make_user
from tests.support.identity_provider import LAB, SIGN_UP, come_back

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def two_a_day(settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "signup": None, "sign_ups": "2/d/ip"}


def sign_up(email, address="192.0.2.1"):
    form = {"email": email, "password1": PASSWORD, "name": "A Lab"}
    return Client(REMOTE_ADDR=address).post("/accounts/signup/", form)


def test_a_network_address_creates_so_many_accounts():
    emails = [f"n{number}@lab{number}.example" for number in range(3)]
    assert [sign_up(email).status_code for email in emails] == [302, 302, 429]
    assert User.objects.count() == 2
    # Others do not wait; of IPv6, a /64 network is one address.
    assert sign_up(emails[2], address="192.0.2.2").status_code == 302
    homes = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"]
    codes = [sign_up(f"h{n}@home{n}.example", home).status_code for n, home in enumerate(homes)]
    assert codes == [302, 302, 429, 302]


def test_sign_ups_with_an_account_elsewhere_count_as_well(visitor, provider):
    for number in range(2):
        sign_up(f"n{number}@example.org", "127.0.0.1")
    come_back(visitor, LAB)
    assert visitor.post(SIGN_UP, {"name": "Ada Lab"}).status_code == 429
    assert User.objects.count() == 2


def test_the_limit_does_not_tell_which_addresses_have_accounts(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    make_user("known@example.org")
    codes = [
        [sign_up(email, address).status_code for _ in range(3)]
        for email, address in (("known@example.org", "192.0.2.1"), ("new@example.org", "192.0.2.2"))
    ]
    assert codes == [[302, 302, 429]] * 2


@pytest.fixture
def count_anew(settings):
    """Return a function that makes new connections to the cache, as another process would."""

    def use():
        cache = "django.core.cache.backends.db.DatabaseCache"
        default = {"BACKEND": cache, "LOCATION": "leaderboard_limitentry"}
        settings.CACHES = {**settings.CACHES, "default": default}

    use()
    return use


def sign_in(password, email):
    form = {"login": email, "password": password}
    return Client(raise_request_exception=False, REMOTE_ADDR="192.0.2.1").post("/accounts/login/", form)


def test_a_lock_out_holds_in_every_process(user, count_anew):
    for _ in range(2):
        for _ in range(5):
            sign_in("wrong", user.email)
        count_anew()
    assert "Too many failed login attempts" in sign_in(PASSWORD, user.email).content.decode()
    assert LimitEntry.objects.exists()


def test_pages_do_not_ask_the_table_of_the_limits(demo, visitor, count_anew):
    for address in ("/", f"/benchmarks/{demo.slug}/", "/accounts/login/", "/api/v1/benchmarks/"):
        with CaptureQueriesContext(connection) as queries:
            assert visitor.get(address).status_code == 200
        assert not [query for query in queries if "limitentry" in query["sql"]]
