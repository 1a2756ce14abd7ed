"""The texts of a benchmark are collected beside its code, and pages find them there."""

import dataclasses

import pytest
from django.utils import translation

from leaderboard.web.templatetags.languages import translated
from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch
from wardboard.scoring import registry

catalogue = pytest.importorskip("tools.messages.catalogue", reason="Babel is not installed")


@pytest.fixture
def homes(monkeypatch, tmp_path, settings):
    """Create empty folders for the catalogues of the leaderboard and of all benchmarks with the example."""
    monkeypatch.setattr(registry, "locale_folder", lambda benchmark: tmp_path / benchmark.slug / "locale")
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    with registry.registered(ExactMatch()):
        catalogue.update("zh-hant")
        yield {home.folder.parent.name: home for home in catalogue.homes()}


_TEXT = "Write down the one true answer."


def test_texts_of_a_benchmark_are_collected_only_beside_its_code(homes):
    texts = {
        name: {message.id for message in catalogue.read(home, "zh-hant")} for name, home in homes.items()
    }
    assert _TEXT in texts["exact-match"]
    assert [name for name, ids in texts.items() if _TEXT in ids] == ["exact-match"]
    assert [name for name, ids in texts.items() if "Sign in" in ids] not in ([], ["exact-match"])
    assert "Sign in" not in texts["exact-match"]


def test_a_benchmark_changes_the_catalogue_of_no_other(homes, monkeypatch):
    """Not even where it shares a text with another one or with the pages."""
    before = {name: home.po_file("zh-hant").read_text("utf-8") for name, home in homes.items()}
    asks = ("Success rate", "Sign in")
    monkeypatch.setattr(ExactMatch, "about", dataclasses.replace(ExactMatch.about, asks=asks))
    catalogue.update("zh-hant")
    after = {name: home.po_file("zh-hant").read_text("utf-8") for name, home in homes.items()}
    assert {name for name in homes if after[name] != before[name]} == {"exact-match"}
    assert 'msgid "Success rate"' in after["exact-match"]


def test_pages_use_the_translations_of_a_benchmark(homes, settings):
    home = homes["exact-match"]
    path = home.po_file("zh-hant")
    untranslated = f'msgid "{_TEXT}"\nmsgstr "'
    path.write_text(path.read_text("utf-8").replace(untranslated, f"{untranslated}寫下答案。"))
    path.with_suffix(".mo").write_bytes(catalogue.compile_catalogue(home, "zh-hant"))
    settings.LOCALE_PATHS = [*settings.LOCALE_PATHS, home.folder]
    with translation.override("zh-hant"):
        assert translated(_TEXT) == "寫下答案。"
