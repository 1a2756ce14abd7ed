"""What a file states of its runs, in words, beside what its submitter states."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Submission
from leaderboard.services.rows.conditions import Say, print_fact
from leaderboard.services.text import join_names
from wardboard.scoring.facts import BY_KEY
from wardboard.scoring.facts_of_logs import QUANTITY_OF, as_stated
from wardboard.scoring.reading.formats.log_facts import LogFacts, log_facts_of

# How many times as large as the other one of two figures may be, before a page says that they differ.
_MUCH = 1.1


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A fact in words. log: from the file; stated: as the submitter states it, "" for not at all.

    differs: whether they contradict each other
    """

    label: str
    log: str
    stated: str = ""
    differs: bool = False


def log_lines(submission: Submission, say: Say) -> list[LogLine]:
    """Return what the file states of its runs; [] for a file with answers alone."""
    facts, system = log_facts_of(submission.log_facts), submission.system
    known = as_stated(facts, needs_all=False)
    lines = []
    for key, value in known.items():
        fact = BY_KEY[key]
        stated = getattr(system, fact.field) or None
        words = join_names(value) if isinstance(value, list) else print_fact(fact, value, say)
        if key in QUANTITY_OF:
            words = _with_count(words, facts, QUANTITY_OF[key])
        stated_words = join_names(stated) if isinstance(stated, list) else print_fact(fact, stated, say)
        lines.append(
            LogLine(label=say(fact.label), log=words, stated=stated_words, differs=_differs(value, stated))
        )
    return [*lines, *_other_lines(facts)]


def _other_lines(facts: LogFacts) -> list[LogLine]:
    labels = {
        "input_tokens": _("Input tokens per task"),
        "cached_tokens": _("Of these, cached"),
        "output_tokens": _("Output tokens per task"),
        "rounds": _("Turns of the model per task"),
    }
    lines = []
    for key, label in labels.items():
        if mean := facts.mean(key):
            figure = f"{mean.value:,.1f}" if key == "rounds" else f"{mean.value:,.0f}"
            lines.append(LogLine(label=label, log=_with_count(figure, facts, key)))
    if temperatures := list(facts.names.get("temperature", ())):
        words = ", ".join(f"{value:g}" for value in temperatures)
        lines.append(LogLine(label=_("Temperature"), log=words))
    return lines


def _with_count(words: str, facts: LogFacts, quantity: str) -> str:
    mean = facts.mean(quantity)
    assert mean is not None, "its words were made from it"
    if mean.count == mean.of:
        return words
    text = ngettext("%(words)s (%(n)s of %(of)s task)", "%(words)s (%(n)s of %(of)s tasks)", mean.of)
    return text % {"words": words, "n": f"{mean.count:,}", "of": f"{mean.of:,}"}


def _differs(value: Any, stated: Any) -> bool:
    """Return whether a figure that is stated differs much from that of the file, or is of another day.

    Names of models and harnesses are written in too many ways to compare them.
    """
    if stated is None or isinstance(value, str | list):
        return False
    if isinstance(value, float):
        return bool(max(value, stated) > _MUCH * min(value, stated))
    return bool(value != stated)
