"""Parse what submitters state about the runs in a submission, beside the facts about the system."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.services.errors import FactsInvalid
from leaderboard.services.submissions.stated_facts import StatedFacts, parse_facts
from leaderboard.services.text import has_hidden_characters
from scoring.reading.codes import RunsCode
from scoring.reading.problems import Problem, pointer
from scoring.runs import MOST_RUNS

_MAX_RETRIES = 1000  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRuns:
    """How many runs were declared, at least as many as there are files, and what was run again, and why."""

    runs: int
    retries: str = ""


def parse_stated(params: Mapping[str, Any], *, files: int) -> tuple[StatedFacts, StatedRuns]:
    """Parse the facts about the system and about its runs.

    params: as for `parse_facts`, with `runs` and `retries`, both strings. files: that were sent.
    Raises FactsInvalid with every problem.
    """
    problems: list[Problem] = []
    facts = None
    try:
        facts = parse_facts(params)
    except FactsInvalid as error:
        problems += error.problems
    runs = _parse_runs(str(params.get("runs") or "").strip(), files, problems)
    retries = _parse_retries(str(params.get("retries") or ""), problems)
    if facts is None or problems:
        raise FactsInvalid(problems)
    return facts, StatedRuns(runs=runs, retries=retries)


def _parse_runs(text: str, files: int, problems: list[Problem]) -> int:
    if not text:
        return files
    runs = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_RUNS)) else 0
    if not 1 <= runs <= MOST_RUNS:
        problems.append(
            Problem(
                code="facts.invalid",
                pointer=pointer("runs"),
                message=_("It is not a whole number from 1 to %(most)s.") % {"most": MOST_RUNS},
                hint=_("State how many runs you planned, or leave it out."),
            )
        )
    elif runs < files:
        problems.append(
            Problem(
                code=RunsCode.MORE_THAN_DECLARED,
                pointer=pointer("runs"),
                message=_("It declares fewer runs (%(runs)s) than there are files (%(files)s).")
                % {"runs": runs, "files": files},
                hint=_("State how many runs you planned, or leave it out."),
            )
        )
    return max(runs, files)


def _parse_retries(text: str, problems: list[Problem]) -> str:
    text = " ".join(text.split())
    if len(text) > _MAX_RETRIES:
        message = _("It is longer than %(most)s characters.") % {"most": _MAX_RETRIES}
    elif has_hidden_characters(text):
        message = _("It holds control or invisible characters.")
    else:
        return text
    hint = _("Say briefly what was run again, and why, or leave it out.")
    problems.append(Problem(code="facts.invalid", pointer=pointer("retries"), message=message, hint=hint))
    return ""
