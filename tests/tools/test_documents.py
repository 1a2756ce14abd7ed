"""The paths, names and links in the documents exist, so that they stay current when code moves."""

import re
from pathlib import Path

from tests.support.paths import ROOT

ROOMS = ("leaderboard", "scoring", "wardboard", "templates", "tests", "tools", "docs", "bench")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.md"))])
_PATH = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w./-]*?)(?::(\w+(?:\.\w+)*))?`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def paths_in(document: Path) -> list[tuple[str, str]]:
    """Return the paths in backticks, each with the name after the colon or an empty string."""
    return _PATH.findall(document.read_text())


def test_every_path_that_a_document_names_exists():
    named = {(document, path) for document in DOCUMENTS for path, _ in paths_in(document)}
    assert not [(document, path) for document, path in named if not (ROOT / path).exists()]


def anchors_of(document: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def test_every_link_between_documents_leads_to_a_file_and_a_heading():
    links = {(document, link) for document in DOCUMENTS for link in _LINK.findall(document.read_text())}
    broken = []
    for document, link in links:
        if re.match(r"https?:|mailto:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path) if path else document
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            broken.append((document, link))
    assert not broken
