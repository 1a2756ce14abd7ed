"""How many accounts may be created from a network address, for a mailbox and in a domain."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from leaderboard import env
from leaderboard.models import User
from leaderboard.web.accounts.limits.sign_ups import registered_domain
from tests.support.factories import PASSWORD, make_user
from tests.support.identity_provider import LAB, SIGN_UP, come_back

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


@pytest.fixture
def allow(settings):
    """Return a function that sets limits; those that are not named do not apply."""

    def set_limits(**limits):
        none = dict.fromkeys(("sign_ups_per_address", "sign_ups_per_mailbox", "sign_ups_per_domain"))
        settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, **none, "signup": None, **limits}

    return set_limits


def sign_up(email, address="192.0.2.1"):
    form = {"email": email, "password1": PASSWORD, "name": "A Lab"}
    return Client(REMOTE_ADDR=address).post("/accounts/signup/", form)


def test_a_network_address_creates_so_many_accounts(allow):
    allow(sign_ups_per_address="2/d/key")
    emails = [f"n{number}@lab{number}.example" for number in range(3)]
    answers = [sign_up(email) for email in emails]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert 86_000 < int(answers[-1]["Retry-After"]) <= 86_400
    assert "Try again after" in answers[-1].content.decode()
    assert User.objects.count() == 2
    # Others do not wait; of IPv6, a /64 network is one address.
    assert sign_up(emails[2], address="192.0.2.2").status_code == 302
    homes = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"]
    codes = [sign_up(f"h{n}@home{n}.example", home).status_code for n, home in enumerate(homes)]
    assert codes == [302, 302, 429, 302]


def test_a_domain_gets_so_many_accounts_wherever_they_come_from(allow):
    allow(sign_ups_per_domain="2/d/key")
    emails = ("a@farm.example", "b@x1.farm.example", "c@x2.farm.example", "d@another.example")
    answers = [sign_up(email, f"192.0.2.{number}") for number, email in enumerate(emails)]
    assert [answer.status_code for answer in answers] == [302, 302, 429, 302]


def verify_email(number=-1):
    """Follow the link of an email; return the answer."""
    (link,) = re.findall(r"https?://[^/\s]+(/accounts/confirm-email/\S+)", mail.outbox[number].body)
    return Client().post(link)


def test_strangers_who_type_addresses_of_a_domain_close_it_to_nobody(allow, settings):
    settings.VERIFIES_EMAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    allow(sign_ups_per_domain="2/h/key")
    codes = [sign_up(f"invented{n}@uni.example", f"192.0.2.{n}").status_code for n in range(5)]
    assert codes == [302] * 5
    for n in range(2):
        assert sign_up(f"honest{n}@uni.example", f"192.0.2.{10 + n}").status_code == 302
        assert verify_email().status_code == 302
    refused = sign_up("third@uni.example", "192.0.2.20")
    assert (refused.status_code, int(refused["Retry-After"]) > 3500) == (429, True)
    assert sign_up("third@another.example", "192.0.2.20").status_code == 302


def test_a_domain_of_an_attacker_gets_no_more_accounts_by_signing_up_before_the_first_is_verified(
    allow, settings
):
    settings.VERIFIES_EMAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    allow(sign_ups_per_domain="2/h/key")
    for n in range(4):
        sign_up(f"a{n}@farm.example", f"192.0.2.{n}")
    answers = [verify_email(n) for n in range(4)]
    assert [answer.status_code for answer in answers] == [302, 302, 429, 429]
    assert int(answers[-1]["Retry-After"]) > 3500
    assert EmailAddress.objects.filter(verified=True).count() == 2
    allow()
    assert verify_email(3).status_code == 302, "the link works later"


def test_public_mail_providers_are_not_counted_as_domains(allow):
    allow(sign_ups_per_domain="1/d/key")
    codes = [sign_up(f"{name}@gmail.com", f"192.0.2.{n}").status_code for n, name in enumerate("abc")]
    assert codes == [302, 302, 302]


def test_one_mailbox_gets_so_many_accounts(allow):
    allow(sign_ups_per_mailbox="2/d/key")
    emails = ("ada.l@gmail.com", "ada.l+1@gmail.com", "a.dal+2@gmail.com", "grace@gmail.com")
    answers = [sign_up(email, f"192.0.2.{number}") for number, email in enumerate(emails)]
    assert [answer.status_code for answer in answers] == [302, 302, 429, 302]


def test_sign_ups_with_an_account_elsewhere_count_as_well(allow, visitor, provider):
    allow(sign_ups_per_domain="1/d/key")
    sign_up("first@example.org", "192.0.2.1")
    come_back(visitor, LAB)
    assert visitor.post(SIGN_UP, {"name": "Ada Lab"}).status_code == 429
    assert User.objects.count() == 1


def test_the_limits_do_not_tell_which_addresses_have_accounts(allow, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    allow(sign_ups_per_address="1/d/key")
    make_user("known@example.org")
    codes = {}
    for email in ("known@example.org", "new@example.org"):
        address = f"192.0.2.{len(codes)}"
        codes[email] = [sign_up(email, address).status_code for _ in range(2)]
    assert list(codes.values()) == [[302, 429], [302, 429]]


def test_a_form_with_errors_and_a_refusal_are_not_counted(allow):
    allow(sign_ups_per_address="1/d/key", sign_ups_per_domain="3/d/key")
    assert sign_up("nonsense").status_code == 200
    assert [sign_up(f"a{n}@example.org").status_code for n in range(3)] == [302, 429, 429]
    # The refused ones did not count in the domain.
    assert [sign_up(f"b{n}@example.org", f"192.0.2.{n + 2}").status_code for n in range(3)] == [302, 302, 429]


@pytest.mark.parametrize(
    ("domain", "registered"),
    [
        ("example.org", "example.org"),
        ("cs.example.org", "example.org"),
        ("ntu.edu.tw", "ntu.edu.tw"),
        ("csie.ntu.edu.tw", "ntu.edu.tw"),
        ("maths.ox.ac.uk", "ox.ac.uk"),
        ("mail.uni-ulm.de", "uni-ulm.de"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
    ],
)
def test_names_below_a_registered_domain_count_as_one(domain, registered):
    assert registered_domain(domain) == registered


@pytest.mark.parametrize(("value", "rates"), [("", ["5/h"]), ("3/m, 9/d", ["3/m", "9/d"]), ("none", [])])
def test_limits_are_read_from_the_environment(monkeypatch, value, rates):
    monkeypatch.setenv("SIGN_UPS", value)
    assert env.rates("SIGN_UPS", "5/h") == rates


@pytest.mark.parametrize("value", ["3", "0/h", "3/w", "-1/h", "3/h/ip", "none,3/h"])
def test_a_limit_that_cannot_be_meant_stops_the_service_and_is_named(monkeypatch, value):
    monkeypatch.setenv("SIGN_UPS", value)
    with pytest.raises(ImproperlyConfigured, match="SIGN_UPS"):
        env.rates("SIGN_UPS", "5/h")
