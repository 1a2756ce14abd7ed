"""The documents as pages: all of them, with links and anchors that lead somewhere, in both languages."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from django.test import Client
from django.utils import translation

from leaderboard.web.docs.library import Document, find, sections
from leaderboard.web.docs.markdown import render
from tests.support.exact_match.exact_match_benchmark.benchmark import ExactMatch
from tests.support.pages.words import INLINE
from tests.support.paths import ROOT
from wardboard.scoring import registry

pytestmark = [pytest.mark.django_db]


def documents() -> list[Document]:
    return [document for section in sections() for document in section.documents]


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if attributes.get("id"):
            self.ids.append(attributes["id"])


def read_page(address: str) -> tuple[int, _Links, str]:
    response = Client().get(address)
    reader = _Links()
    kind = response.headers.get("Content-Type", "")
    html = response.content.decode() if kind.startswith("text/html") else ""
    reader.feed(html)
    return response.status_code, reader, html


def test_every_file_of_docs_is_a_page_and_the_index_links_to_it():
    files = set((ROOT / "docs").glob("*.md"))
    assert files <= {path for document in documents() for path in document.paths.values()}
    slugs = [document.slug for document in documents()]
    assert len(slugs) == len(set(slugs))
    _, index, _ = read_page("/docs/")
    assert {f"/docs/{slug}/" for slug in slugs} <= set(index.links)


@pytest.mark.parametrize("prefix", ["", "/zh-hant"])
def test_links_and_anchors_of_all_documents_lead_somewhere(prefix):
    pages = {
        f"{prefix}/docs/{slug}": read_page(f"{prefix}/docs/{slug}")
        for slug in ("", *(f"{document.slug}/" for document in documents()))
    }
    broken = []
    for address, (status, reader, html) in list(pages.items()):
        assert status == 200, address
        assert not INLINE.search(html), address
        assert len(reader.ids) == len(set(reader.ids)), address
        for link in reader.links:
            if re.match(r"https?:|mailto:", link):
                continue
            target, anchor = urldefrag(urljoin(address, link))
            path = unquote(target)
            if path not in pages:
                pages[path] = read_page(path)
            code, other, _ = pages[path]
            if code not in (200, 302) or (anchor and unquote(anchor) not in other.ids):
                broken.append((address, link))
    assert not broken


def test_pages_for_operators_offer_the_files_that_they_link_to():
    linked = [
        (document.slug, name)
        for document in documents()
        for name in re.findall(r"\]\(deploy/([^)]+)\)", document.paths["en"].read_text())
    ]
    assert len({slug for slug, _ in linked}) > 2
    for slug, name in linked:
        assert f"/docs/{slug}/files/{name}" in read_page(f"/docs/{slug}/")[1].links


def test_links_between_documents_are_addresses_of_the_site_in_the_language_of_the_page():
    document = find("submitters")
    with translation.override("zh-hant"):
        html = render(document, "zh-hant").html
    assert 'href="/zh-hant/docs/problems/' in html


def test_a_document_cannot_bring_html_or_scripts_to_the_page(tmp_path, monkeypatch):
    file = tmp_path / "odd.md"
    file.write_text("# Odd\n\n<script>alert(1)</script> [go](javascript:alert(1)) <b>bold</b>\n")
    odd = Document(slug="odd", paths={"en": file})
    monkeypatch.setattr("leaderboard.web.docs.markdown.find", lambda slug: odd)
    html = render(odd, "en").html
    assert "<script" not in html
    assert "<b>" not in html
    assert "href=" not in html


def test_a_benchmark_without_a_guide_leaves_the_documents_as_they_are():
    before = [document.slug for document in documents()]
    with registry.registered(ExactMatch()):
        assert [document.slug for document in documents()] == before
        assert read_page("/docs/")[0] == 200


def test_the_text_of_a_link_to_the_code_is_shown_without_the_link():
    html = render(find("statistics"), "en").html
    assert "bench/README.md" in html
    assert "bench/README.md</code></a>" not in html


def test_an_unknown_document_or_file_is_not_found():
    assert read_page("/docs/nothing/")[0] == 404
    assert read_page("/docs/operators/files/secret-key")[0] == 404
    assert read_page("/docs/submitters/files/..%2Fsubmitters.md")[0] == 404
