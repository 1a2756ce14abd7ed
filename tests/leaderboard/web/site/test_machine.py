"""What programs ask a site for first, and what they find on a leaderboard."""

import re
from xml.etree import ElementTree

import pytest
from django.test import Client

from tests.support import factories

pytestmark = [pytest.mark.django_db]

BOARD = "/benchmarks/medagentbench-demo/"


@pytest.fixture
def board(db):
    return factories.get_board("medagentbench-demo") or factories.make_demo()


def read(path: str) -> str:
    response = Client().get(path)
    assert response.status_code == 200, path
    return response.getvalue().decode()


def addresses_are_there(addresses: list[str]) -> bool:
    paths = {re.sub(r"^https?://[^/]+", "", address) for address in addresses}
    assert len(paths) > 2
    return all(Client().get(path).status_code == 200 for path in paths)


def test_every_page_of_the_sitemap_exists_in_both_languages(board):
    root = ElementTree.fromstring(read("/sitemap.xml"))
    places = [element.text or "" for element in root.iter() if element.tag.endswith("}loc")]
    assert any("/zh-hant/docs/submitters/" in place for place in places)
    assert any(place.endswith(BOARD) for place in places)
    assert addresses_are_there(places)


def test_robots_name_the_sitemap_and_keep_off_what_belongs_to_one_reader():
    text = read("/robots.txt")
    assert "Sitemap: http://testserver/sitemap.xml" in text
    assert "Disallow: /submissions/" in text
