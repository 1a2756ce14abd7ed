"""What the pages say, collected for translation; `make messages` writes it to the catalogues.

Needs Babel, which is a dependency of development only. GNU gettext is not needed.
"""

import ast
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation import to_locale
from django.utils.translation.template import templatize

from leaderboard import models
from leaderboard.management import borrowed
from leaderboard.services.boards import board, system
from leaderboard.services.statistics import known as statistics
from scoring import registry

# As Babel writes them: positions of the texts, with "c" that of a context.
_KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "phrase")),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "phrase_n"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
_CALL = re.compile(r"\b(_|n?p?gettext)\(")
# The description of the API and the admin are in English.
_NOT_PAGES = ("templates/api/", "templates/admin/")
# Versions of benchmarks that there are published results of.
_PUBLISHED = ("v2", "1")

_NUMBER = re.compile(r"\d[\d,]*")

# (text or texts of both numbers, context, place)
Found = tuple[str | tuple[str, str], str | None, str]


def catalogue_folder(language: str) -> Path:
    """Return where the catalogue of `language` lies."""
    return Path(settings.LOCALE_PATHS[0]) / to_locale(language) / "LC_MESSAGES"


def translated_languages() -> list[str]:
    """Return the codes of the languages that have a catalogue: all but the one that is written."""
    return [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]


def collected(language: str) -> Catalog:
    """Return a catalogue of all texts of templates, code, labels and packages, without translations."""
    catalogue = Catalog(locale=to_locale(language), fuzzy=False)
    for text, context, place in (*_of_templates(), *_of_code(), *_of_labels(), *_of_packages()):
        catalogue.add(text, locations=[(place, None)], context=context)
    for message in catalogue:
        if "%(" not in str(message.id):
            # “95% interval” looks like a format, and is none.
            message.flags.discard("python-format")
    return catalogue


def read(language: str) -> Catalog:
    """Return the catalogue of `language` as it is committed."""
    with (catalogue_folder(language) / "django.po").open("rb") as file:
        return read_po(file, locale=to_locale(language))


def update(language: str) -> Catalog:
    """Bring the catalogue of `language` up to date and compile it; new texts have no translation yet, and
    those that nothing says any more are gone. Its head, with the glossary, stays as it is."""
    path = catalogue_folder(language) / "django.po"
    known, catalogue = read(language), collected(language)
    for message in catalogue:
        if message.id and (old := known.get(message.id, message.context)):
            message.string = old.string
    out = BytesIO()
    write_po(out, catalogue, width=110, omit_header=True, sort_output=True, include_lineno=False)
    head = path.read_text("utf-8").partition("\n\n")[0]
    path.write_text(f"{head}\n\n{out.getvalue().decode()}", "utf-8")
    path.with_suffix(".mo").write_bytes(compiled(language))
    return catalogue


def is_translated(message: Message) -> bool:
    strings = message.string if isinstance(message.string, tuple) else (message.string,)
    return bool(strings) and all(strings)


def compiled(language: str) -> bytes:
    """Return what Django reads of the committed catalogue."""
    out = BytesIO()
    write_mo(out, read(language))
    return out.getvalue()


def _of_templates() -> Iterator[Found]:
    for folder in settings.TEMPLATES[0]["DIRS"]:
        for path in sorted(Path(folder).rglob("*.*")):
            place = _place(path)
            if path.suffix not in (".html", ".txt", ".svg", ".jinja") or place.startswith(_NOT_PAGES):
                continue
            # Jinja2's marks that take whitespace away; Django, which collects, knows none.
            source = path.read_text("utf-8").replace("{{-", "{{").replace("{%-", "{%")
            for name, texts in _calls(templatize(source, origin=place)):
                context = texts.pop(0) if "p" in name[:2] else None
                yield texts[0] if len(texts) == 1 else (texts[0], texts[1]), context, place


def _calls(source: str) -> Iterator[tuple[str, list[str]]]:
    """Yield name and texts of each call in what `templatize` gives: calls amid what is no language at all."""
    for found in _CALL.finditer(source):
        end = found.end()
        while True:
            end = source.index(")", end) + 1
            try:
                call = ast.parse(source[found.start() : end], mode="eval").body
            except SyntaxError:
                # A bracket inside of a text.
                continue
            break
        assert isinstance(call, ast.Call)
        yield found[1], [part.value for part in call.args if isinstance(part, ast.Constant)]


def _of_code() -> Iterator[Found]:
    for package in ("leaderboard", "scoring"):
        for path in sorted((Path(settings.BASE_DIR) / package).rglob("*.py")):
            with path.open("rb") as file:
                for _, text, _, context in extract("python", file, keywords=_KEYWORDS):
                    if text:
                        yield text, context, _place(path)


def _place(path: Path) -> str:
    return path.relative_to(settings.BASE_DIR).as_posix()


def _of_labels() -> Iterator[Found]:
    """Yield the words of benchmarks and models, which pages show through the filter `translated`."""
    for benchmark in registry.FAMILIES.values():
        for text in (*_words_of(benchmark), *_sources_of(benchmark)):
            # Numbers, and ranges of them, are the same in every language.
            if any(character.isalpha() for character in text):
                yield text, None, f"scoring:{benchmark.slug}"
    for choices in (
        models.BoardAction,
        models.Feedback,
        models.Interaction,
        models.JudgeMode,
        models.Kind,
        models.Reasoning,
        models.Retrieval,
        models.Status,
    ):
        for text in choices.labels:
            yield text, None, f"leaderboard:{choices.__name__}"
    for choices in (statistics.WhyNot, system.Fate):
        for text in choices.labels:
            yield text, None, f"leaderboard:{choices.__name__}"
    for text in (*board.SOURCES.values(), *board.WEIGHTS.values()):
        yield text, None, "leaderboard:board"
    for text in models.Status.values:
        yield text, None, "leaderboard:Status"
    for text in _traits():
        yield text, None, "leaderboard:System"


def _of_packages() -> Iterator[Found]:
    for package, texts in borrowed.TEXTS.items():
        for text in texts:
            yield text, None, package


def _words_of(benchmark) -> Iterator[str]:
    for metric in benchmark.metrics:
        yield from (metric.label, metric.short, metric.stands_for, metric.formula, metric.source)
    for breakdown in benchmark.breakdowns:
        yield from (breakdown.label, *breakdown.groups.values())
    yield from benchmark.remarks.values()
    for baseline in benchmark.baselines:
        yield from (baseline.system, baseline.explains)
    for demo in benchmark.demonstrations():
        yield from (demo.board.title, demo.board.question)
    for plan in benchmark.published_boards():
        # As the filter `translated` looks it up: without the number of tasks.
        yield _NUMBER.sub("{count}", plan.question, count=1)
    about = benchmark.about
    yield from (*about.asks, *about.graded, *about.caveats, *(work.title for work in about.works))


def _sources_of(benchmark) -> set[str]:
    """Return what the published results of a benchmark are said to be from."""
    return {row.source for version in _PUBLISHED for row in benchmark.reported(version)}


def _traits() -> set[str]:
    """Return every word that a system's traits can have."""
    return {
        trait
        for interaction in ("", *models.Interaction.values)
        for retrieval in ("", *models.Retrieval.values)
        for reasoning in ("", *models.Reasoning.values)
        for weights in (None, True, False)
        for trait in models.System(
            interaction=interaction, retrieval=retrieval, reasoning=reasoning, open_weights=weights
        ).traits
    }
