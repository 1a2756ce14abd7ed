"""The documents as pages: all of them, with links and anchors that lead somewhere, in both languages."""

import re

import pytest
from django.test import Client
from django.utils import translation

from leaderboard.web.docs.library import Document, find, sections
from leaderboard.web.docs.markdown import render
from tests.support.paths import ROOT

pytestmark = [pytest.mark.django_db]


def documents() -> list[Document]:
    return [document for _title, documents in sections() for document in documents]


def test_every_file_of_docs_is_a_page_and_the_index_links_to_it():
    files = set((ROOT / "docs").glob("*.md"))
    assert files <= {path for document in documents() for path in document.paths.values()}
    slugs = [document.slug for document in documents()]
    assert len(slugs) == len(set(slugs))
    # web/site/test_links.py follows them all.
    assert {f"/docs/{slug}/" for slug in slugs} <= set(
        re.findall(r'href="([^"]+)"', Client().get("/docs/").text)
    )


def test_links_between_documents_are_addresses_of_the_site_in_the_language_of_the_page():
    document = find("submitters")
    with translation.override("zh-hant"):
        html = render(document).html
    assert 'href="/zh-hant/docs/problems/' in html


def test_a_document_cannot_bring_html_or_scripts_to_the_page(tmp_path, monkeypatch):
    file = tmp_path / "odd.md"
    file.write_text("# Odd\n\n<script>alert(1)</script> [go](javascript:alert(1)) <b>bold</b>\n")
    odd = Document(slug="odd", paths={"en": file})
    monkeypatch.setattr("leaderboard.web.docs.markdown.find", lambda slug: odd)
    html = render(odd).html
    assert "<script" not in html
    assert "<b>" not in html
    assert "href=" not in html


def test_an_unknown_document_or_file_is_not_found():
    for path in ("nothing/", "operators/files/secret-key", "submitters/files/..%2Fsubmitters.md"):
        assert Client().get(f"/docs/{path}").status_code == 404, path
