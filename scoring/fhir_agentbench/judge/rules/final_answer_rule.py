"""Judge the final answer of an answer alone; what contradicts it elsewhere leaves the verdict open."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.final_answer import (
    READ,
    FinalAnswer,
    concludes,
    find_final_answers,
)
from scoring.fhir_agentbench.judge.rules.text.normalise import (
    MOST_CHARACTERS,
    last_sentences,
    sentences,
    words,
)
from scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from scoring.fhir_agentbench.judge.rules.text.references import ReferenceAnswer, ReferenceKind
from scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from scoring.fhir_agentbench.judge.rules.text.vocabulary import FILLER
from scoring.fhir_agentbench.judge.rules.topic import COMMON, VALUE_WORDS, count_topic_words, topic_words

Apply = Callable[[ReferenceAnswer, Answer, ParsedQuestion], RuleOutcome]

_NONE = (ReferenceKind.NO_ANSWER, ReferenceKind.NOTHING, ReferenceKind.NULL)
_SIDES = (*_NONE, ReferenceKind.BIT)  # whose answers affirm or deny
_TAKES_BACK = re.compile(
    r"\b(?:wait|actually|correction|however|sorry|instead|rather|but|alternatively|unless|although|though|"
    r"maybe|perhaps|possibly|might|may|could|not sure|unsure|uncertain|second thoughts?|or)\b|\?",
    re.I,
)
# A sentence that sets aside what it names.
SETS_ASIDE = re.compile(
    r"\b(?:not|never|n't|exclud\w+|outside|left out|leav\w+ out|ignor\w+|another|other|irrelevant|unrelated|"
    r"disregard\w+|filtered|removed|dropped|skipped|omitted|without|earlier|later|before|after|prior|previous\w*|"
    r"rul(?:ed|es|ing) out|discard\w*|reject\w*|eliminat\w*|dismiss\w*|set aside|falls? outside)\b"
    r"|n't\b",
    re.I,
)
# A sentence about how an answer was found.
TELLS_HOW = re.compile(
    r"\b(?:resources?|bundles?|pages?|quer(?:y|ied|ies)|search\w*|retriev\w+|read|fetch\w*|filter\w*|"
    r"entr(?:y|ies)|match(?:es|ed)?|hits|went|scann\w+|examin\w+|consider\w*|began|includ\w+|"
    r"sort\w*|list(?:ed)?|look(?:ed|ing)|check\w*|analy[sz]\w+|review\w*|step \d+)\b",
    re.I,
)
_CLOSES = re.compile(
    r"\W*+(?:done|finished|end|ok(?:ay)?|thanks?|thank you|that is all|that's all)?\W*", re.I
)
_WRONG = re.compile(r"\b(?:wrong|incorrect|false|mistake\w*|invalid|outdated|obsolete)\b", re.I)
_ENDED = re.compile(r"[.;!?](?=\s|$)|\n")
_PARENTHESES = re.compile(r"\([^()]{0,300}\)")
# A name within a sentence.
_NAME = re.compile(r"(?<=[\w,:*\"'(] )[\"'*(]{0,3}[A-Z][\w-]+")
# The end of a sentence that the final answer completes.
_LEADS_IN = re.compile(r"(?:\b(?:is|are|was|were|be|as|get|got|have)|:)[\s*_]*$", re.I)
_LEAD_WORDS = frozenset(words("conclude concluded get got find so"))
# How many characters may be read: so many, and more by the length of the answer. Each part counts for some
# more, and text that is only searched for a tenth. Real answers need at most half. Characters are counted and
# not time, so that an answer has the same verdict everywhere.
_MAY_READ, _MAY_READ_EACH = 2_000, 6
_READ_BESIDES, _SEARCHED = 30, 10
_MOST_SENTENCES = 60  # on each side of a final answer that are compared with it


class TooMuchToRead(Exception):
    """An answer needs more reading than one in prose ever does."""


@dataclass(slots=True)
class FinalAnswerRule:
    """Judge an answer to one question by its final answers.

    apply: the rules, for an answer or a part. characters_read: how many were, of all parts together.

    Each part is read once, however many final answers it stands beside: an answer with hundreds of them would
    cost a hundred times what prose does.
    """

    reference: ReferenceAnswer
    question: ParsedQuestion
    apply: Apply
    characters_read: int = field(default=0, init=False)
    _may_read: int = field(default=0, init=False, repr=False)
    _answers: dict[str, Answer] = field(default_factory=dict, init=False, repr=False)
    _outcomes: dict[str, RuleOutcome] = field(default_factory=dict, init=False, repr=False)
    # By the part, whether the final answer is right, and whether the part comes after it.
    _contradictions: dict[tuple[str, bool, bool], bool] = field(default_factory=dict, init=False, repr=False)

    def judge(self, text: str) -> RuleOutcome:
        """Return the outcome of the final answer in `text`, or of all of it where none is found.

        What needs too much reading is left unsure, with Rule.TOO_LONG.
        """
        self._may_read = _MAY_READ + _MAY_READ_EACH * min(len(text), 2 * READ)
        try:
            return self._judge(text)
        except TooMuchToRead:
            return RuleOutcome(False, Rule.TOO_LONG, sure=False)

    def _judge(self, text: str) -> RuleOutcome:
        whole = self._outcome_of(text)
        finals = find_final_answers(text)
        explicit = [final for final in finals if final.is_explicit]
        if not explicit:
            # Where nothing is expected, values on the way to a denial do not make an answer wrong.
            is_final = whole.sure and (whole.correct or self.reference.kind not in _NONE)
            if is_final and whole.correct and self.reference.kind in _NONE and self._names_at_end(text):
                return RuleOutcome(True, Rule.CONTRADICTION, sure=False)
            return whole if is_final else self._judge_implied(finals, whole)
        outcomes = [self._judge_one(final) for final in explicit]
        if len({(outcome.correct, outcome.sure) for outcome in outcomes}) > 1:
            return RuleOutcome(outcomes[-1].correct, Rule.CONTRADICTION, sure=False)
        outcome = outcomes[-1]
        if not (outcome.sure or outcome.correct) and whole.sure and self.reference.kind not in _NONE:
            return whole
        return outcome

    def _names_at_end(self, text: str) -> bool:
        """Check whether a conclusion or the last sentence names something, and denies nothing.

        "That one is not counted. So the record lists Aspirin" is no denial, nor is one only in parentheses.
        """
        bare = _PARENTHESES.sub(" ", text)
        if bare.strip() and bare != text and not self._outcome_of(bare).correct:
            return True
        parts = sentences(text)[-_MOST_SENTENCES:]
        for part in parts[1:]:
            if not (concludes(part) or part is parts[-1]):
                continue
            stance = self._answer(part).stance
            if contains_denial(part) or stance.absent or stance.unable or stance.failed:
                continue
            if any(word not in self.question.words for word in words(" ".join(_NAME.findall(part)))):
                return True
        return False

    def _answer(self, part: str) -> Answer:
        if part not in self._answers:
            self._spend(_READ_BESIDES + min(len(part), MOST_CHARACTERS))
            self._answers[part] = Answer(part, self.question)
        return self._answers[part]

    def _spend(self, characters: int) -> None:
        self.characters_read += characters
        if self.characters_read > self._may_read:
            raise TooMuchToRead

    def _outcome_of(self, part: str) -> RuleOutcome:
        if part not in self._outcomes:
            self._outcomes[part] = self.apply(self.reference, self._answer(part), self.question)
        return self._outcomes[part]

    def _judge_one(self, final: FinalAnswer) -> RuleOutcome:
        """Judge the longest reading of a final answer that the rules can decide."""
        outcomes = [self._outcome_of(segment) for segment, _ in final.segments]
        if not outcomes:
            return RuleOutcome(False, Rule.UNREADABLE, sure=False)
        longest, correct = outcomes[0], [outcome.correct for outcome in outcomes if outcome.sure]
        if len(set(correct)) > 1 and not (correct[0] and self.reference.kind not in _SIDES):
            # Only of names and values may a shorter reading leave out what is right.
            return RuleOutcome(longest.correct, Rule.CONTRADICTION, sure=False)
        for outcome, (_, after) in zip(outcomes, final.segments, strict=True):
            if not outcome.sure or (not outcome.correct and longest.correct):
                continue
            if self._is_contradicted(outcome, final.before, after):
                return RuleOutcome(outcome.correct, Rule.CONTRADICTION, sure=False)
            return outcome
        return longest

    def _judge_implied(self, finals: list[FinalAnswer], whole: RuleOutcome) -> RuleOutcome:
        """Judge what stands where a conclusion stands, if it is decided and nothing speaks against it."""
        for final in finals:
            if not final.segments:
                continue
            outcome = self._judge_one(final)
            segment, after = final.segments[0]
            if not outcome.sure or not self._gives_a_value(self._answer(segment)):
                continue
            if not outcome.correct and whole.correct:
                continue
            if not final.is_plain and self._is_set_aside(final.before):
                return RuleOutcome(outcome.correct, Rule.CONTRADICTION, sure=False)
            if final.is_plain and not self._is_alone(outcome, segment, f"{final.before}\n{after}"):
                continue
            return outcome
        return whole

    def _is_set_aside(self, before: str) -> bool:
        """Check whether the words before a part of a sentence set it aside: "It is not", "A wrong one is"."""
        lead = _ENDED.split(before)[-1]
        if _WRONG.search(lead):
            return True
        if self.reference.kind in _NONE:
            return False
        return SETS_ASIDE.search(lead) is not None or contains_denial(lead)

    def _is_alone(self, outcome: RuleOutcome, segment: str, around: str) -> bool:
        """Check whether all other sentences only tell how the answer was found, or set something aside."""
        may_deny = self.reference.kind in _SIDES
        if SETS_ASIDE.search(segment) and not (may_deny and contains_denial(segment)):
            return False
        if not outcome.correct and TELLS_HOW.search(segment):
            return False
        for part in sentences(around):
            other = self._outcome_of(part)
            agrees = other.sure and other.correct is outcome.correct
            is_aside = SETS_ASIDE.search(part) is not None or TELLS_HOW.search(part) is not None
            if not (agrees or is_aside or not self._gives_a_value(self._answer(part))):
                return False
            if not outcome.correct and other.correct:
                return False
        return True

    def _gives_a_value(self, answer: Answer) -> bool:
        """Check whether a part has a value of the kind that is expected, or denies that there is one."""
        stance = answer.stance
        if stance.denies or stance.explicit or stance.absent:
            return True
        match self.reference.kind:
            case ReferenceKind.NUMBER:
                return bool(answer.numbers)
            case ReferenceKind.DATE:
                return bool(answer.dates)
        return bool(answer.words)

    def _is_contradicted(self, outcome: RuleOutcome, before: str, after: str) -> bool:
        """Check whether the text around a final answer speaks against it."""
        self._spend(len(after) // _SEARCHED)
        if _TAKES_BACK.search(after):
            return True
        around = [(part, outcome.correct, False) for part in self._without_lead_in(before)[-_MOST_SENTENCES:]]
        around += [(part, outcome.correct, True) for part in sentences(after)[:_MOST_SENTENCES]]
        for key in around:
            if key not in self._contradictions:
                self._contradictions[key] = self._contradicts(*key)
            if self._contradictions[key]:
                return True
        return False

    def _without_lead_in(self, before: str) -> list[str]:
        """Return the last sentences before a final answer, without a lead-in to it: "It is", "I get:"."""
        parts = last_sentences(before, _MOST_SENTENCES + 1)
        if parts and _LEADS_IN.search(parts[-1]):
            expected_words = FILLER | VALUE_WORDS | COMMON | _LEAD_WORDS | self.question.words
            given = self._answer(parts[-1]).words
            if not SETS_ASIDE.search(parts[-1]) and all(word in expected_words for word in given):
                return parts[:-1]
        return parts

    def _contradicts(self, part: str, is_correct: bool, is_after: bool) -> bool:
        """Check whether the sentence `part` surely answers in another way than a final answer does.

        is_correct: whether that is correct. is_after: whether the sentence comes after it.
        """
        if _CLOSES.fullmatch(part):
            return False
        kind = self.reference.kind
        sides = kind is ReferenceKind.BIT or (kind in _NONE and is_correct)
        answer = self._answer(part)
        on_topic = count_topic_words(self.question, answer.words)
        is_on_topic = on_topic > 0 and (on_topic == len(topic_words(self.question)) or kind in _NONE)
        if kind in _NONE and TELLS_HOW.search(part):
            is_on_topic = False
        if SETS_ASIDE.search(part) and not (sides and is_on_topic and contains_denial(part)):
            return False
        if not (is_after or concludes(part) or (sides and is_on_topic)):
            return False
        other = self._outcome_of(part)
        return other.sure and other.correct is not is_correct and self._gives_a_value(answer)
