"""The foot of each page and About: what the organiser has set, or that nobody is named."""

import os

import pytest

from tests.support import forks
from tests.support.pages.visible_text import text_of


def _footer(visitor, path="/submit/"):
    return visitor.get(path).content.decode().split("<footer")[1]


def test_about_says_who_runs_the_site_and_where_that_is_not_set(visitor, db, settings):
    about = text_of(visitor.get("/about/"))
    assert "This installation has not named its organiser." in about
    assert "None is stated: ask before you republish tables." in about
    assert "Data:" not in _footer(visitor)
    settings.SITE = settings.SITE | {"organiser": "Ward Lab", "data_licence": "CC BY 4.0"}
    about = text_of(visitor.get("/about/"))
    assert "not named its organiser" not in about
    assert "Ward Lab" in about
    assert "CC BY 4.0" in about
    assert "Data: CC BY 4.0" in " ".join(_footer(visitor).split())


def test_the_footer_shows_what_the_organiser_has_set_and_nothing_else(visitor, db, settings):
    bare = _footer(visitor)
    assert "This installation has not named its organiser." in bare
    assert "Run by" not in bare
    assert "Contact" not in bare
    assert "Terms" not in bare
    settings.SITE = {
        **settings.SITE,
        "organiser": "Ward <Lab>",
        "contact": "lab@example.org",
        "contact_url": "mailto:lab@example.org",
        "terms": {"url": "", "text": "Be kind.\n\nSee https://example.org/rules <b>."},
        "privacy": {"url": "https://example.org/privacy", "text": ""},
    }
    footer = _footer(visitor)
    assert "Ward &lt;Lab&gt;" in footer
    for address in (
        "mailto:lab@example.org",
        "/terms/",
        "https://example.org/privacy",
    ):
        assert f'href="{address}"' in footer
    terms = visitor.get("/terms/")
    assert "Terms of use" in text_of(terms)
    assert '<a href="https://example.org/rules"' in terms.content.decode()
    assert "<b>" not in terms.content.decode()


def test_without_texts_of_the_organiser_privacy_and_citation_are_on_the_about_page(visitor, db):
    about = visitor.get("/about/").content.decode()
    for name in ("privacy", "citation"):
        assert visitor.get(f"/{name}/").headers["Location"] == f"/about/#{name}"
        assert f'id="{name}"' in about
    assert visitor.get("/terms/").status_code == 404


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SITE_URL", "example.org", "SITE_URL: write a URL that begins with https://"),
        ("TERMS", "no-such-file.txt", "TERMS is neither a URL nor a text file in UTF-8"),
    ],
)
def test_the_service_does_not_start_with_a_text_that_it_cannot_show(name, value, message):
    environment = {**os.environ, "SECRET_KEY": "x" * 60, name: value}
    run = forks.run("-c", "import leaderboard.settings", env=environment, timeout=120)
    assert run.returncode == 1
    assert message in run.stderr
