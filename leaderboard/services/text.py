"""Join, clean, fold and read text: for people, for the search to match, and as people sent it.

Languages differ in what separates two sentences or two names, so the separators are translated.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.template.defaultfilters import filesizeformat
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from wardboard.scoring.statistics import rates

percent, percent_range = rates.percent, rates.percent_range


def lead_ends(ahead: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return the least and the most by which a score is ahead of another one, in -1..1.

    ahead, other: the lower and the upper end of each score, in 0..1. The differences are those of the ends as
    they are printed, so that they never contradict the scores beside them, and reveal no more.
    """
    (low, high), (other_low, other_high) = ([round(end, 3) for end in ends] for ends in (ahead, other))
    return round(low - other_high, 3), round(high - other_low, 3)


def lead_words(ahead: tuple[float, float], other: tuple[float, float]) -> str:
    """Say how large a lead is, of the ends as in `lead_ends`: "12.3 points", "26.7 to 35.0 points"."""
    least, most = lead_ends(ahead, other)
    if least == most:
        return _("%(points)s points") % {"points": unsigned(most)} if most else _("less than 0.1 points")
    return _("%(least)s to %(most)s points") % {"least": unsigned(least), "most": unsigned(most)}


def unsigned(difference: float) -> str:
    """Format a difference in points, with a sign only where it is negative."""
    return points(difference).lstrip("+")


def tasks_words(tasks: int | None) -> str:
    """Print a number of tasks: "300 tasks"; "" where it is not known."""
    return ngettext("%(n)s task", "%(n)s tasks", tasks) % {"n": f"{tasks:,}"} if tasks else ""


def mean_right(right: float, runs: int = 1) -> str:
    """Write how many tasks are correct, of several runs their mean: 1,412; 4.7."""
    return f"{right / runs:,.1f}".removesuffix(".0")


def points(difference: float | None) -> str:
    """Format a difference of rates in points with its sign: +3.4, 0.0; None as an en dash."""
    if difference is None:
        return "–"
    size = f"{abs(100 * difference):.1f}"
    return size if size == "0.0" else f"{'+' if difference > 0 else '−'}{size}"


def file_size(size: float) -> str:
    """Format a number of bytes: 32 MB, 4.5 KB; without a decimal that is 0."""
    return re.sub(r"[.,]0(?=\D)", "", filesizeformat(size))


def end_of_wait(seconds: int, now: datetime) -> str:
    """Return when a wait ends, to the next minute: "27 Nov, 03:10 UTC"."""
    at = now + timedelta(seconds=seconds + 59)
    return f"{date_format(at.astimezone(UTC), 'SHORT_DATETIME_FORMAT')} UTC"


def join_sentences(sentences: Iterable[str]) -> str:
    """Join sentences into a paragraph, in Chinese without a space; empty ones are left out."""
    return (_("%(one)s %(other)s") % {"one": "", "other": ""}).join(filter(None, sentences))


def join_names(names: Iterable[str]) -> str:
    """Join names into a list within a sentence."""
    return (_("%(one)s, %(other)s") % {"one": "", "other": ""}).join(names)


def join_with_and(names: Sequence[str]) -> str:
    """Join names within a sentence: "patients", "patients and templates", "a, b and c"."""
    if len(names) < 2:
        return join_names(names)
    return _("%(first)s and %(last)s") % {"first": join_names(names[:-1]), "last": names[-1]}


# Unicode categories: control, format, private use, surrogate, unassigned; line and paragraph separators.
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
# Zero-width (non-)joiners: emoji and some scripts need them.
_JOINERS = {"\u200c", "\u200d"}
# Letters and symbols by category that are drawn blank: Hangul fillers and the empty Braille cell.
_BLANK = {"\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"}

# What nobody sees, or what turns the direction of a line. Line breaks and tabs are left out, and joiners.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return a stranger's text with escapes in place of what nobody sees, such as `\\u202e`."""
    return _UNSEEN.sub(lambda unseen: unseen[0].encode("unicode_escape").decode(), text)


def has_hidden_characters(text: str) -> bool:
    """Return whether `text` contains characters that are invisible or reorder their neighbours."""
    return any(unicodedata.category(c) in _HIDDEN_CATEGORIES and c not in _JOINERS for c in text)


def remove_hidden_characters(text: str) -> str:
    """Return `text` on one line, without the characters that `has_hidden_characters` finds."""
    if not text.isprintable():
        # Line breaks become spaces first: they are hidden characters themselves.
        text = "".join(c for c in " ".join(text.split()) if not has_hidden_characters(c))
    return " ".join(text.split())


def has_visible_character(text: str) -> bool:
    """Return whether at least one character of `text` can be seen."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in _BLANK for c in text)


def validate_readable(name: str) -> None:
    """Raise Django's ValidationError for a name that is not visible, or has hidden characters."""
    if not has_visible_character(name) or has_hidden_characters(name):
        raise ValidationError(_("It holds control or invisible characters."))


# As long as the columns of email addresses.
_fits_address = MaxLengthValidator(254)


def validate_email_address(email: str) -> None:
    """Raise ValidationError for an address that no email could be sent to, or that no column holds."""
    # In lower case, as it is stored, an address may be longer.
    _fits_address(email.lower())
    # Django ignores case, and so accepts letters whose other case is ASCII; no email could be sent there.
    if not email.rpartition("@")[0].isascii():
        raise ValidationError(validate_email.message, code="invalid")


# Digits of any number that fits a column of the database. Python refuses to read thousands of them.
_KEY_DIGITS = 18


def read_key(text: str) -> int:
    """Return the primary key that a visitor sent; 0, which no row has, if it is not a key."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _KEY_DIGITS else 0


_MAX_SEARCH_BYTES = 2000


def fold_case(text: str) -> str:
    """Return `text` for comparison: case-folded, with each run of whitespace as one space."""
    return " ".join(text.casefold().split())


def build_search_text(*, name: str, organisation: str, team_name: str, models: Iterable[str]) -> str:
    """Return what the search looks through: a case-folded name a line, up to 2,000 bytes in all."""
    text = "\n".join(fold_case(text) for text in (name, organisation, team_name, *models) if text)
    # PostgreSQL's index refuses longer entries. Cut between characters.
    return text.encode()[:_MAX_SEARCH_BYTES].decode(errors="ignore")


def build_models_text(models: Iterable[str]) -> str:
    """Return the models one a line, with a line break before and after each, so that whole names match."""
    lines = "\n".join(" ".join(model.split("\n")) for model in models)
    return f"\n{lines}\n" if lines else ""


def day_of(at: datetime) -> str:
    """Return the day of a time in UTC, as the active language writes it."""
    return date_format(at.astimezone(UTC), "DATE_FORMAT")
