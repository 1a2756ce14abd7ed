"""Find the one value that an answer claims: what is left where every other value has another role.

A clause without a value of the kind asked for says nothing about it, in whatever words, unless it denies,
doubts or takes back what is asked. A value with another role is no claim: a count of records, an operand of
the sum, a limit of a range, a value that is denied or of another time, an identifier, a window of time.
"""

import re
from collections.abc import Callable
from itertools import pairwise

from wardboard.scoring.fhir_agentbench.judge.rules.bounds import has_bound
from wardboard.scoring.fhir_agentbench.judge.rules.contradictions import (
    calls_statement_false,
    is_about_something_else,
    says_yes_and_no,
    side_of_tick,
)
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.asides import GIVES_UP
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.claims import parts_of
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.roles import TAKES_BACK, Role, role_of
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.strip import readings_of
from wardboard.scoring.fhir_agentbench.judge.rules.name_rule import is_predicate, is_short_form, unexplained
from wardboard.scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from wardboard.scoring.fhir_agentbench.judge.rules.refusals import (
    declines_to_answer,
    reports_failure,
    reports_no_records,
)
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.dates import WrittenDate
from wardboard.scoring.fhir_agentbench.judge.rules.text.names import find_name, words_in
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import Number, hours_in, rounds_alike
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import ReferenceAnswer, ReferenceKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from wardboard.scoring.fhir_agentbench.judge.rules.text.units import family_of, scale_to
from wardboard.scoring.fhir_agentbench.judge.rules.text.vocabulary import ORDINARY
from wardboard.scoring.fhir_agentbench.judge.rules.topic import (
    count_topic_words,
    has_other_subject,
    names_other_day,
    names_other_ordinal,
    names_other_year,
    topic_words,
)
from wardboard.scoring.fhir_agentbench.judge.rules.yes_no_rule import ACTS

_LONGEST, _MOST_CLAUSES, _MOST_VALUES = 2_000, 30, 24
_FEW_WORDS = 8
_LONG_SIDE = 300  # characters; a longer list may be about something else
_CLAUSES = re.compile(
    r"\s*;\s+|\s+[-–—]+\s+|,\s+(?=(?:and |but )?(?:but|though|although|albeit|however|while|whereas|"
    r"yet|if|barring|unless|so|which|since|because|as|who|the|i|it|there)\b)|,?\s+and\s+(?=(?:the|i|there|it|"
    r"so)\s)|(?<=[!?])\s+|(?<=[a-z]\.)\s+"
)
_LABELS = re.compile(r"(?<=:)\s+")
_PRINTED = re.compile(r"[{}|]|^\s*\[")
_TAKES_UP = re.compile(r"\b(?:this|that|these|those|it|its|they|them|one|same|former|latter)\b", re.I)
_DOUBTS = re.compile(
    r"\b(?:wrong|incorrect|false|mistaken?|error|invalid|unreliable|instead|actually|rather|disregard\w*|"
    r"ignor\w+|cannot be|entered in error|guess\w*|either|another patient|duplicat\w+|discard\w*|really|"
    r"supersed\w+|unknown|unclear|undetermined|unavailable|amend\w+|correct(?:ed|ion)|replac\w+)\b|\?\s*$",
    re.I,
)
_SELECTS = re.compile(r"\b(?:former|latter|other one|i(?:'d| would) (?:pick|choose|go))\b", re.I)
_CHOSEN = re.compile(r"\b(?:first|last|latest|earliest|recent|final|answer|result|returns?|current)\b", re.I)
_LEAVES_OUT = re.compile(
    r"\b(?:dropp\w*|omit\w*|skipp\w*|exclud\w*|left out|leav\w+ out|remov\w*|set aside|reject\w*|"
    r"belongs?|not count\w*)\b",
    re.I,
)
_HYPOTHETICAL = re.compile(r"\b(?:would|could|might|may|if|unless|or|either|maybe|perhaps|possibly)\b", re.I)
_SETS_ASIDE = re.compile(
    r"\b(?:not|rather than|instead of|excluding|except|ignoring|versus|unlike|"
    r"isn't|wasn't)\W{0,3}(?:the |a )?$",
    re.I,
)
_LIMITS = re.compile(
    r"\b(?:goals?|targets?|normal\w*|ref|reference|ranges?|limits?|thresholds?|cut-?off|interval|expected)\b",
    re.I,
)
_NAMED_ID = re.compile(
    r"\b(?:codes?|coded|icd|id|ids|loinc|snomed|hd|#|no\.|number|page|bed|day|age|aged|line)\W{0,3}$", re.I
)
_PLURAL = re.compile(
    r"\s(?:[a-z][\w/-]*\s){0,2}?(?!is\b|was\b|has\b|as\b|this\b|its\b|his\b|plus\b|minus\b|times\b|less\b|versus\b)([a-z]{3,}s)\b(?!\s(?:per|a|each)\b|/)",
    re.I,
)
_SUMS = re.compile(r"\+|\b(?:plus|add(?:ed|ing)|minus|subtract\w*|remov\w*|less)\b", re.I)
_EARLIER = re.compile(
    r"\b(?:earlier|previous\w*|prior|before|older|former\w*|initial\w*|first|baseline|started|"
    r"admission|was once)\b",
    re.I,
)
_LATER = re.compile(
    r"\b(?:later|next|second|subsequent\w*|after\w*|then|latest|last|current\w*|now|final\w*|recent\w*|today|end|repeat\w*)\b",
    re.I,
)
_FIRST = re.compile(r"\b(?:first|earliest|initial)\b")
_LAST = re.compile(r"\b(?:last|latest|most recent|final|current|newest)\b")
_HIGHEST = re.compile(r"\b(?:max(?:imum)?|highest|largest|peak|greatest|most)\b")
_LOWEST = re.compile(r"\b(?:min(?:imum)?|lowest|smallest|least|nadir)\b")
_STEP = re.compile(r"[\s,;]*(?:[a-z%µ/]{1,8})?[\s,;]*(?:->|=>|>|→|⇒|then|to)[\s,]*(?:then |to )?", re.I)
_DRAWS = re.compile(
    r"^\W*(?:so|thus|hence|therefore|answer|total|sum|overall|final)\b|=\s*\S+\W*$|"
    r"\b(?:makes|totals?|equals?|comes to|the answer)\b",
    re.I,
)
_SIDES = re.compile(r"\b(?:yes|no|true|false)\b(?=\W*(?:$|[,.;:!\n]))", re.I)
_MAKES = re.compile(r"\b(?:which makes|so|thus|hence|therefore|real|actual|true)\b", re.I)
_DISCARDS = re.compile(r"\b(?:discard|reject|dismiss|dropp|rul)\w* (?:it|that|this one|them)\b", re.I)
_COMMA = re.compile(r"\s*(?:,|/|;)?\s*(?:and |then )?\s*")


class Candidates:
    """Read the answers to one question by their values, with `read` for a part of an answer."""

    def __init__(
        self,
        reference: ReferenceAnswer,
        question: ParsedQuestion,
        read: Callable[[str], Answer],
        judge: Callable[[str], RuleOutcome],
    ) -> None:
        self._reference = reference
        self._question = question
        self._read = read
        self._judge = judge

    def are_right(self, text: str) -> bool:  # noqa: PLR0911 (a kind a line)
        """Check whether the one value that `text` claims is certainly the expected one."""
        if len(text) > _LONGEST or declines_to_answer(text) or _PRINTED.search(text):
            return False
        clauses = [
            piece
            for part in parts_of(text)
            for clause in _CLAUSES.split(part.text)
            for piece in ([clause] if contains_denial(clause.partition(": ")[0]) else _LABELS.split(clause))
            if re.search(r"\w", piece)
        ]
        if len(clauses) > _MOST_CLAUSES:
            return False
        kind, values = self._reference.kind, self._reference.values
        if kind is ReferenceKind.ODD:
            return False
        if not values:
            return self._denials_are_right(clauses)
        if kind is ReferenceKind.BIT and self._question.kind is QuestionKind.YES_NO:
            return self._sides_are_right(clauses)
        if all(value.number is not None for value in values):
            return self._numbers_are_right(clauses)
        if all(value.date is not None for value in values):
            return self._dates_are_right(clauses)
        return self._names_are_right(clauses)

    def may_be_taken_back(self, text: str) -> bool:
        """Check whether the end of an answer that looks right draws another number, or discards a name."""
        if len(text) > _LONGEST:
            return False
        if self._reference.kind is ReferenceKind.NAME:
            return _DISCARDS.search(text) is not None
        expected = [value.number for value in self._reference.values if value.number is not None]
        if len(expected) != 1 or self._reference.kind is ReferenceKind.BIT:
            return False
        valued = [answer for clause in _CLAUSES.split(text) if (answer := self._read(clause)).numbers]
        if len(valued) < 2:
            return False
        last = valued[-1]
        return _MAKES.search(last.text) is not None and not any(
            self._is(expected[0], one, last) for one in last.numbers
        )

    def _names_are_right(self, clauses: list[str]) -> bool:
        kept: list[str] = []
        for clause in clauses:
            given = words_in(clause)
            if any(find_name(value.text, given) for value in self._reference.values):
                if _LEAVES_OUT.search(clause) or _SELECTS.search(clause) or TAKES_BACK.search(clause):
                    return False
                kept.append(clause)
            elif self._matters(clause, kept) or self._may_name(clause, is_first=clause is clauses[0]):
                return False
        whole = ". ".join(kept)
        return bool(kept) and any(
            self._is_right(one) for one in (whole, *readings_of(whole, is_side=False)[:4])
        )

    def _is_right(self, clause: str) -> bool:
        outcome = self._judge(clause)
        return outcome.sure and outcome.correct

    def _may_name(self, clause: str, is_first: bool = False) -> bool:
        """Check whether a clause may name something: a capital inside it, or an unknown word after "is"."""
        is_name = self._reference.kind is ReferenceKind.NAME
        if is_first and clause.endswith(":") and not is_name:
            return False  # a heading
        most = _FEW_WORDS if self._reference.kind is ReferenceKind.LIST else _FEW_WORDS // 2
        selects = _CHOSEN.search(clause) or count_topic_words(self._question, self._read(clause).words)
        return any(
            len(clause.split()) <= most  # an item of a list
            or (selects and not word.stem.endswith(("ed", "ing", "ly")))
            or (word.is_name and not is_short_form(word, clause))
            or is_predicate(word, clause)
            for word in unexplained(words_in(clause), self._question)
            if word.stem not in ORDINARY
        )

    def _denials_are_right(self, clauses: list[str]) -> bool:
        """Check whether a clause denies what is asked, and no other one gives it."""
        denied = False
        for clause in clauses:
            answer = self._read(clause)
            if self._denies_topic(clause, answer):
                denied = True
                continue
            numbers = [
                n
                for n in answer.numbers
                if n.value and not self._has_role(n, answer, [], answer.numbers, [], of_topic=False)
            ]
            if numbers or answer.new_dates or self._may_name(clause, is_first=clause is clauses[0]):
                return False
            is_label = clause is clauses[0] and clause.endswith(":")
            is_claim = len(clause.split()) <= _FEW_WORDS // 2 or _TAKES_UP.search(clause)
            if _DOUBTS.search(clause) or (is_claim and not (is_label or contains_denial(clause))):
                return False
            if (
                TAKES_BACK.search(clause)
                or reports_failure(clause)
                or is_about_something_else(clause, self._question)
            ):
                return False
            is_of_topic = count_topic_words(self._question, answer.words) > 0
            if (
                is_of_topic
                and not (contains_denial(clause) or clause.endswith(":"))
                and role_of(clause) not in (Role.METHOD, Role.CAUTION)
            ):
                return False
        return denied

    def _denies_topic(self, clause: str, answer: Answer) -> bool:
        outcome = self._judge(clause)
        if outcome.sure or not outcome.correct:
            return outcome.correct
        stance = answer.stance
        return (
            contains_denial(clause)
            and outcome.rule is Rule.NO_ANSWER_AS_EXPECTED
            and not (stance.retracts or stance.failed or _DOUBTS.search(clause) or answer.numbers)
            and count_topic_words(self._question, answer.words) > 0
            and not self._is_elsewhere(answer)
        )

    def _is_elsewhere(self, answer: Answer) -> bool:
        return (
            names_other_day(answer, self._question)
            or names_other_year(answer, self._question)
            or names_other_ordinal(answer, self._question)
        )

    def _sides_are_right(self, clauses: list[str]) -> bool:
        """Check whether a clause affirms or denies what is asked as expected, and no other one otherwise."""
        found = False
        text = "\n".join(clauses)
        if says_yes_and_no(text) or side_of_tick(text) is not None or calls_statement_false(text):
            return False
        if (
            not len(clauses) > 1
            or len(text) > _LONG_SIDE
            or len({match[0].casefold() for match in _SIDES.finditer(text)}) > 1
        ):
            return False
        for clause in clauses:
            if len(clause.split()) <= _FEW_WORDS // 2 and not self._is_right(clause):
                return False
            outcome = self._judge(clause)
            is_sure = outcome.sure and role_of(clause) is not Role.CAUTION
            if is_sure and not outcome.correct and self._gives_side(clause):
                return False
            if is_sure or self._affirms_topic(clause, outcome):
                found = found or outcome.correct
            elif self._matters(clause, []) or self._gives_side(clause):
                return False
        return found

    def _affirms_topic(self, clause: str, outcome: RuleOutcome) -> bool:
        answer = self._read(clause)
        named = topic_words(self._question) - ACTS
        return (
            outcome.correct
            and outcome.rule is Rule.SAME_SIDE
            and not self._question.compares
            and not (_DOUBTS.search(clause) or _HYPOTHETICAL.search(clause) or answer.stance.retracts)
            and bool(named)
            and count_topic_words(self._question, answer.words) >= len(named)
            and not self._is_elsewhere(answer)
        )

    def _gives_side(self, clause: str) -> bool:
        answer = self._read(clause)
        return answer.stance.explicit or count_topic_words(self._question, answer.words) > 0

    def _dates_are_right(self, clauses: list[str]) -> bool:
        expected = [value.date for value in self._reference.values if value.date is not None]
        kept: list[str] = []
        for clause in clauses:
            answer = self._read(clause)
            dates = [one for one in answer.dates if one.minute is not None or one in answer.new_dates]
            matching = [one for one in dates if any(one.same_day(date) for date in expected)]
            if any(not self._is_aside(one, answer, matching) for one in dates if one not in matching):
                return False
            if matching and not self._is_right(clause):
                return False
            if not matching and self._matters(clause, kept):
                return False
            kept += [clause] if matching else []
        return len(kept) == 1 if len(expected) == 1 else False

    def _is_aside(self, date: WrittenDate, answer: Answer, matching: list[WrittenDate]) -> bool:
        text = answer.text
        return _SETS_ASIDE.search(text[max(0, date.start - 24) : date.start]) is not None or (
            not matching and role_of(text) is Role.METHOD
        )

    def _numbers_are_right(self, clauses: list[str]) -> bool:
        expected = [value.number for value in self._reference.values if value.number is not None]
        read = [(clause, self._read(clause)) for clause in clauses]
        everything = [number for _, answer in read for number in answer.numbers]
        if not 0 < len(everything) <= _MOST_VALUES:
            return False
        claims = [
            (clause, answer, [n for n in answer.numbers if any(self._is(one, n, answer) for one in expected)])
            for clause, answer in read
        ]
        valued = [index for index, (_, answer, _) in enumerate(claims) if answer.numbers]
        last = valued[-1]
        text, answer, matching = claims[last]
        if (
            len(matching) == len(answer.numbers)
            and len(valued) > 1
            and _DRAWS.search(text)
            and len(expected) == 1
        ):
            claims = claims[last:]  # the numbers before it lead to it
        found: list[float] = []
        kept: list[str] = []
        of_topic = any(m and count_topic_words(self._question, a.words) for _, a, m in claims)
        for clause, answer, matching in claims:
            others = [n for n in answer.numbers if n not in matching]
            if any(not self._has_role(n, answer, matching, everything, expected, of_topic) for n in others):
                return False
            if not matching:
                if self._matters(clause, kept):
                    return False
                continue
            is_scaled = any(self._scale(n, answer) != 1 for n in matching)
            if not self._is_plain(clause, answer, matching, others) or has_other_subject(
                answer, self._question, matching[0].start
            ):
                return False
            rest = self._without(answer, others)
            if len(expected) == 1 and not (is_scaled or self._is_right(rest)):
                return False
            kept.append(rest)
            found += [n for one in expected for n in [one] if any(self._is(one, m, answer) for m in matching)]
        precise = all(one in found for one in expected)
        return bool(kept) and precise and (len(expected) == 1 or self._is_right("; ".join(kept)))

    def _is_plain(self, clause: str, answer: Answer, matching: list[Number], others: list[Number]) -> bool:
        """Check whether a clause says of its value nothing but that it is so."""
        question = self._question
        stance = answer.stance
        if (
            (
                contains_denial(self._without(answer, others))
                and not (matching and all(n.value == 0 for n in matching))
            )
            or stance.unable
            or stance.failed
            or _DOUBTS.search(clause)
            or _HYPOTHETICAL.search(clause)
        ):
            return False
        if has_bound(matching, answer) or is_about_something_else(clause, question):
            return False
        if self._is_elsewhere(answer):
            return False
        asked = question.text
        for asks, other, own in ((_LAST, _EARLIER, _LATER), (_FIRST, _LATER, _EARLIER)):
            is_asked = asks.search(asked) and not (_FIRST if asks is _LAST else _LAST).search(asked)
            if is_asked and not others and other.search(clause) and not own.search(clause):
                return False
        for asks, other in ((_HIGHEST, _LOWEST), (_LOWEST, _HIGHEST)):
            if asks.search(asked) and other.search(clause.lower()) and not asks.search(clause.lower()):
                return False
        return True

    @staticmethod
    def _without(answer: Answer, numbers: list[Number]) -> str:
        text = answer.without_dates
        for number in numbers:
            before = _SETS_ASIDE.search(text[: number.start])
            start = before.start() if before else number.start
            text = text[:start] + " " * (number.end - start) + text[number.end :]
        return text

    def _is(self, expected: float, number: Number, answer: Answer) -> bool:
        """Check whether a number is `expected` to the digits written, in the unit that is asked for."""
        asked, value, scale = hours_in(self._question.unit), number.value, self._scale(number, answer)
        if scale is None:
            return False
        room = max(0.5 * 10.0**-number.digits * scale, 0.005 * abs(expected)) if scale >= 1 or asked else 0.5
        return abs(expected - value * scale) <= min(room, 0.5 if scale == 1 else room) + 1e-9 and (
            scale != 1 or rounds_alike(expected, value)
        )

    def _scale(self, number: Number, answer: Answer) -> float | None:
        asked, written = hours_in(self._question.unit), hours_in(number.after)
        if asked and written:
            return written / asked
        return scale_to(answer.without_ids, number.end, self._question.text)

    def _has_role(  # noqa: PLR0911, PLR0917 (a role a line)
        self,
        number: Number,
        answer: Answer,
        matching: list[Number],
        everything: list[Number],
        expected: list[float],
        of_topic: bool,
    ) -> bool:
        text = answer.without_dates
        before, after = text[max(0, number.start - 24) : number.start], text[number.end :]
        question = self._question
        if _SETS_ASIDE.search(before) or _NAMED_ID.search(before) or number.before == "n":
            return True
        if _LIMITS.search(text[: number.start]) and not _LIMITS.search(question.text):
            return True
        if hours_in(number.after) and not question.unit and not self._asks_for(number.after):
            return True
        plural = _PLURAL.match(after) if number.value == int(number.value) else None
        if plural and family_of(plural[1]) is None and not self._asks_for(plural[1]):
            is_count = question.kind is QuestionKind.COUNT
            if not is_count or any(self._asks_for(one.after) and one.value in expected for one in everything):
                return True
        if self._is_operand(number, text, everything, expected):
            return True
        if matching and self._is_of_series(number, answer, matching):
            return True
        if (
            of_topic
            and has_other_subject(answer, question, number.start)
            and not count_topic_words(question, answer.words[:0] if matching else answer.words)
        ):
            return True
        return self._is_of_other_time(number, matching, text)

    def _asks_for(self, word: str) -> bool:
        return bool(word) and word[:5].casefold() in {one[:5] for one in self._question.words}

    def _is_operand(self, number: Number, text: str, everything: list[Number], expected: list[float]) -> bool:
        """Check whether a number is one of those from which the expected one is computed."""
        if len(expected) != 1 or not _SUMS.search(text):
            return False
        (result,) = expected
        rest = [one.value for one in everything if abs(one.value - result) > 0.5]
        if len(rest) < 2 or number.value not in rest:
            return False
        sums = [sum(rest), rest[0] - sum(rest[1:]), rest[-1] - sum(rest[:-1])]
        sums += [rest[0] / rest[1]] if len(rest) == 2 and rest[1] else []
        return any(abs(one - result) <= 0.006 * max(1.0, abs(result)) for one in sums)

    def _is_of_series(self, number: Number, answer: Answer, matching: list[Number]) -> bool:
        """Check whether the question selects another one of a series: "4.1 → 2.3 → 1.2" for the last."""
        text, series = answer.without_dates, self._read_series(answer, matching[0])
        if number not in series or len(series) < 2:
            return False
        arrows = all(_STEP.fullmatch(text[a.end : b.start]) for a, b in pairwise(series))
        values = [one.value for one in series]
        match = matching[0]
        asked = self._question.text
        if _HIGHEST.search(asked):
            return match.value == max(values)
        if _LOWEST.search(asked):
            return match.value == min(values)
        if arrows and _FIRST.search(asked):
            return match is series[0]
        if arrows and _LAST.search(asked):
            return match is series[-1]
        return False

    @staticmethod
    def _read_series(answer: Answer, match: Number) -> list[Number]:
        """Return the numbers that are joined with `match` by arrows or commas, in their order."""
        text, numbers = answer.without_dates, answer.numbers
        index = next((i for i, one in enumerate(numbers) if one.start == match.start), None)
        if index is None:
            return []
        first = last = index
        while first > 0 and _are_joined(text, numbers[first - 1], numbers[first]):
            first -= 1
        while last + 1 < len(numbers) and _are_joined(text, numbers[last], numbers[last + 1]):
            last += 1
        return numbers[first : last + 1]

    def _is_of_other_time(self, number: Number, matching: list[Number], text: str) -> bool:
        asked = self._question.text
        if _LAST.search(asked) and not _FIRST.search(asked):
            other, own = _EARLIER, _LATER
        elif _FIRST.search(asked) and not _LAST.search(asked):
            other, own = _LATER, _EARLIER
        else:
            return False
        if matching:
            match = matching[0]
            span = text[match.end : number.end + 20] if number.start > match.start else text[: number.end]
        else:
            span = text
        return other.search(span) is not None and not own.search(span)

    def _matters(self, clause: str, kept: list[str]) -> bool:  # noqa: PLR0911 (a reason a line)
        """Check whether a clause without a value may say something about what is asked."""
        if TAKES_BACK.search(clause) or reports_failure(clause) or _DOUBTS.search(clause):
            return True
        if is_about_something_else(clause, self._question):
            return True
        takes_up = _TAKES_UP.search(clause) is not None
        if _SELECTS.search(clause) or (takes_up and _LEAVES_OUT.search(clause)):
            return True
        if role_of(clause) is Role.CAUTION:
            return False
        answer = self._read(clause)
        denies = contains_denial(clause)
        if GIVES_UP.search(clause) or (denies and reports_no_records(clause)):
            return True
        is_of_topic = count_topic_words(self._question, answer.words) > 0
        if (denies and (is_of_topic or takes_up)) or (kept and names_other_ordinal(answer, self._question)):
            return True
        return bool(kept) and takes_up and _HYPOTHETICAL.search(clause) is not None


def _are_joined(text: str, first: Number, second: Number) -> bool:
    between = text[first.end : second.start]
    return (_STEP.fullmatch(between) or _COMMA.fullmatch(between)) is not None
