"""Sentences and names one after the other, with between them what the language of the page has there."""

import unicodedata
from collections.abc import Iterable

from django.utils.translation import gettext as _


def percent(rate: float | None, digits: int = 1) -> str:
    """Format a rate in 0..1: 0.98333 as 98.3%, an unknown one as an en dash."""
    return "–" if rate is None else f"{100 * rate:.{digits}f}%"


def between_sentences() -> str:
    """Return what stands between two sentences: a space, or nothing."""
    return _("%(one)s %(other)s") % {"one": "", "other": ""}


def sentences(said: Iterable[str]) -> str:
    """Return sentences as a text; empty ones are left out."""
    return between_sentences().join(filter(None, said))


def listed(names: Iterable[str]) -> str:
    """Return names as a list within a sentence."""
    return (_("%(one)s, %(other)s") % {"one": "", "other": ""}).join(names)


def listed_apart(names: Iterable[str]) -> str:
    """Return names that may have commas of their own as a list."""
    return (_("%(one)s; %(other)s") % {"one": "", "other": ""}).join(names)


# Control, format, private, surrogate, unassigned; line and paragraph separators.
_REFUSED = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
# Zero-width (non-)joiner: some scripts, and emoji, are written with them.
_JOINERS = {"\u200c", "\u200d"}
# Letters and symbols by category, and blank all the same: Hangul fillers and the empty Braille cell.
_BLANK = {"\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"}


def has_refused(text: str) -> bool:
    """Whether `text` holds characters that hide, or reorder what stands beside them."""
    return any(unicodedata.category(c) in _REFUSED and c not in _JOINERS for c in text)


def without_refused(text: str) -> str:
    """Return `text` on one line and without what `has_refused` looks for."""
    if not text.isprintable():
        # Breaks between words become spaces first: some are refused themselves.
        text = "".join(c for c in " ".join(text.split()) if not has_refused(c))
    return " ".join(text.split())


def is_visible(text: str) -> bool:
    """Whether at least one character of `text` can be seen."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in _BLANK for c in text)


MOST_SEARCHED = 2000


def folded(text: str) -> str:
    """Return `text` as it is compared: without case, each run of spaces one."""
    return " ".join(text.casefold().split())


def search_of(*, name: str, organisation: str, team_name: str, models: Iterable[str]) -> str:
    """Return what the search on a board looks through: a folded line a name, up to MOST_SEARCHED bytes."""
    text = "\n".join(folded(text) for text in (name, organisation, team_name, *models) if text)
    # An index takes no longer entries. Cut at a character.
    return text.encode()[:MOST_SEARCHED].decode(errors="ignore")


def models_text_of(models: Iterable[str]) -> str:
    """Return the models a line each, with a break around each, so that no longer name fits: "" for none."""
    lines = "\n".join(" ".join(model.split("\n")) for model in models)
    return f"\n{lines}\n" if lines else ""
