"""What a text that others read may hold."""

import unicodedata

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
