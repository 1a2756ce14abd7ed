"""The paths, names and links in the documents exist, so that they stay current when code moves."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.paths import ROOT

DEVELOPMENT = ROOT / "docs" / "development.md"
ROOMS = ("leaderboard", "scoring", "wardboard", "templates", "tests", "tools", "docs", "bench")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.md"))])
_PATH = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w./-]*?)(?::(\w+(?:\.\w+)*))?`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
# Code, settings and programs that send their readers to a document.
SOURCES = [
    *(ROOT / name for name in ("Makefile", "Dockerfile", "compose.yaml", "pyproject.toml")),
    *(path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in (".py", ".yml", ".env")),
]


def paths_in(document: Path) -> list[tuple[str, str]]:
    """Return the paths in backticks, each with the name after the colon or an empty string."""
    return _PATH.findall(document.read_text())


@cache
def names_in(path: Path) -> set[str]:
    """Return the functions, classes and constants that a module defines at its top."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_that_a_document_names_exists(document):
    missing = [path for path, _ in paths_in(document) if not (ROOT / path).exists()]
    assert not missing


def test_the_page_for_developers_names_paths_and_each_name_is_defined_there():
    named = [(path, name) for path, name in paths_in(DEVELOPMENT) if name]
    assert len(named) > 20
    assert not [(path, name) for path, name in named if name not in names_in(ROOT / path)]


@pytest.mark.parametrize("room", ["leaderboard/services", "leaderboard", "tests"])
def test_the_page_for_developers_names_every_folder(room):
    text = DEVELOPMENT.read_text()
    folders = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / room).glob("*/__init__.py")}
    assert folders
    unnamed = {folder for folder in folders if f"`{folder}/" not in text}
    assert unnamed <= {"leaderboard/migrations"}


def test_the_page_for_developers_draws_every_room_of_the_services():
    picture = DEVELOPMENT.read_text().split("`services` has two wings")[1].split("\n| ")[0]
    drawn = set(re.findall(r"\w+", picture))
    rooms = {path.stem for path in (ROOT / "leaderboard" / "services").iterdir()} - {
        "__init__",
        "__pycache__",
    }
    assert len(rooms) > 10
    assert rooms <= drawn


@pytest.mark.parametrize("package", ["leaderboard", "scoring", "wardboard"])
def test_the_page_for_developers_draws_every_module_of_a_package(package):
    picture = DEVELOPMENT.read_text().split("## The house")[1].split("`wardboard` imports")[0]
    modules = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    modules |= {path.stem for path in (ROOT / package).glob("*.py") if not path.stem.startswith("__")}
    assert len(modules) > 5
    # Django looks for `formats` by its layout; the document explains it under the departures.
    assert modules - set(re.findall(r"\w+", picture)) <= {"formats"}


def test_the_glossary_has_at_most_25_words_each_once():
    section = DEVELOPMENT.read_text().split("## Glossary")[1].split("\n## ")[0]
    words = re.findall(r"^\| \*\*(\w[\w ]*)\*\* \|", section, re.MULTILINE)
    assert 20 <= len(words) <= 25
    assert len(set(words)) == len(words)


def anchors_of(document: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_between_documents_leads_to_a_file_and_a_heading(document):
    broken = []
    for link in _LINK.findall(document.read_text()):
        if re.match(r"https?:|mailto:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path) if path else document
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            broken.append(link)
    assert not broken


def test_every_document_that_the_code_names_exists():
    named = {
        (source, name) for source in SOURCES for name in re.findall(r"docs/[\w/-]+\.md", source.read_text())
    }
    assert len({name for _, name in named}) > 5
    assert not [(source, name) for source, name in named if not (ROOT / name).exists()]
