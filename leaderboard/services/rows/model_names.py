"""Which stated strings name one model: those that organisers joined, and those that differ in form alone."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from leaderboard.services.text import fold_case

# Who serves a model. After any other prefix may stand a model that someone tuned.
_PROVIDER = re.compile(
    r"^((anthropic|cohere|deepseek(-ai)?|google|meta(-llama)?|microsoft|mistralai|moonshotai|nvidia|openai|"
    r"openrouter|qwen|vertex_ai|x-?ai|z-?ai)/)+"
)
_RELEASE = re.compile(r"([-@ ](20\d\d-?[01]\d-?[0-3]\d|latest))?(:[a-z]+)?$")
_BEFORE_NUMBER = re.compile(r"(?<=[a-z])[\s._-]+(?=\d)")
_SEPARATOR = re.compile(r"[\s._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNames:
    """The models of a board, by the strings that its rows state.

    proposals: string on which no organiser decided, and which looks like another model -> name of that model
    """

    names: Mapping[str, str]
    proposals: Mapping[str, str]

    def all_of(self, stated: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the models that a system states, each once."""
        return tuple(dict.fromkeys(self.names.get(text, text) for text in stated))

    def name_of(self, text: str) -> str:
        """Return the name of the model that `text` names in one of its forms; the text for no model."""
        stated = text if text in self.names.values() else self.names.get(text)
        alike = (own for each, own in self.names.items() if _form(text) in (_form(own), _form(each)))
        return stated or next(alike, text)

    def spellings(self, name: str) -> list[str]:
        """Return every string that names a model. name: as `name_of` takes it"""
        model = self.name_of(name)
        return [text for text, own in self.names.items() if own == model] or [name]


def name_models(stated: Collection[str], aliases: Mapping[str, str]) -> ModelNames:
    """Name the model of each string. aliases: string -> name, as organisers decided, in their order.

    Strings of one form that have no name share the last of it that another string has, or their plainest.
    """
    given = [name for name in aliases.values() if aliases.get(name) != name]
    shown: dict[str, str] = {}
    for name in (*reversed(given), *sorted({*stated} - aliases.keys(), key=_rank)):
        shown.setdefault(_form(name), name)
    names = {text: aliases.get(text) or shown[_form(text)] for text in stated}
    likely: dict[str, str] = {}
    for name in sorted({*names.values()}, key=_rank):
        likely.setdefault(_likeness(name), name)
    alike = {text: likely[_likeness(name)] for text, name in names.items() if text not in aliases}
    # Names of one form are apart only where an organiser decided it.
    apart = {text: name for text, name in alike.items() if _form(name) != _form(names[text])}
    return ModelNames(names=names, proposals=apart)


def _rank(name: str) -> tuple[bool, bool, bool, str]:
    """Order the spellings of a model: plain, without a date, and in mixed case first."""
    return "/" in name, _RELEASE.sub("", name, count=1) != name, name.islower() or name.isupper(), name


def _form(text: str) -> str:
    """Return a string without case, provider and full width: strings of one form certainly name one model."""
    return _PROVIDER.sub("", fold_case(unicodedata.normalize("NFKC", text)))


def _likeness(name: str) -> str:
    """Return what names that may be of one model share, such as GPT-4o and azure/gpt4o-2024-08-06."""
    plain = _RELEASE.sub("", _form(name).rpartition("/")[2], count=1)
    return _SEPARATOR.sub("-", _BEFORE_NUMBER.sub("", plain))
