"""What a file states of its runs, in words."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Submission
from leaderboard.services.rows.conditions import Say, print_fact
from leaderboard.services.text import join_names
from wardboard.scoring.facts import BY_KEY
from wardboard.scoring.facts_of_logs import QUANTITY_OF, as_stated
from wardboard.scoring.reading.formats.log_facts import Mean, log_facts_of


def log_lines(submission: Submission, say: Say) -> list[tuple[str, str]]:
    """Return label and words of each fact that the file states of its runs; [] for answers alone."""
    facts = log_facts_of(submission.log_facts)
    lines = []
    for key, value in as_stated(facts, needs_all=False).items():
        fact = BY_KEY[key]
        words = join_names(value) if isinstance(value, list) else print_fact(fact, value, say)
        if key in QUANTITY_OF and (mean := facts.mean(QUANTITY_OF[key])):
            words = _with_count(words, mean)
        lines.append((say(fact.label), words))
    labels = {
        "input_tokens": _("Input tokens per task"),
        "cached_tokens": _("Of these, cached"),
        "output_tokens": _("Output tokens per task"),
        "rounds": _("Turns of the model per task"),
    }
    for key, label in labels.items():
        if mean := facts.mean(key):
            figure = f"{mean.value:,.1f}" if key == "rounds" else f"{mean.value:,.0f}"
            lines.append((label, _with_count(figure, mean)))
    if temperatures := list(facts.names.get("temperature", ())):
        lines.append((_("Temperature"), ", ".join(f"{value:g}" for value in temperatures)))
    return lines


def _with_count(words: str, mean: Mean) -> str:
    if mean.count == mean.of:
        return words
    text = ngettext("%(words)s (%(n)s of %(of)s task)", "%(words)s (%(n)s of %(of)s tasks)", mean.of)
    return text % {"words": words, "n": f"{mean.count:,}", "of": f"{mean.of:,}"}
