"""The rules of a leaderboard on which results have a rank; others are listed without one.

The organisers set them, and they are checked here alone: on the rows of a table, of today or of the past, and
on a file before it is scored.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from django.db.models import F, FloatField, Q
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce
from django.db.models.lookups import LessThanOrEqual
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.models import Board, Standing, Submission, System, Trace
from leaderboard.services.text import join_names, percent
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Reading
from wardboard.scoring.facts import COST, Harness
from wardboard.scoring.reading.codes import RulesCode
from wardboard.scoring.reading.messages import phrase, phrase_n
from wardboard.scoring.reading.problems import Problem, pointer

_CLOSE = 1e-9  # a share beyond its limit by less is equal to it but for rounding


class LeadRule(StrEnum):
    """A rule, by the name of the setting."""

    RUNS = "least_runs"
    TRACES = "needs_traces"
    HARNESS = "needs_official_harness"
    ROUNDS = "most_rounds"
    OPEN = "most_open"
    LINKS = "needs_links"
    COST = "needs_cost"
    # This is no setting: it holds on every leaderboard.
    ANSWERS = "mostly_answers"


# What a file lacks that does not meet a rule.
_LACKS = {
    LeadRule.TRACES: phrase("the file does not hold the trace of every answer"),
    LeadRule.HARNESS: phrase("the official harness is not stated"),
    LeadRule.LINKS: phrase("a link to code or a paper, or a contact, is not stated"),
    LeadRule.COST: phrase("the cost per task is not stated"),
    LeadRule.ROUNDS: phrase("the file does not state the rounds of every task"),
}
# The facts that a file without it is told to state.
_FACTS = {LeadRule.HARNESS: "harness", LeadRule.LINKS: "contact_url", LeadRule.COST: COST}
# The fields of a board.
RULE_SETTINGS = tuple(rule.value for rule in LeadRule if rule is not LeadRule.ANSWERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadRules:
    """What a result needs for a rank; the fields are the settings of a board with the same names.

    Without values a result needs nothing but answers in at least half of its records. A published result
    that was not rescored here has one run, no trace and unknown rounds.

    most_open: share of its answers that the judge may leave undecided, 0..1; 1 where no judge leaves any
    upper_key: of the metric that is the upper end of the score; "" where no judge leaves answers undecided
    """

    least_runs: int = 1
    needs_traces: bool = False
    needs_official_harness: bool = False
    most_rounds: int | None = None
    needs_links: bool = False
    needs_cost: bool = False
    most_open: float = 1.0
    upper_key: str = field(default="", compare=False)

    @classmethod
    def of(cls, board: Board, stated: Mapping[str, Any] | None = None) -> Self:
        """Return the rules of a board as they are now, or as `as_json` once stated them.

        Rules that were stated before one of today's existed do not ask for it.
        """
        upper_key = registry.get(board.benchmark).metrics[0].upper_key
        if stated is None:
            stated = {name: getattr(board, name) for name in RULE_SETTINGS}
        if not upper_key:
            stated = {**stated, LeadRule.OPEN.value: 1.0}
        return cls(**stated, upper_key=upper_key)

    def as_json(self) -> dict[str, Any]:
        """Return the rules as JSON, from which they can be made again."""
        return {name: getattr(self, name) for name in RULE_SETTINGS}

    def __bool__(self) -> bool:
        return self != _NONE

    @property
    def condition_on_file(self) -> Q:
        """The condition on what a rank asks of the file, of a row as of a submission."""
        answered = F("evaluation__submission__count") - F("evaluation__submission__no_answers")
        # Neither mostly empty, nor without a file.
        condition = Q(evaluation__submission__count=None) | Q(evaluation__total__lte=2 * answered)
        if self.least_runs > 1:
            counted = F("evaluation__submission__repeated_runs") + self.least_runs
            condition &= Q(evaluation__runs__gte=counted)
        if self.needs_traces:
            condition &= Q(evaluation__submission__trace=Trace.WHOLE)
        if self.most_rounds is not None:
            condition &= Q(evaluation__submission__most_rounds__lte=self.most_rounds)
        return condition

    @property
    def condition(self) -> Q:
        """The condition on rows with a rank."""
        condition = self.condition_on_file
        if self.needs_official_harness:
            condition &= Q(harness=Harness.OFFICIAL)
        if self.needs_links:
            condition &= Q(has_links=True)
        if self.needs_cost:
            condition &= ~Q(**{COST: None})
        if self.most_open < 1:
            open_share = upper_end_of(self.upper_key) - F("score")
            condition &= Q(LessThanOrEqual(open_share, self.most_open + _CLOSE))
        return condition

    def unmet(
        self, *, runs: int, trace: str | None, harness: str, rounds: int | None, stated: dict[LeadRule, bool]
    ) -> Iterator[LeadRule]:
        """Yield the rules of the board that a result does not meet.

        runs: without those that are missing or repeat another one, also of a deterministic system.
        trace: a Trace; None or "" where that is not known.
        rounds: turns of the model in the longest attempt; None where an attempt does not state them.
        stated: from `states`.
        """
        if runs < self.least_runs:
            yield LeadRule.RUNS
        if self.needs_traces and trace != Trace.WHOLE:
            yield LeadRule.TRACES
        if self.needs_official_harness and harness != Harness.OFFICIAL:
            yield LeadRule.HARNESS
        if self.most_rounds is not None and (rounds is None or rounds > self.most_rounds):
            yield LeadRule.ROUNDS
        yield from (rule for rule, is_stated in stated.items() if getattr(self, rule) and not is_stated)

    def open_share(self, score: float | None, metrics: Mapping[str, Any]) -> float:
        """Return the share of the answers that are undecided, from figures that are not rounded, 0..1."""
        return (metrics.get(self.upper_key) or 0.0) - (score or 0.0)

    def _unmet_by_answers(
        self, score: float | None, metrics: Mapping[str, Any], *, is_empty: bool
    ) -> Iterator[LeadRule]:
        if self.open_share(score, metrics) > self.most_open + _CLOSE:
            yield LeadRule.OPEN
        if is_empty:
            yield LeadRule.ANSWERS

    def unmet_by(self, row: Standing) -> list[LeadRule]:
        """Return the rules that a row from `with_submission` does not meet."""
        runs = row.evaluation.runs if row.evaluation_id and row.evaluation else 1
        found = self.unmet(
            runs=runs - (row.repeated_runs or 0),
            trace=row.trace,
            harness=row.harness,
            rounds=row.most_rounds,
            stated={LeadRule.LINKS: bool(row.has_links), LeadRule.COST: getattr(row, COST) is not None},
        )
        total = row.evaluation.total if row.evaluation_id and row.evaluation else 0
        is_empty = row.count is not None and 2 * (row.count - (row.no_answers or 0)) < total
        return [*found, *self._unmet_by_answers(row.score, row.metrics, is_empty=is_empty)]

    def warnings_of(
        self, reading: Reading, *, runs: int, harness: str | None = None, stated: dict[LeadRule, bool]
    ) -> list[Problem]:
        """Return a warning for each rule that a file does not meet, before it is scored.

        runs: that are declared. harness: of the system; None where it is not stated yet, which is no fault.
        stated: from `states`; empty where nothing is stated yet.
        """
        runs -= reading.uncounted_runs
        rounds = reading.log_facts.most_rounds
        unmet = self.unmet(
            runs=runs,
            trace=reading.trace,
            harness=Harness.OFFICIAL if harness is None else harness,
            rounds=rounds,
            stated=stated,
        )
        return [self._warning(rule, runs, rounds) for rule in unmet]

    def _warning(self, rule: LeadRule, runs: int, rounds: int | None) -> Problem:
        if rule is LeadRule.RUNS:
            message = phrase_n(
                "{n} run counts, without missing and repeated ones, and a rank here takes {least}",
                "{n} runs count, without missing and repeated ones, and a rank here takes {least}",
                runs,
                least=self.least_runs,
            )
        elif rule is LeadRule.ROUNDS and rounds is not None:
            message = phrase(
                "the longest task took {rounds} rounds, and a rank here takes at most {most}",
                rounds=rounds,
                most=self.most_rounds or 0,
            )
        else:
            message = _LACKS[rule]
        place = pointer(_FACTS[rule]) if rule in _FACTS else ""
        code = RulesCode[rule.name]
        return Problem(code=code, pointer=place, message=message, hint=code.fix)

    def unmet_by_result(self, submission: Submission) -> list[LeadRule]:
        """Return the rules that a scored submission does not meet, were it published now.

        While its score is rounded, its undecided answers are not counted: how many a judge leaves undecided
        depends on the reference answers.
        """
        facts, evaluation = submission.stated_facts or {}, submission.evaluation
        found = self.unmet(
            runs=submission.runs - submission.repeated_runs,
            trace=submission.trace,
            harness=facts.get("harness") or submission.system.harness,
            rounds=submission.most_rounds,
            stated=states(submission.system, facts),
        )
        score, metrics = None, {}
        if evaluation and submission.has_exact_score:
            score, metrics = evaluation.rate.rate, evaluation.metrics
        return [*found, *self._unmet_by_answers(score, metrics, is_empty=submission.is_mostly_empty)]

    def why_unranked(self, unmet: Collection[LeadRule], open_share: float | None = None) -> str:
        """Return why these unmet rules keep a result from a rank, in the language of the reader.

        open_share: of the answers that are undecided, 0..1; None where it is not visible
        """
        texts = self.sentences
        if open_share is not None:
            template = _("at most %(most)s undecided answers (%(share)s of its answers are undecided)")
            values = {"most": _short_percent(self.most_open), "share": _short_percent(open_share)}
            texts[LeadRule.OPEN] = template % values
        takes = join_names(texts[rule] for rule in unmet if rule is not LeadRule.ANSWERS)
        is_empty = LeadRule.ANSWERS in unmet
        empty = _("more than half of its answers are no answers, or one text") if is_empty else ""
        return join_names(filter(None, [empty, takes and _("a rank takes %(rules)s") % {"rules": takes}]))

    @property
    def sentences(self) -> dict[LeadRule, str]:
        """What each rule that is set asks for, in the language of the reader."""
        texts: Mapping[LeadRule, str] = {
            LeadRule.RUNS: ngettext(
                "at least %(runs)s run",
                "at least %(runs)s runs, without missing and repeated ones",
                self.least_runs,
            )
            % {"runs": self.least_runs},
            LeadRule.TRACES: _("a trace of every answer"),
            LeadRule.HARNESS: _("the official harness"),
            LeadRule.ROUNDS: ngettext(
                "at most %(rounds)s round per task",
                "at most %(rounds)s rounds per task",
                self.most_rounds or 0,
            )
            % {"rounds": self.most_rounds},
            LeadRule.OPEN: _("at most %(most)s undecided answers") % {"most": _short_percent(self.most_open)},
            LeadRule.LINKS: _("a link to code or a paper, and a contact"),
            LeadRule.COST: _("a stated cost per task"),
        }
        return {rule: text for rule, text in texts.items() if getattr(self, rule) != getattr(_NONE, rule)}


_NONE = LeadRules()


def _short_percent(share: float) -> str:
    """Format a share in 0..1, a whole percentage without its decimal: 37%, 36.7%."""
    return percent(share).replace(".0%", "%")


def upper_end_of(upper_key: str) -> Combinable:
    """Return the expression for the upper end of a row's score; the score itself without one."""
    if not upper_key:
        return F("score")
    return Coalesce(Cast(KeyTextTransform(upper_key, "metrics"), FloatField()), F("score"))


def has_links(system: System | None, stated: Mapping[str, Any]) -> bool:
    """Return whether a system links its code or a paper, and a contact, once what is `stated` holds."""
    code, paper, contact = (_fact(system, stated, name) for name in ("code_url", "paper_url", "contact_url"))
    return bool((code or paper) and contact)


def states(system: System | None, stated: Mapping[str, Any]) -> dict[LeadRule, bool]:
    """Return for which rules a system states enough, as `has_links`: that on links, and that on its cost."""
    has_cost = _fact(system, stated, COST) is not None
    return {LeadRule.LINKS: has_links(system, stated), LeadRule.COST: has_cost}


def _fact(system: System | None, stated: Mapping[str, Any], name: str) -> Any:
    if name in stated.get("taken_back", ()):
        return None
    value = stated.get(name)
    return getattr(system, name, None) if value is None else value
