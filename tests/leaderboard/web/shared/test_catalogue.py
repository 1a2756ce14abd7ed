"""The catalogues of translations are complete, fit their texts, and are compiled."""

import re
from gettext import GNUTranslations
from io import BytesIO

import pytest

catalogue = pytest.importorskip("tools.messages.catalogue", reason="Babel is not installed")

# Placeholders of both kinds of format, and markup.
PLACES = re.compile(r"%\(\w+\)[sd]|%%|\{\w+(?::,)?\}|</?\w+[^>]*>|`[^`]+`")
LANGUAGES = catalogue.translated_languages()
assert LANGUAGES


def texts(forms) -> list[str]:
    """Return the singular and the plural of a text, or the only form that it has."""
    return list(forms) if isinstance(forms, tuple) else [forms]


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def collected(language) -> dict:
    return catalogue.collect(language)


@pytest.fixture(scope="module", params=catalogue.homes(), ids=lambda home: home.folder.parent.name)
def home(request):
    return request.param


@pytest.fixture(scope="module")
def messages(home, language) -> list:
    messages = [message for message in catalogue.read(home, language) if message.id]
    assert messages
    return messages


def test_the_catalogue_has_exactly_the_current_texts(home, collected, messages):
    known = {(texts(message.id)[0], message.context) for message in messages}
    current = {(texts(message.id)[0], message.context) for message in collected[home] if message.id}
    assert current
    assert current - known == set(), "new texts: run `make messages` and translate them"
    assert known - current == set(), "texts that are said no more: run `make messages`"


def test_every_text_of_the_pages_has_a_translation(home, messages):
    """Those of a benchmark may lack one: a new benchmark needs no Chinese, and `make messages` lists them."""
    assert [message.id for message in messages if message.fuzzy] == []
    if home == catalogue.homes()[0]:
        assert [message.id for message in messages if not catalogue.is_translated(message)] == []


def test_a_translation_has_the_placeholders_and_markup_of_its_text(messages):
    wrong = []
    for message in messages:
        if not catalogue.is_translated(message):
            continue
        # The singular may have the number as a word.
        places = sorted(PLACES.findall(texts(message.id)[-1]))
        strings = [each for each in texts(message.string) if sorted(PLACES.findall(each)) != places]
        wrong += [(message.id, string) for string in strings]
    assert wrong == []


def test_the_compiled_catalogue_matches_its_source(home, language):
    raw_catalogue = home.po_file(language).with_suffix(".mo").read_bytes()
    shipped, fresh = (
        GNUTranslations(BytesIO(raw)) for raw in (raw_catalogue, catalogue.compile_catalogue(home, language))
    )
    assert shipped._catalog == fresh._catalog
