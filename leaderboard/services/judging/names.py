"""The name of a judge for people; its identity is for programs."""

import re

from django.utils.translation import gettext, gettext_noop

# First word of an identity -> name. "official:" is of figures that were only published.
_NAMES = {
    "rules": gettext_noop("Wardboard rules"),
    "hybrid": gettext_noop("Wardboard hybrid"),
    "llm": gettext_noop("Wardboard LLM"),
    "official": gettext_noop("official LLM judge"),
    "official:": gettext_noop("official LLM judge (as published)"),
}
_FIRST_WORD = re.compile(r"[a-z]+:?")


def judge_name(identity: str) -> str:
    """Return the name of a judge in the active language, such as `Wardboard rules 7`.

    identity: see wardboard.scoring.judging.Judge.identity; one that begins otherwise is returned as it is.
    """
    word = _FIRST_WORD.match(identity)
    name = word and _NAMES.get(word[0])
    if not (word and name):
        return identity
    translated, rest = gettext(name), identity[word.end() :]
    # A full-width mark includes its own space.
    return translated + (rest.lstrip() if translated.endswith("）") else rest)


def english_judge_name(identity: str) -> str:
    """Return the name of a judge for exports, which are in English whatever the page is in."""
    word = _FIRST_WORD.match(identity)
    return _NAMES.get(word[0], word[0]) + identity[word.end() :] if word else identity
