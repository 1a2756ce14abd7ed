"""Normalise the letters of texts that strangers sent."""

import re
import unicodedata

# Signs of ASCII and what is not ASCII after them, at most so much: no letter is composed with what follows,
# and sorting marks takes the square of their number on a letter.
_PIECE = re.compile(r"[\0-\x7f]*[^\0-\x7f]{0,500}")


def nfkc(text: str) -> str:
    """Return `text` in Unicode's form NFKC, in time that grows with its length."""
    return "".join(unicodedata.normalize("NFKC", piece) for piece in _PIECE.findall(text))
