"""Collect the texts of the pages for translation; `make messages` writes the catalogues.

Needs Babel, which is a dependency of development only. GNU gettext is not needed.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.db.models import TextChoices
from django.utils.text import capfirst
from django.utils.translation import to_locale
from django.utils.translation.template import templatize

from leaderboard import models
from leaderboard.services.boards import system
from leaderboard.services.publishing.change_settings import SETTINGS
from leaderboard.services.rows.filters import FILTERS
from leaderboard.services.statistics.compare import WhyHidden
from leaderboard.services.statistics.rank_statistics import WhyNot
from tools.messages import library_texts
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark

# In the form that Babel takes: positions of the texts, with "c" that of the context.
_KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "phrase")),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "phrase_n"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
# Babel takes each file apart into tokens, so it gets only those that have one of these calls.
_ANY_KEYWORD = re.compile(rf"\b(?:{'|'.join(_KEYWORDS)})\s*\(".encode())
_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_CALL = re.compile(r"\b(_|n?p?gettext)\(")
# The description of the API is in English.
_NOT_PAGES = ("templates/api/",)
_HEAD = """msgid ""
msgstr ""
"Project-Id-Version: Wardboard\\n"
"POT-Creation-Date: 2026-11-22 00:00+0000\\n"
"PO-Revision-Date: 2026-11-22 00:00+0000\\n"
"Last-Translator: Wardboard\\n"
"Language: {0}\\n"
"Language-Team: {0}\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n\""""
_NUMBER = re.compile(r"\d[\d,]*")

Text = str | tuple[str, ...]  # or the texts of both numbers
FoundText = tuple[Text, str | None, str]  # text, context, place


@dataclass(frozen=True, slots=True)
class CatalogueHome:
    """A folder of catalogues, and which texts belong there.

    - folder: that of LOCALE_PATHS
    - places: how the places of its texts begin; () takes all others
    """

    folder: Path
    places: tuple[str, ...] = ()

    def po_file(self, language: str) -> Path:
        return self.folder / to_locale(language) / "LC_MESSAGES" / "django.po"


def homes() -> list[CatalogueHome]:
    """Return the leaderboard's own home first, then one for each benchmark, beside its code."""
    all_homes = [CatalogueHome(Path(settings.LOCALE_PATHS[0]))]
    for benchmark in registry.BENCHMARKS.values():
        places = (f"scoring:{benchmark.slug}", f"{_place(registry.code_folder(benchmark))}/")
        all_homes.append(CatalogueHome(registry.code_folder(benchmark) / "locale", places))
    return all_homes


def translated_languages() -> list[str]:
    """Return the codes of the languages with a catalogue: all but English."""
    return [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def collect(language: str) -> Mapping[CatalogueHome, Catalog]:
    """Return the catalogues of all texts, without translations."""
    places: dict[tuple[Text, str | None], list[str]] = {}
    for text, context, place in (*_of_templates(), *_of_code(), *_of_labels(), *_of_libraries()):
        places.setdefault((text, context), []).append(place)
    own_home, *benchmark_homes = homes()
    catalogues = {
        home: Catalog(locale=to_locale(language), fuzzy=False) for home in (own_home, *benchmark_homes)
    }
    for (text, context), text_places in places.items():
        by_home: dict[CatalogueHome, list[str]] = {}
        for place in text_places:
            home = next((home for home in benchmark_homes if place.startswith(home.places)), own_home)
            by_home.setdefault(home, []).append(place)
        # A text that pages and benchmarks share is with the pages. One that benchmarks share is in each of
        # their catalogues: a new benchmark changes no other's.
        chosen = {own_home: by_home[own_home]} if own_home in by_home else by_home
        for home, home_places in chosen.items():
            _add(catalogues[home], text, context, home_places)
    return catalogues


def _add(catalogue: Catalog, text: Text, context: str | None, places: Sequence[str]) -> None:
    # None: without the number of a line, which would change with every edit.
    locations = [(place, cast(int, None)) for place in places]
    message = catalogue.add(text, locations=locations, context=context)
    if "%(" not in str(message.id):
        # Babel takes “95% interval” for a format.
        message.flags.discard("python-format")


def read(home: CatalogueHome, language: str) -> Catalog:
    """Return the catalogue of `language` as it is committed; an empty one if there is none."""
    path = home.po_file(language)
    if not path.exists():
        return Catalog(locale=to_locale(language), fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=to_locale(language))


def update(language: str) -> list[Catalog]:
    """Update, compile and return the catalogues of `language`.

    New texts have no translation yet, and unused ones are removed. A translation moves with its text from
    one home to another. The head of a file, with the glossary, stays as it is.
    """
    earlier_catalogues = [read(home, language) for home in homes()]
    catalogues = collect(language)
    for home, catalogue in catalogues.items():
        for message in catalogue:
            earlier = (old.get(message.id, message.context) for old in earlier_catalogues)
            if message.id and (old := next(filter(None, earlier), None)):
                message.string = old.string
        _write(home.po_file(language), catalogue)
        home.po_file(language).with_suffix(".mo").write_bytes(compile_catalogue(home, language))
    return list(catalogues.values())


def _write(path: Path, catalogue: Catalog) -> None:
    out = BytesIO()
    write_po(out, catalogue, width=110, omit_header=True, sort_output=True, include_lineno=False)
    head = path.read_text("utf-8").partition("\n\n")[0] if path.exists() else _HEAD.format(catalogue.locale)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{head}\n\n{out.getvalue().decode()}", "utf-8")


def is_translated(message: Message) -> bool:
    """Return whether a message has all of its translations."""
    strings = message.string if isinstance(message.string, tuple) else (message.string,)
    return bool(strings) and all(strings)


def compile_catalogue(home: CatalogueHome, language: str) -> bytes:
    """Return the committed catalogue in the compiled form that Django reads."""
    out = BytesIO()
    write_mo(out, read(home, language))
    return out.getvalue()


def _of_templates() -> Iterator[FoundText]:
    django = cast(dict[str, Any], settings.TEMPLATES[0])
    for folder in django["DIRS"]:
        for path in sorted(Path(folder).rglob("*.*")):
            place = _place(path)
            if path.suffix not in (".html", ".txt", ".svg", ".jinja") or place.startswith(_NOT_PAGES):
                continue
            # Django, which collects the texts, knows neither Jinja2's marks that remove whitespace nor
            # expressions of several lines.
            source = path.read_text("utf-8").replace("{{-", "{{").replace("{%-", "{%")
            source = _EXPRESSION.sub(lambda match: match[0].replace("\n", " "), source)
            for name, texts in _calls(templatize(source, origin=place)):
                context = texts.pop(0) if "p" in name[:2] else None
                yield texts[0] if len(texts) == 1 else (texts[0], texts[1]), context, place


def _calls(source: str) -> Iterator[tuple[str, list[str]]]:
    """Yield name and texts of each call in the output of `templatize`, which is not Python."""
    for match in _CALL.finditer(source):
        end = match.end()
        while True:
            end = source.index(")", end) + 1
            try:
                call = ast.parse(source[match.start() : end], mode="eval").body
            except SyntaxError:
                # The bracket is part of a text.
                continue
            break
        assert isinstance(call, ast.Call)
        yield match[1], [str(part.value) for part in call.args if isinstance(part, ast.Constant)]


def _of_code() -> Iterator[FoundText]:
    packages = [Path(settings.BASE_DIR, package) for package in ("leaderboard", "scoring")]
    others = [registry.code_folder(benchmark) for benchmark in registry.BENCHMARKS.values()]
    packages += [folder for folder in others if not folder.is_relative_to(packages[1])]
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            source = path.read_bytes()
            if not _ANY_KEYWORD.search(source):
                continue
            for _, text, _, context in extract("python", BytesIO(source), keywords=_KEYWORDS):
                if text:
                    yield text, context, _place(path)


def _place(path: Path) -> str:
    """Return where a file is, from this checkout, or from where the distribution of a benchmark is."""
    # The graders are imported through the link `wardboard/scoring`.
    path = path.resolve()
    folders = [registry.code_folder(benchmark).resolve().parent for benchmark in registry.BENCHMARKS.values()]
    root = next((root for root in (settings.BASE_DIR, *folders) if path.is_relative_to(root)), path.anchor)
    return path.relative_to(root).as_posix()


def _of_labels() -> Iterator[FoundText]:
    """Yield the labels of benchmarks, boards and models, which the filter `translated` translates."""
    yield from ((file.label, None, "leaderboard:Benchmark") for file in Benchmark.import_files)
    for benchmark in registry.BENCHMARKS.values():
        for text in (*_texts_of(benchmark), *_sources_of(benchmark)):
            # Numbers, and ranges of them, are the same in every language.
            if any(character.isalpha() for character in text):
                yield text, None, f"scoring:{benchmark.slug}"
    all_choices: tuple[type[TextChoices], ...] = (
        models.Access,
        models.BoardAction,
        models.DataClass,
        models.DoubtKind,
        models.DoubtState,
        models.Trace,
        models.Feedback,
        models.Scope,
        models.JudgeMode,
        models.Kind,
        models.ProvenanceLevel,
        models.Status,
        WhyNot,
        WhyHidden,
        system.Fate,
    )
    for level in models.ProvenanceLevel:
        yield level.explanation, None, "leaderboard:ProvenanceLevel"
    for choices in all_choices:
        for label in choices.labels:
            yield str(label), None, f"leaderboard:{choices.__name__}"
    for each in FILTERS:
        for label in each.values.values():
            yield str(label), None, "leaderboard:filters"
    for text in models.Status.values:
        yield text, None, "leaderboard:Status"
    for name in SETTINGS:
        column: Any = models.Board._meta.get_field(name)
        for text in filter(None, (capfirst(column.verbose_name), column.help_text)):
            yield str(text), None, "leaderboard:Board"


def _of_libraries() -> Iterator[FoundText]:
    for package, texts in library_texts.TEXTS.items():
        for text in texts:
            yield text, None, package


def _texts_of(benchmark: Benchmark) -> Iterator[str]:
    for metric in benchmark.metrics:
        yield from (metric.label, metric.short, metric.stands_for, metric.formula, metric.source)
        yield from filter(None, [metric.needs_note])
    for breakdown in benchmark.breakdowns:
        yield from (breakdown.label, *breakdown.groups.values())
    for clusters in benchmark.clusters:
        yield from (clusters.label, clusters.singular)
    yield from [benchmark.published_clusters.evidence] if benchmark.published_clusters else ()
    yield from (*benchmark.remarks.values(), *benchmark.failures.values(), *benchmark.formats.values())
    for file in benchmark.import_files:
        yield file.label
    for choice in benchmark.import_choices:
        yield from (choice.label, choice.explains)
    if benchmark.baselines:
        # The source of their rows, as `put_baselines` names it.
        yield f"{benchmark.title} baseline"
    for baseline in benchmark.baselines:
        yield from (baseline.system, baseline.explains, baseline.published)
        yield from ([baseline.source.title] if baseline.source else ())
    for demo in benchmark.demonstrations:
        yield from (demo.board.title, demo.board.question)
    for plan in benchmark.published_boards:
        # As the filter `translated` looks it up: without the number of tasks.
        yield _NUMBER.sub("{count}", plan.question, count=1)
    about = benchmark.about
    yield from (*about.asks, *about.graded, *about.caveats, *(work.title for work in about.works))
    for defect in about.defects:
        yield from (defect.text, defect.source.title)
    yield from (about.published_references, about.data)


def _sources_of(benchmark: Benchmark) -> list[str]:
    """Return what the published results of a benchmark say in words: sources, notes and reasons."""
    versions = [board.version for board in benchmark.published_boards]
    rows = [row for version in versions for row in benchmark.reported_rows(version)]
    texts = [text for row in rows for text in (row.source, row.note, row.not_ranked, row.scored_by)]
    return list(dict.fromkeys(filter(None, texts)))
