"""Judge the claim of an answer alone; what contradicts it elsewhere leaves it open."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from wardboard.scoring.fhir_agentbench.judge.rules.grammar.asides import Asides
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.candidates import Candidates
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.claims import (
    READ,
    Claim,
    Weight,
    concludes,
    find_claims,
)
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.roles import TAKES_BACK, Role
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.strip import without_lead, without_parentheses
from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from wardboard.scoring.fhir_agentbench.judge.rules.refusals import reports_failure
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.dates import write_dates
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import MOST_CHARACTERS
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import ReferenceAnswer, ReferenceKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from wardboard.scoring.fhir_agentbench.judge.rules.topic import count_topic_words, names_in

Apply = Callable[[ReferenceAnswer, Answer, ParsedQuestion], RuleOutcome]

NONE = (ReferenceKind.NO_ANSWER, ReferenceKind.NOTHING, ReferenceKind.NULL)
_SIDES = (*NONE, ReferenceKind.BIT)  # whose answers affirm or deny
# How many characters may be read: so many, and more by the length of the answer. Each part counts for some
# more. Characters are counted and not time, so that an answer has the same verdict everywhere.
_MAY_READ, _MAY_READ_EACH = 2_000, 6
_READ_BESIDES = 30
# "It was elevated" says that there was something.
_ASSERTS = re.compile(
    r"^\W*(?:(?:well|but|and|though|so),? )?(?:(?:it|he|she) (?:was|is|had|has|took|"
    r"got)\b(?![^.]{0,40}\b(?:not|never|no|n't)\b)|\w+\W*$)",
    re.I,
)
_TURNS = re.compile(
    r"^\W*(?:however|but|yet|nevertheless|that said|still|although|though|on the other hand)\b", re.I
)
_MISSING = (Rule.NUMBER_MISSING, Rule.DATE_MISSING, Rule.RAW_DATA)  # which may not have been read
_DRAWN = re.compile(
    r"\b(?:so|thus|hence|therefore|consequently|accordingly|my answer|the answer|overall|finally)\b", re.I
)
_FEW_WORDS = 4  # of a part that is only a value
_ASIDE = (Role.METHOD, Role.SOURCE, Role.CAUTION)
# A sentence that sets aside what it names.
_SETS_ASIDE = re.compile(
    r"\b(?:not|never|exclud\w+|outside|left out|leav\w+ out|ignor\w+|another|other|irrelevant|unrelated|"
    r"disregard\w+|filtered|removed|dropped|skipped|omitted|without|earlier|later|before|after|prior|"
    r"previous\w*|"
    r"rul(?:ed|es|ing) out|discard\w*|reject\w*|eliminat\w*|dismiss\w*|set aside|falls? outside|wrong)\b|"
    r"n't\b",
    re.I,
)


class TooMuchToRead(Exception):
    """An answer needs more reading than one in prose ever does."""


@dataclass(slots=True)
class ClaimRule:
    """Judge an answer to one question by its claims.

    apply: the rules, for an answer or a part. characters_read: how many were, of all parts together.
    Each part is read once, however many claims it stands beside.
    """

    reference: ReferenceAnswer
    question: ParsedQuestion
    apply: Apply
    characters_read: int = field(default=0, init=False)
    _may_read: int = field(default=0, init=False, repr=False)
    _answers: dict[str, Answer] = field(default_factory=dict, init=False, repr=False)
    _outcomes: dict[str, RuleOutcome] = field(default_factory=dict, init=False, repr=False)

    def judge(self, text: str) -> RuleOutcome:
        """Return the outcome of the claim in `text`, or of all of it where none is found.

        What needs too much reading is left unsure, with Rule.TOO_LONG.
        """
        self._may_read = _MAY_READ + _MAY_READ_EACH * min(len(text), 2 * READ)
        try:
            return self._unless_unread(write_dates(text))
        except TooMuchToRead:
            return RuleOutcome(False, Rule.TOO_LONG, sure=False)

    def _unless_unread(self, text: str) -> RuleOutcome:
        """Return the outcome for `text`, read without its asides if it is not sure, or not surely wrong."""
        outcome = self._judge(text)
        candidates = Candidates(self.reference, self.question, self._answer, self._outcome_of)
        if outcome.sure and outcome.correct:
            return replace(outcome, sure=not candidates.may_be_taken_back(text))
        asides = Asides(self.reference, self.question, self._answer)
        if outcome.sure:
            return replace(outcome, sure=not asides.may_be_right(text))
        for rest in (asides.without(text), asides.denial_at_the_end(text)):
            without = self._outcome_of(rest) if rest else outcome
            if without.sure and without.correct:
                return without
        if candidates.are_right(text):
            return RuleOutcome(True, outcome.rule if outcome.correct else Rule.NUMBER_EQUAL)
        return outcome

    def _judge(self, text: str) -> RuleOutcome:
        whole = self._outcome_of(text)
        claims = find_claims(text, self.question, is_side=self.reference.kind in _SIDES, kind=self._kind())
        explicit = [claim for claim in claims if claim.weight is Weight.EXPLICIT]
        if explicit:
            outcomes = [self._judge_claim(claim) for claim in explicit]
            if len({(outcome.correct, outcome.sure) for outcome in outcomes}) > 1:
                return RuleOutcome(outcomes[-1].correct, Rule.CONTRADICTION, sure=False)
            outcome = outcomes[-1]
            if outcome.rule in _MISSING and not whole.sure:
                return RuleOutcome(outcome.correct, outcome.rule, sure=False)
            if (
                not (outcome.sure or outcome.correct or whole.correct)
                and whole.sure
                and self.reference.kind not in NONE
            ):
                return whole
            return outcome
        for claim in claims:
            # Of names, the sentences are judged one by one: a name that begins one is known by nothing else.
            is_rest = claim.weight is Weight.REST and self.reference.kind is not ReferenceKind.NAME
            if claim.weight is Weight.SHOWN or is_rest:
                outcome = self._judge_claim(claim)
                is_wrong = not outcome.correct and not (whole.sure and not whole.correct)
                if outcome.sure and not is_wrong and self._gives_a_value(self._answer(claim.readings[-1])):
                    return outcome
        return self._judge_plain([claim for claim in claims if claim.weight is Weight.PLAIN], whole)

    def _judge_plain(self, claims: Sequence[Claim], whole: RuleOutcome) -> RuleOutcome:
        """Judge an answer by the parts that may be its claim."""
        kind = self.reference.kind
        valued = [claim for claim in claims if self._may_claim(claim)]
        if not valued or (whole.sure and not whole.correct and kind not in NONE):
            return whole
        is_all = len(valued) == len(claims) or kind is ReferenceKind.LIST
        if whole.sure and is_all and len(claims) > 1 and kind not in (*NONE, ReferenceKind.NAME):
            return self._unless_cut(valued, whole)
        if kind not in _SIDES and any(self._answer(claim.readings[0]).stance.unable for claim in claims[:-1]):
            return RuleOutcome(False, Rule.HEDGED, sure=False)
        return self._judge_only(valued[0], whole) if len(valued) == 1 else self._judge_several(valued, whole)

    def _may_claim(self, claim: Claim) -> bool:
        return any(
            self._gives_a_value(self._answer(one)) for one in (*claim.readings[:1], *claim.readings[-1:])
        )

    def _unless_cut(self, claims: Sequence[Claim], whole: RuleOutcome) -> RuleOutcome:
        """Return `whole`, unsure if a list is complete and a part after it names fewer."""
        outcomes = [self._outcome_of(claim.readings[0]) for claim in claims]
        complete = [index for index, outcome in enumerate(outcomes) if outcome.sure and outcome.correct]
        if complete and self._is_short(claims[complete[0] :], outcomes[complete[0] :]):
            return RuleOutcome(whole.correct, Rule.CONTRADICTION, sure=False)
        return whole

    def _is_short(self, claims: Sequence[Claim], outcomes: Sequence[RuleOutcome]) -> bool:
        return any(
            outcome.rule is Rule.LIST_SHORT and self._names_a_value(claim.readings[0])
            for claim, outcome in zip(claims, outcomes, strict=True)
        )

    def _judge_several(self, claims: Sequence[Claim], whole: RuleOutcome) -> RuleOutcome:
        """Judge several parts that may be the claim: they must agree, or one of them selects a value."""
        kind = self.reference.kind
        outcomes = self._without_lists(claims, [self._read(claim.readings) for claim in claims])
        sure = {outcome.correct for outcome in outcomes if outcome.sure}
        if len(sure) != 1:
            return RuleOutcome(whole.correct, whole.rule, sure=False)
        if sure == {False} and (whole.correct or not whole.sure) and kind not in _SIDES:
            return RuleOutcome(False, whole.rule, sure=False)
        if all(outcome.sure for outcome in outcomes):
            return self._unless_taken_back(outcomes[0], claims[0])
        if sure == {True} and kind not in NONE and not self._clash(claims, outcomes, whole):
            # Values that are listed first, one of which the last part selects; or a value, and more about it.
            for index in (-1, 0):
                if outcomes[index].sure and not (index == 0 and self._is_short(claims, outcomes)):
                    return self._unless_taken_back(outcomes[index], claims[index])
        return RuleOutcome(outcomes[0].correct and whole.correct, outcomes[0].rule, sure=False)

    def _without_lists(self, claims: Sequence[Claim], outcomes: list[RuleOutcome]) -> list[RuleOutcome]:
        """Return the outcomes, unsure where values are listed before one of them is selected."""
        last = outcomes[-1]
        if not (last.sure and last.correct) or self.reference.kind in _SIDES:
            return outcomes
        is_name = self.reference.kind is ReferenceKind.NAME
        return [
            RuleOutcome(False, one.rule, sure=False)
            if self._lists_values(claim) or (is_name and not one.correct and _draws(claims[-1]))
            else one
            for claim, one in zip(claims[:-1], outcomes[:-1], strict=True)
        ] + [last]

    def _clash(self, claims: Sequence[Claim], outcomes: Sequence[RuleOutcome], whole: RuleOutcome) -> bool:
        if self.reference.kind is ReferenceKind.NAME:
            # Another part may be about another thing, of which nothing but its name is known.
            is_other = any(one.rule in (Rule.NAME_PART, Rule.NAME_DIFFERS) for one in outcomes)
            return is_other and not _draws(claims[-1])
        is_side = self.reference.kind is ReferenceKind.BIT
        return is_side and whole.rule is Rule.CONTRADICTION and not whole.correct

    def _names_a_value(self, part: str) -> bool:
        return any(value.text.casefold() in part.casefold() for value in self.reference.values)

    def _lists_values(self, claim: Claim) -> bool:
        answer = self._answer(claim.readings[0])
        return len(answer.numbers) > 1 or len(answer.dates) > 1

    def _judge_only(self, claim: Claim, whole: RuleOutcome) -> RuleOutcome:
        """Judge the only claim of an answer, unless the whole of it says otherwise."""
        outcome = self._judge_claim(claim)
        if not outcome.sure:
            return whole if whole.sure and not (whole.correct and claim.before + claim.after) else outcome
        disagrees = whole.sure and whole.correct is not outcome.correct
        is_unread = not outcome.correct and not whole.sure and self.reference.kind not in _SIDES
        return RuleOutcome(
            outcome.correct,
            outcome.rule,
            sure=not (is_unread or (disagrees and self.reference.kind not in NONE)),
        )

    def _judge_claim(self, claim: Claim) -> RuleOutcome:
        outcome = self._read(claim.readings)
        return self._unless_taken_back(outcome, claim) if outcome.sure else outcome

    def _read(self, readings: Sequence[str]) -> RuleOutcome:
        """Return the outcome of the longest reading that the rules can decide."""
        if self.reference.kind in _SIDES:
            # What follows a colon may say more than the words before it.
            readings = [
                *readings[:1],
                *(one for one in readings[1:] if not (one.endswith(":") or reports_failure(readings[0]))),
            ]
        else:
            shorter = (one for one in readings[1:] if self._gives_a_value(self._answer(one)))
            readings = [*readings[:1], *shorter]
        outcomes = [self._outcome_of(reading) for reading in readings]
        sure = [outcome for outcome in outcomes if outcome.sure]
        if not sure or outcomes[0].rule is Rule.TIME_DIFFERS:
            return outcomes[0]
        if len({outcome.correct for outcome in sure}) > 1:
            if sure[0].correct and self.reference.kind not in _SIDES:
                # Only of names and values may a shorter reading leave out what is right.
                return sure[0]
            return RuleOutcome(outcomes[0].correct, Rule.CONTRADICTION, sure=False)
        if not sure[0].correct and not outcomes[0].sure and self.reference.kind not in _SIDES:
            return RuleOutcome(False, sure[0].rule, sure=False)
        return sure[0]

    def _unless_taken_back(self, outcome: RuleOutcome, claim: Claim) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
        """Return `outcome`, unsure if another part takes it back or answers otherwise."""
        if any(TAKES_BACK.search(part.text) for part in claim.after if part.role is not Role.CAUTION):
            return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
        if self.reference.kind in _SIDES and any(
            _TURNS.match(part.text) for part in claim.after if part.role in (Role.CLAIM, Role.EVIDENCE)
        ):
            return RuleOutcome(outcome.correct, Rule.CONTRADICTION, sure=False)
        if self._says_yes(outcome) and any(
            contains_denial(part.text) and count_topic_words(self.question, self._answer(part.text).words)
            for part in claim.after
            if part.role is not Role.CAUTION
        ):
            return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
        for part, is_after in [
            *((part, False) for part in claim.before),
            *((part, True) for part in claim.after),
        ]:
            if is_after and outcome.correct and self.reference.kind in NONE and _ASSERTS.search(part.text):
                return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
            if part.role in _ASIDE or (is_after and part.role is Role.EVIDENCE):
                continue
            if (is_after or claim.weight is not Weight.EXPLICIT) and self._answers_otherwise(
                part.text, outcome.correct
            ):
                return RuleOutcome(outcome.correct, Rule.CONTRADICTION, sure=False)
            if self._contradicts(part.text, outcome.correct, is_after):
                return RuleOutcome(outcome.correct, Rule.CONTRADICTION, sure=False)
        return outcome

    def _contradicts(self, part: str, correct: bool, is_after: bool) -> bool:
        """Check whether the sentence `part` surely answers in another way than the claim does."""
        kind = self.reference.kind
        is_side = kind is ReferenceKind.BIT or (kind in NONE and correct)
        if is_side and kind is ReferenceKind.BIT and not is_after:
            is_side = self._answer(part).stance.explicit or contains_denial(part)
        if not (
            is_after
            or concludes(part)
            or (is_side and count_topic_words(self.question, self._answer(part).words))
        ):
            return False
        if _SETS_ASIDE.search(part) and not (self.reference.kind in _SIDES and contains_denial(part)):
            return False
        other = self._outcome_of(part)
        return other.sure and other.correct is not correct and self._gives_a_value(self._answer(part))

    def _kind(self) -> QuestionKind | None:
        """Return the kind of value that the reference is, None where the question tells it."""
        if self.reference.kind in _SIDES or not self.reference.values:
            return None
        if all(value.number is not None for value in self.reference.values):
            return QuestionKind.AMOUNT
        if all(value.date is not None for value in self.reference.values):
            return QuestionKind.WHEN
        return QuestionKind.THING

    def _says_yes(self, outcome: RuleOutcome) -> bool:
        if self.reference.kind is not ReferenceKind.BIT:
            return False
        return (self.reference.values[0].number == 1) is outcome.correct

    def _answers_otherwise(self, part: str, correct: bool) -> bool:
        """Check whether a part is another value and nothing else."""
        bare = without_lead(without_parentheses(part))
        if not 0 < len(bare.split()) <= _FEW_WORDS or bare.endswith(":"):
            return False
        other = self._outcome_of(bare)
        return other.sure and other.correct is not correct and self._gives_a_value(self._answer(bare))

    def _answer(self, part: str) -> Answer:
        if part not in self._answers:
            self.characters_read += _READ_BESIDES + min(len(part), MOST_CHARACTERS)
            if self.characters_read > self._may_read:
                raise TooMuchToRead
            self._answers[part] = Answer(part, self.question)
        return self._answers[part]

    def _outcome_of(self, part: str) -> RuleOutcome:
        if part not in self._outcomes:
            self._outcomes[part] = self.apply(self.reference, self._answer(part), self.question)
        return self._outcomes[part]

    def _gives_a_value(self, answer: Answer) -> bool:
        """Check whether a part has a value of the kind that is expected, or denies that there is one."""
        stance = answer.stance
        if stance.denies or stance.explicit or stance.absent:
            return True
        if self.reference.kind is ReferenceKind.BIT:
            return bool(answer.numbers) or count_topic_words(self.question, answer.words) > 0
        if self.reference.values and all(value.number is not None for value in self.reference.values):
            return bool(answer.numbers)
        if self.reference.values and all(value.date is not None for value in self.reference.values):
            return bool(answer.dates)
        return bool(answer.numbers or answer.new_dates or names_in(answer, self.question))


def _draws(claim: Claim) -> bool:
    """Check whether a claim is what the parts before it lead to: "so", "the answer"."""
    return _DRAWN.search(claim.readings[0]) is not None


def is_one_claim(claims: Sequence[Claim]) -> bool:
    """Check whether one part of an answer is its claim."""
    explicit = {claim.readings[-1].casefold() for claim in claims if claim.weight is Weight.EXPLICIT}
    if explicit:
        return len(explicit) == 1
    return any(claim.weight is Weight.SHOWN for claim in claims) or len(claims) == 1
