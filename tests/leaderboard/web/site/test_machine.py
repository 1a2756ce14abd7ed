"""What programs ask a site for first, and what they find on a leaderboard."""

import re
from xml.etree import ElementTree

import pytest
from django.test import Client

pytestmark = [pytest.mark.django_db]

BOARD = "/benchmarks/medagentbench-demo/"


def read(path: str) -> str:
    response = Client().get(path)
    assert response.status_code == 200, path
    return response.getvalue().decode()


def test_every_page_of_the_sitemap_exists_in_both_languages(demo):
    root = ElementTree.fromstring(read("/sitemap.xml"))
    places = [element.text or "" for element in root.iter() if element.tag.endswith("}loc")]
    assert any("/zh-hant/docs/submitters/" in place for place in places)
    assert any(place.endswith(BOARD) for place in places)
    for path in {re.sub(r"^https?://[^/]+", "", place) for place in places}:
        assert Client().get(path).status_code == 200, path


def test_robots_name_the_sitemap_and_keep_off_what_belongs_to_one_reader():
    text = read("/robots.txt")
    assert "Sitemap: http://testserver/sitemap.xml" in text
    assert "Disallow: /submissions/" in text
