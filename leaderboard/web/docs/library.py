"""The documents that the site shows, each a Markdown file with translations beside it.

A benchmark's guide, if it has one, is in the folder `guide` beside its code: `en.md`, `zh_Hant.md`, and the
files that it offers to download.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import to_locale

from wardboard.scoring import registry

FOLDER = Path(settings.RESOURCES) / "docs"
_ENGLISH = "en"
_GUIDES = "guides"

_CHAPTERS = ("offline", *sorted(path.stem for path in FOLDER.glob("operators-*.md")))
# Reader -> documents, each with what the reader wants of it; "" where the index leaves it out.
# A test checks that every file of docs/ is listed.
_SECTIONS: Mapping[Promise, Mapping[str, Promise | str]] = {
    _("Researchers"): {
        "submitters": _("Submit a result file and publish it"),
        "formats": _("See which files Wardboard reads"),
        "problems": _("Fix an error in a file"),
        "boards": _("Read, compare and cite a leaderboard"),
        "statistics": _("Know what each test claims"),
        _GUIDES: "",
    },
    _("CI and programs"): {
        "ci": _("Score every release in CI"),
        "graders": _("Grade answers in Python"),
    },
    _("Organisers"): {
        "organisers": _("Run a leaderboard"),
        "declared": _("Add a benchmark in one file"),
        "judging": _("Choose a judge of free text"),
        "verify": _("Verify the log and receipts"),
        **dict.fromkeys(("security", "accessibility"), ""),
    },
    _("Operators"): {
        "operators": _("Install and run the service"),
        "development": _("Change the code"),
        **dict.fromkeys(_CHAPTERS, ""),
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document.

    - paths: locale, such as zh_Hant -> its file; "en" is always there
    - files: name -> file that the document links to, for download, or shows
    """

    slug: str
    paths: Mapping[str, Path]
    files: Mapping[str, Path] = field(default_factory=dict)

    def locale_for(self, language: str) -> str:
        """Return the locale in which a reader of `language` gets the document."""
        locale = to_locale(language)
        return locale if locale in self.paths else _ENGLISH


def sections() -> list[tuple[Promise, list[tuple[Document, Promise | str]]]]:
    """Return all documents by their reader, each with what that reader wants of it."""
    return [
        (reader, [(doc, wish) for slug, wish in wishes.items() for doc in _documents(slug)])
        for reader, wishes in _SECTIONS.items()
    ]


def find(slug: str) -> Document | None:
    # To list all takes long.
    is_in_folder = any(slug in slugs for slugs in _SECTIONS.values())
    return next((doc for doc in _documents(slug if is_in_folder else _GUIDES) if doc.slug == slug), None)


def guide_of(benchmark: str) -> Document | None:
    folder = registry.code_folder(registry.get(benchmark)) / "guide"
    if not (folder / "en.md").is_file():
        return None
    paths = {path.stem: path for path in sorted(folder.glob("*.md"))}
    files = {path.name: path for path in sorted(folder.iterdir()) if path.suffix not in (".md", ".py")}
    # The samples with which to try its demonstrations.
    files |= {demo.to_upload[0].name: demo.to_upload[0] for demo in registry.get(benchmark).demonstrations}
    return Document(
        slug=benchmark, paths=paths, files={name: path for name, path in files.items() if path.is_file()}
    )


def _documents(slug: str) -> list[Document]:
    if slug == _GUIDES:
        return [guide for benchmark in registry.BENCHMARKS if (guide := guide_of(benchmark))]
    translations = sorted(FOLDER.glob(f"*/{slug}.md"))
    paths = {_ENGLISH: FOLDER / f"{slug}.md"} | {path.parent.name: path for path in translations}
    # The configuration files that operators copy; the pictures in documents.
    folder = FOLDER / ("deploy" if slug.startswith("operators") else "img")
    return [Document(slug=slug, paths=paths, files={path.name: path for path in sorted(folder.glob("*.*"))})]
