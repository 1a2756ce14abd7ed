"""Which names are the same to a reader: those that differ in case, and those that look the same."""

import re
import unicodedata

# Small letters of other scripts that print like Latin ones, and capitals. Source: confusables.txt of UTS 39,
# of which these are the Cyrillic, Greek, Armenian and Cherokee letters, and a few Latin ones.
_AS_LATIN = str.maketrans(
    "аαɑьꮟсϲᴄԁꮷеҽɡցһհіιıꭵɩјϳкκӏмոηоοօσᴏрρԛզгꮁѕꮪтτυսᴜѵνꮩᴠԝѡꮃᴡхχуүγꮓᴢАΑВΒСϹЕΕНΗІΙӀЈͿКΚМΜΝОΟՕРΡԚЅՏТΤԜХΧУΥҮΖ",
    "aaabbcccddeegghhiiiiijjkklmnnoooooppqqrrssttuuuvvvvwwwwxxyyyzzaabbcceehhiiijjkkmmnoooppqssttwxxyyyz",
)
_SIGNS = {"'": "‘’‛ʼʹ`´", '"': "“”„‟", "-": "‐‑‒–—―−⸺⸻〜〰"}
_AS_PLAIN = {ord(c): plain for plain, like in _SIGNS.items() for c in like}
# Letters and symbols that print as nothing: Hangul fillers, and the empty Braille cell.
_BLANK = re.compile("[\u115f\u1160\u2800\u3164]")
# Marks that change nothing by themselves: joiners of graphemes and of scripts, and variation selectors.
_VERSION_PART = re.compile(r"\d+|[^\W\d_]+")
_VERSION_WORDS = frozenset({"v", "ver", "version", "r", "rel", "release"})
_MARKS = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def name_keys(name: str) -> frozenset[str]:
    """Return the keys of a name, one or two: two names are the same to a reader if they share one.

    The keys leave out case, width, how a letter is composed, invisible characters, how many spaces there are,
    and which dashes and quotation marks. One of them has Latin letters for those that look like them. Digits,
    accents and the letters of one script stay apart.
    """
    plain = name.translate(_AS_PLAIN)
    if plain.isascii():
        return frozenset({_fold(plain)})
    text = _BLANK.sub(" ", unicodedata.normalize("NFKC", plain))
    visible = "".join(c for c in _MARKS.sub("", text) if unicodedata.category(c) != "Cf")
    # A capital may look like another Latin letter than the small one, so look before folding.
    return frozenset({_fold(visible), _fold(visible.translate(_AS_LATIN)).translate(_AS_LATIN)})


def _fold(text: str) -> str:
    # Folding may take a letter apart, so it is composed again.
    return " ".join(unicodedata.normalize("NFKC", text.casefold()).split())


def is_same_version(one: str, other: str) -> bool:
    """Return whether two stated versions are the same, such as 2.1, v2.1.0 and "Version 2-1".

    Numbers and words count, in their order; other signs, a leading "v", and zeros before a number and at the
    end do not. Two texts without numbers and words are the same. Source of the zeros at the end: PEP 440.
    """
    return not {_version_parts(key) for key in name_keys(one)}.isdisjoint(
        _version_parts(key) for key in name_keys(other)
    )


def _version_parts(key: str) -> tuple[str, ...]:
    parts = [str(int(part)) if part.isdecimal() else part for part in _VERSION_PART.findall(key)]
    if parts and parts[0] in _VERSION_WORDS:
        del parts[0]
    while parts and parts[-1] == "0" and len(parts) > 1:
        del parts[-1]
    return tuple(parts)


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names are the same to a reader."""
    return not name_keys(one).isdisjoint(name_keys(other))
