"""The texts of a row that are searched, made when it is written."""

from collections.abc import Iterable

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
