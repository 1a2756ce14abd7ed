"""Say under which conditions a system was run, as its submitter states them.

Pages and exports have these texts alike: `say` translates a word for a page, and leaves it for an export.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_noop

from leaderboard.models import Harness
from leaderboard.models.systems import Facts
from leaderboard.services.rows.export_row import ExportRow

Stated = Facts | ExportRow
Say = Callable[[str], str]
_YES, _NO = gettext_noop("Yes"), gettext_noop("No")
_LEAST_DOLLARS, _LEAST_SECONDS = 0.0001, 0.1  # as they are printed


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition, as a column and as an entry of a list; its texts are English.

    words: returns the condition of a system; "" where it is not stated
    is_figure: whether it is aligned to the right
    is_best_lowest: whether the lowest figure is the best
    """

    label: str
    description: str
    words: Callable[[Stated, Say], str]
    is_figure: bool = False
    is_best_lowest: bool = False


def _harness(facts: Stated, say: Say) -> str:
    label = say(str(Harness(facts.harness).label)) if facts.harness in Harness else ""
    return " · ".join(filter(None, (label, facts.harness_name)))


def _yes_no(value: bool | None, say: Say) -> str:
    return "" if value is None else say(_YES if value else _NO)


def print_dollars(value: float | None) -> str:
    """Print an amount, as $0.0420; "" for None."""
    if value is not None and 0 < value < _LEAST_DOLLARS:
        return f"<${_LEAST_DOLLARS}"
    return "" if value is None else f"${value:,.2f}" if value >= 1 else f"${value:.4f}"


def print_seconds(value: float | None) -> str:
    """Print a time, as 12.5 s; "" for None."""
    if value is not None and 0 < value < _LEAST_SECONDS:
        return f"<{_LEAST_SECONDS} s"
    return "" if value is None else f"{value:,.1f} s"


# Column -> condition, in the order of the columns.
CONDITIONS: Mapping[str, Condition] = {
    "harness": Condition(
        label=gettext_noop("Harness"),
        description=gettext_noop("What ran the system on the tasks, as stated by the submitter."),
        words=_harness,
    ),
    "tools": Condition(
        label=gettext_noop("Tools"),
        description=gettext_noop("The tools that the system could use, as stated by the submitter."),
        words=lambda facts, say: facts.tools,
    ),
    "memory": Condition(
        label=gettext_noop("Memory of tasks"),
        description=gettext_noop(
            "Whether the system had memory or examples from the benchmark’s tasks, as stated by the "
            "submitter."
        ),
        words=lambda facts, say: _yes_no(facts.task_memory, say),
    ),
    "trained": Condition(
        label=gettext_noop("Trained on benchmark"),
        description=gettext_noop(
            "Whether a model of the system was trained or tuned on this benchmark, as stated by the "
            "submitter."
        ),
        words=lambda facts, say: _yes_no(facts.trained_on_benchmark, say),
    ),
    "cost": Condition(
        label=gettext_noop("Cost per task"),
        description=gettext_noop("Mean US dollars per task, as stated by the submitter."),
        words=lambda facts, say: print_dollars(facts.cost_per_task),
        is_figure=True,
        is_best_lowest=True,
    ),
    "time": Condition(
        label=gettext_noop("Time per task"),
        description=gettext_noop("Mean seconds per task, as stated by the submitter."),
        words=lambda facts, say: print_seconds(facts.seconds_per_task),
        is_figure=True,
        is_best_lowest=True,
    ),
    "run": Condition(
        label=gettext_noop("Date of run"),
        description=gettext_noop("The day of the run, as stated by the submitter."),
        words=lambda facts, say: facts.run_on.isoformat() if facts.run_on else "",
        is_figure=True,
    ),
    "image": Condition(
        label=gettext_noop("FHIR server image"),
        description=gettext_noop("The digest of the FHIR server’s image, as stated by the submitter."),
        words=lambda facts, say: facts.fhir_image,
    ),
}
# Column -> field of a row, of those by which a table can be sorted.
SORTED_BY: Mapping[str, str] = {
    "harness": "harness",
    "cost": "cost_per_task",
    "time": "seconds_per_task",
    "run": "run_on",
}


def words_of(facts: Stated, say: Say) -> list[tuple[str, str]]:
    """Return label and words of each condition that is stated."""
    texts = ((condition.label, condition.words(facts, say)) for condition in CONDITIONS.values())
    return [(say(label), words) for label, words in texts if words]


def side_by_side(systems: Sequence[Stated], say: Say) -> list[tuple[str, list[str]]]:
    """Return label and words, one a system, of each condition that any of the systems states."""
    lines = (
        (say(condition.label), [condition.words(facts, say) for facts in systems])
        for condition in CONDITIONS.values()
    )
    return [(label, words) for label, words in lines if any(words)]


def differ_in_harness(systems: Sequence[Stated]) -> bool:
    """Return whether two of the systems are stated to have been run under different harnesses."""
    kinds = {facts.harness for facts in systems if facts.harness}
    names = {facts.harness_name.casefold() for facts in systems if facts.harness_name}
    return len(kinds) > 1 or len(names) > 1
