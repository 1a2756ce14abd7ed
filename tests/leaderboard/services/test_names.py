"""Names and addresses that people give, whatever page, file or request they come by."""

import pytest

from leaderboard.models import System
from leaderboard.services.errors import FactsInvalid
from leaderboard.web.accounts.forms import TokenForm
from tests.support.factories import make_facts, parse_facts, send, with_wrong


@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "\u3164", "\u200d", "a\ue000", "a\u2028b"])
def test_names_that_hide_something_are_refused(name):
    with pytest.raises(FactsInvalid):
        parse_facts(make_facts(system=name))
    assert "name" in TokenForm({"name": name, "days": "30"}).errors


@pytest.mark.both_databases
def test_names_are_looked_up_as_the_constraint_compares_them(demo, user, good_file):
    # PostgreSQL writes the Kelvin sign as “k” in lower case, SQLite does not: neither may fail.
    for wrong, name in enumerate(("kbot", "\u212abot", "KBOT")):
        send(user, demo, with_wrong(good_file, wrong), system=name)
    assert System.objects.count() in (1, 2)
