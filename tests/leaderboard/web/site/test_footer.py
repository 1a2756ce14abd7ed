"""The foot of each page and About: what the organiser has set, or that nobody is named."""

from tests.support.pages.visible_text import text_of


def _footer(visitor, path="/submit/"):
    return visitor.get(path).content.decode().split("<footer")[1]


def test_footer_and_about_show_what_the_organiser_has_set_and_nothing_else(visitor, db, settings):
    bare, about = _footer(visitor), text_of(visitor.get("/about/"))
    assert "This installation has not named its organiser." in about
    assert "None is stated: ask before you republish tables." in about
    for label in ("organiser", "Run by", "Contact", "Terms", "Data:"):
        assert label not in bare
    settings.SITE = {
        **settings.SITE,
        "organiser": "Ward <Lab>",
        "contact": "lab@example.org",
        "contact_url": "mailto:lab@example.org",
        "data_licence": "CC BY 4.0",
        "terms": {"url": "", "text": "Be kind.\n\nSee https://example.org/rules <b>."},
        "privacy": {"url": "https://example.org/privacy", "text": ""},
    }
    footer, about = _footer(visitor), visitor.get("/about/").content.decode()
    for text in (footer, about):
        assert "Ward &lt;Lab&gt;" in text
        assert "CC BY 4.0" in text
    assert "not named its organiser" not in about
    for address in ("mailto:lab@example.org", "/terms/", "https://example.org/privacy"):
        assert f'href="{address}"' in footer
    terms = visitor.get("/terms/")
    assert "Terms of use" in text_of(terms)
    assert '<a href="https://example.org/rules"' in terms.content.decode()
    assert "<b>" not in terms.content.decode()
