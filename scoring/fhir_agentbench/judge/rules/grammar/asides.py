"""Leave out of an answer what is no claim about what is asked, by its structure and not by its wording.

A sentence or clause is an aside if it has no value of the kind asked for and no word of the question's topic;
if it speaks of the answer, the data or the reader; or if it is about another time than the question.
"""

import re
from collections.abc import Callable

from wardboard.scoring.fhir_agentbench.judge.rules.contradictions import is_about_something_else
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.claims import concludes, parts_of
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.roles import TAKES_BACK, Role, role_of
from wardboard.scoring.fhir_agentbench.judge.rules.refusals import declines_to_answer, reports_failure
from wardboard.scoring.fhir_agentbench.judge.rules.text.answers import Answer
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import ReferenceAnswer, ReferenceKind
from wardboard.scoring.fhir_agentbench.judge.rules.text.stance import contains_denial
from wardboard.scoring.fhir_agentbench.judge.rules.topic import (
    count_topic_words,
    names_in,
    names_other_year,
)

_LONGEST = 2_000  # characters of an answer that is read by its clauses
_MOST_CLAUSES = 24
_FEW_WORDS = 3
_SCALES, _SAME = (1, 100, 0.01), 1e-9  # of a number: a share may be written in percent
_NONE = (ReferenceKind.NO_ANSWER, ReferenceKind.NOTHING, ReferenceKind.NULL)
_CLAUSES = re.compile(
    r"\s*;\s+|\s+[-–—]+\s+|[,;]\s+(?=(?:and |but )?(?:but|though|although|albeit|however|while|whereas|yet|"
    r"if|barring|unless|provided|assuming|give or take|so|which|since|because|as|with|which|who)\b)|"
    r"\s*[()]\s*|,?\s+and\s+(?=(?:the|i|there|it|so)\s)|(?<=[!?])\s+|(?<=[a-z]\.)\s+"
)
# Words that refer to the clause before, so that a clause without a topic of its own is still about the topic.
_TAKES_UP = re.compile(
    r"^\W*(?:\w+ )?(?:this|that|same|former|latter)\b(?!\s(?:answer|data|record|chart|search))|"
    r"^\W*(?:\w+ ){0,4}(?:these|those)\b|(?<!before )(?<!after )(?<!than )"
    r"\b(?:it|its|they|them|he|she|belongs?)\b",
    re.I,
)
# What may turn a claim round.
_TURNS = re.compile(
    r"\b(?:no|not|never|none|nothing|neither|nor|cannot|only|instead|rather|actually|wrong|except|false|"
    r"un(?:known|clear|able|available)|missing|mistaken?|cancel\w*|abort\w*|declin\w*|refus\w*|stopp\w*|discontinu\w*|replac\w*|yes|off|correct\w*|"
    r"but|yet|however)\b|n't\b",
    re.I,
)
_SPEAKER = re.compile(r"\b(?:i|we|you|me|us|my|our|your|myself)\b|\b(?:let's|i'm|i've|i'd)\b", re.I)
# What an answer is made from, and the answer itself.
_MATERIAL = re.compile(
    r"\b(?:answers?|data(?:base|set)?s?|records?|charts?|notes?|resources?|quer(?:y|ies)|search(?:es)?|"
    r"exports?|systems?|codes?|coders?|coded|feeds?|extracts?|sources?|documentation|reports?|entries|"
    r"fields?|files?|paper|elsewhere|outside|hospitals|clinics|facilities|judge?ment|advice|uncertainty)\b",
    re.I,
)
_LIMITS = re.compile(
    r"\b(?:can(?:not)?|could|may|might|would|should|must|will|not|no|only|beyond|out of|outside|missing|"
    r"incomplete|lack\w*|exclud\w*|unless|if|usual)\b|n't\b",
    re.I,
)
_FINDS = re.compile(
    r"\b(?:found|find|see|saw|believe|think|say|get|got|conclude\w*|determine\w*|identif\w+|go with|answer|"
    r"put|call|settle|prefer|returns?|returned|gives?|gave|shows?|yields?|leaves?|is|was|are|were)\b",
    re.I,
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}|(?<=[a-z,] )[A-Z]{4,}")
GIVES_UP = re.compile(
    r"\b(?:no|not|cannot|can't|won't|unable|rather|refrain|decline|without)\b[^.!?]{0,40}\b(?:answer(?:ed)?\b|"
    r"conclude\w*|determin\w*|tell|decide\w*|settle\w*|known|identified)\b",
    re.I,
)
# Code, or a claim that is called one, is read in another way.
_CONCLUDES = re.compile(
    r"\b(?:answer|result|conclusion)s?\b\W{0,4}(?:is|was|for|:|=)|\s[=<>]\s|\bfinal answer\b", re.I
)
_CHOOSES = re.compile(r"\b(?:or|either|wrong|incorrect|false|error)\b", re.I)
_ENDS_WITH_SIDE = re.compile(
    r"\b(?:yes|yep|no|nope|never|none|negative|positive|affirmative|true|false|so|not|indeed)\W*$|^\W*(?:yes|no)\b(?=\W*[,.])",
    re.I,
)
_LATER = r"later|next|second|following|followed|subsequent\w*|after\w*|then|thereafter|latest"
_EARLIER = r"earlier|previous\w*|prior|preceding|before|older|former\w*|first|old"
_OTHER_END = (
    (re.compile(r"\b(?:first|earliest|initial)\b"), re.compile(rf"\b(?:{_LATER})\b", re.I)),
    (re.compile(r"\b(?:last|latest|most recent|final|current)\b"), re.compile(rf"\b(?:{_EARLIER})\b", re.I)),
)
_OTHERS = re.compile(r"\b(?:others?|rest|remaining|second)\b", re.I)
_EXTREME = re.compile(r"\b(?:min(?:imum)?|max(?:imum)?|lowest|highest|smallest|largest|peak)\b")
_ELSEWHERE = re.compile(r"\b(?:nearest|closest|others?|another|elsewhere|different)\b", re.I)
# Any word that may deny, also one in whose sentence nothing else is read as a denial.
_MAY_DENY = re.compile(
    r"\b(?:no|nope|nor|not|none|never|nothing|nobody|nowhere|neither|nil|null|zero|zilch|zip|nada|n/a|"
    r"without|absen\w+|empty|missing|lack\w*|blank|sterile|neg(?:ative)?|devoid|void|cannot|fail\w*|free of|"
    r"un(?:known|available|recorded|documented|tested|able|measured|charted|reported)|omitted|skipped)\b|"
    r"n't\b|(?<![\d.:-])0(?![\d.:-]*\d)",
    re.I,
)
_FRACTION = re.compile("[\u00bc-\u00be\u2150-\u215e]")  # which is read in no other way
_SAYS_YES = re.compile(r"\b(?:yes|yeah|yep|affirmative|true|correct|indeed)\b", re.I)
_SAYS_NO = re.compile(r"(?:^|[.:,;!*]\s*)\W{0,3}(?:no|nope|false|negative)\b", re.I)
_ONLY_SIDE = re.compile(r"\W*(?:yes|yep|yup|yeah|no|nope|true|false)\W*", re.I)


class Asides:
    """Leave the asides out of an answer to one question, whose parts `read` reads."""

    def __init__(
        self, reference: ReferenceAnswer, question: ParsedQuestion, read: Callable[[str], Answer]
    ) -> None:
        self._reference = reference
        self._question = question
        self._read = read
        values = reference.values
        self._is_side = reference.kind in _NONE or (
            reference.kind is ReferenceKind.BIT and question.kind is QuestionKind.YES_NO
        )
        self._is_number = bool(values) and all(value.number is not None for value in values)
        self._is_date = bool(values) and all(value.date is not None for value in values)

    def denial_at_the_end(self, text: str) -> str:
        """Return the last clause of `text` if it concludes that there is nothing; "" for others."""
        if self._reference.kind not in _NONE or declines_to_answer(text):
            return ""
        parts = [part for part in parts_of(text[-_LONGEST:]) if part.role is not Role.CAUTION]
        last = parts[-1].text if len(parts) > 1 else ""
        return last if concludes(last) and contains_denial(last) else ""

    def without(self, text: str) -> str:
        """Return `text` without its asides; "" if they may matter, or if there is none."""
        if (
            _CONCLUDES.search(text)
            or len(text) > _LONGEST
            or declines_to_answer(text)
            or GIVES_UP.search(text)
        ):
            return ""
        sentences = [
            [clause for clause in _CLAUSES.split(part.text) if re.search(r"\w", clause)]
            for part in parts_of(text)
        ]
        total = sum(map(len, sentences))
        if not 1 < total <= _MOST_CLAUSES:
            return ""
        kept: list[str] = []
        for clauses in sentences:
            is_after_elsewhere = False
            for clause in clauses:
                role = role_of(clause)
                if kept and role is not Role.CAUTION and TAKES_BACK.search(clause):
                    return ""
                is_claim = _CHOOSES.search(clause) or (self._is_side and _ENDS_WITH_SIDE.search(clause))
                is_elsewhere = self._is_elsewhere(clause, kept) or (
                    is_after_elsewhere and _TAKES_UP.search(clause) is not None
                )
                is_after_elsewhere = is_elsewhere
                if is_claim or not (is_elsewhere or self._is_aside(role, clause, kept)):
                    kept.append(clause.strip(" ,;."))
        if self._reference.kind is ReferenceKind.NAME and sum(map(self._has_value, kept)) > 1:
            return ""  # a name that begins a clause is known by nothing else
        return ". ".join(kept) if len(kept) < total else ""

    def _is_aside(self, role: Role, clause: str, kept: list[str]) -> bool:
        is_meta = bool(_MATERIAL.search(clause) or _SPEAKER.search(clause))
        is_polite = role is Role.CAUTION and len(clause.split()) > _FEW_WORDS
        if self._is_side and not (is_polite or is_meta):
            return False  # what affirms or denies may do so in any words
        has_value = self._has_value(clause)
        if role not in (Role.CLAIM, Role.EVIDENCE):
            tells_result = _FINDS.search(clause) or _NAME.search(clause)
            return not (has_value and (role is not Role.METHOD or tells_result))
        is_of_topic = count_topic_words(self._question, self._read(clause).words) > 0
        turns = _TURNS.search(clause) is not None
        takes_up = _TAKES_UP.search(clause) is not None
        if not (has_value or is_of_topic):
            is_other = is_about_something_else(clause, self._question)
            return not (is_other or (turns and (takes_up or not is_meta)))
        is_claim = (turns and not (has_value or is_meta)) or _NAME.search(clause) is not None
        if is_claim or takes_up or (has_value and (self._is_number or self._is_date)):
            return False
        may_limit = not (self._is_side and is_of_topic) and not self._names_expected(clause)
        if kept and may_limit and is_meta and _LIMITS.search(clause):
            return not reports_failure(clause)
        return bool(_SPEAKER.search(clause)) and not (_FINDS.search(clause) or contains_denial(clause))

    def _has_value(self, clause: str) -> bool:
        answer = self._read(clause)
        if (
            not self._is_side
            and contains_denial(clause)
            and not (_SPEAKER.search(clause) or _MATERIAL.search(clause))
        ):
            return count_topic_words(self._question, answer.words) > 0
        if self._is_number and self._reference.kind is not ReferenceKind.BIT:
            return bool(answer.numbers)
        if self._is_date:
            return bool(answer.dates)
        if self._reference.kind in (ReferenceKind.NAME, ReferenceKind.LIST):
            return bool(answer.numbers or names_in(answer, self._question)) or self._names_expected(clause)
        return bool(answer.numbers or answer.new_dates or _MAY_DENY.search(clause) or answer.stance.explicit)

    def _names_expected(self, clause: str) -> bool:
        return any(_has_words(clause, value.text) for value in self._reference.values)

    def _is_elsewhere(self, clause: str, kept: list[str]) -> bool:  # noqa: PLR0911 (a reason a line)
        """Check whether a clause after the claim is about another time, or another thing."""
        if not kept:
            return False
        if self._has_other_unit(clause, kept[0]):
            return True
        ends = [asks for asks, _ in _OTHER_END if asks.search(self._question.text)]
        for asks, other in _OTHER_END:
            if [asks] == ends and other.search(clause) and not asks.search(clause.lower()):
                is_list = self._reference.kind is ReferenceKind.LIST
                return not (is_list or _TURNS.search(clause) or _TAKES_UP.search(clause))
        if not self._is_side:
            return False
        answer = self._read(clause)
        if self._reference.kind in _NONE and names_other_year(answer, self._question):
            return not _TURNS.search(clause)
        if not (contains_denial(kept[0]) or _ONLY_SIDE.fullmatch(kept[0])):
            return False
        if _ELSEWHERE.search(clause) and not _TAKES_UP.search(clause):
            return not _TURNS.search(clause) or contains_denial(clause)
        # "Yes. No polyps were seen."
        return (
            len(kept) == 1
            and _ONLY_SIDE.fullmatch(kept[0]) is not None
            and bool(names_in(answer, self._question))
            and (contains_denial(clause) or not count_topic_words(self._question, answer.words))
            and not (_TAKES_UP.search(clause) or is_about_something_else(clause, self._question))
        )

    def _has_other_unit(self, clause: str, first: str) -> bool:
        """Check whether the numbers of a clause count or measure something else than the first one does."""
        if not self._is_number or self._reference.kind in (ReferenceKind.BIT, ReferenceKind.LIST):
            return False
        claimed, given = self._read(first).numbers, self._read(clause).numbers
        if not (claimed and given) or _TURNS.search(clause):
            return False
        units = {number.after for number in claimed} | {""}
        return all(number.before == "n" or number.after not in units for number in given) or (
            _OTHERS.search(clause) is not None and _EXTREME.search(self._question.text) is not None
        )

    def may_be_right(self, text: str) -> bool:
        """Check whether an answer that looks wrong has the right value, or a denial, somewhere."""
        kind, values = self._reference.kind, self._reference.values
        answer = self._read(text)
        if kind in _NONE:
            return _MAY_DENY.search(answer.without_ids) is not None
        if kind is ReferenceKind.BIT:
            is_yes = values[0].number == 1
            if not is_yes:
                may_deny = _MAY_DENY.search(answer.without_ids) and not _SAYS_YES.search(text)
                return bool(may_deny) or any(number.value == 0 for number in answer.numbers)
            return not _SAYS_NO.search(text) and (
                _SAYS_YES.search(text) is not None or any(map(self._affirms, _CLAUSES.split(text)))
            )
        if self._is_number:
            # Lists, because they take one call where a generator takes one for each number.
            given = [number.value for number in answer.numbers]
            return _FRACTION.search(text) is not None or all(
                True in [abs(one * scale - value.number) < _SAME for one in given for scale in _SCALES]
                or re.search(rf"(?<![\d.]){value.number:g}/\d", text) is not None  # one of a pair
                for value in values
                if value.number is not None
            )
        if self._is_date:
            return all(
                any(one.same_day(value.date) and one.minutes_from(value.date) == 0 for one in answer.dates)
                for value in values
                if value.date is not None
            )
        is_list = kind is ReferenceKind.LIST
        return (is_list or not answer.is_data) and all(_has_words(text, value.text) for value in values)

    def _affirms(self, clause: str) -> bool:
        words_given = self._read(clause).words
        # "Without contrast" denies nothing that a question asks for.
        is_denied = contains_denial(re.sub(r"\bwithout\b", "", clause, flags=re.I))
        return count_topic_words(self._question, words_given) > 1 and not is_denied


def _has_words(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.I) is not None
