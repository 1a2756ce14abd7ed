"""Judge names and lists: complete, and without any that was not asked for.

Source: the rubric (judge.py).
"""

import re

from scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.normalise import words
from scoring.fhir_agentbench.judge.rules.text.numbers import rounds_alike
from scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from scoring.fhir_agentbench.judge.rules.text.references import Value
from scoring.fhir_agentbench.judge.rules.text.vocabulary import FILLER, NAME_PARTS, RIVALS, synonyms_of

_FROM = re.compile(r"\b(?:from|before|previously|prior to|formerly|not)\W{0,3}(?:the\s)?$", re.I)
_ASIDE = re.compile(r"\([^()\n]{0,200}\)|;\s(?:sensitive|resistant|status)\b[^\n]{0,200}")
_BARE_FIGURE = re.compile(r"(?<=[,;\n])\s*\d+(?:\.\d+)?\s*(?=[,;\n]|$)")
# A limit that holds for one item, or for the whole answer: "Senna only on the second visit".
_EXCEPTION = re.compile(
    r"\b(?:only (?:on|in|at|during|for|from|before|after|when|if|until|once|the)|except\w*|"
    r"exclud\w+|but not|apart from|other than|unless|not (?:on|in|at|during)|until|limited to)\b",
    re.I,
)
_MOST_WORDS = 2_000  # words of an answer that are compared with those of a reference


def judge_name(value: Value, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` gives the one name `value`."""
    stance = answer.stance
    if answer.is_data:
        # Data that contain the name may well be the right ones.
        return RuleOutcome(False, Rule.RAW_DATA, sure=value.text.casefold() not in answer.original.casefold())
    synonyms = synonyms_of(value.text)
    given = answer.words[:_MOST_WORDS]
    spans = [span for synonym in synonyms for span in _find_spans(synonym, given)]
    if not spans:
        return _judge_unnamed(synonyms, given, answer, question)
    rivals = RIVALS.get(synonyms[0], frozenset())
    if any(_find_spans(rival, _words_outside(given, spans)) for rival in rivals):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    if stance.denies or stance.hedged or stance.retracts or stance.unable:
        return RuleOutcome(False, Rule.CONTRADICTION if stance.denies else Rule.HEDGED, sure=False)
    if _may_continue(spans, given, question) or _unexplained_words(_words_outside(given, spans), question):
        aside = _extras_are_asides((value,), answer, question)
        return RuleOutcome(aside, Rule.NAME_EQUAL if aside else Rule.LIST_EXTRA, sure=False)
    if _is_previous_place(value.text, answer.text) or _has_other_sign(value.text, answer.text):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    echo = all(word in question.words for word in synonyms[0])
    is_plain = not echo and not answer.is_cut and not _has_exception(answer, question)
    return RuleOutcome(True, Rule.NAME_EQUAL, sure=is_plain)


def judge_list(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Return whether `answer` gives all of `values` and nothing else."""
    stance = answer.stance
    if answer.is_data:
        whole = answer.original.casefold()
        return RuleOutcome(
            False, Rule.RAW_DATA, sure=not all(value.text.casefold() in whole for value in values)
        )
    given = answer.words[:_MOST_WORDS]
    spans: list[tuple[int, int]] = []
    missing = 0
    is_partial = False
    short, many = _compare_figures(values, answer, question)
    missing += short
    # Longer values first, so that "Saline Flush" does not also count as "Saline".
    for value in sorted(values, key=lambda value: -len(value.text)):
        if value.number is None and value.date is None:
            open_words = _blank_spans(given, spans)
            value_spans = [
                span for synonym in synonyms_of(value.text) for span in _find_spans(synonym, open_words)
            ]
            spans += value_spans
            missing += not value_spans
            is_partial = is_partial or (
                not value_spans and _shares_words(synonyms_of(value.text), given, question)
            )
    if missing:
        return RuleOutcome(False, Rule.LIST_SHORT, sure=not (is_partial or answer.is_cut) or missing > 1)
    if stance.hedged or stance.unable or stance.retracts or stance.denies or "or" in given:
        return RuleOutcome(False, Rule.HEDGED, sure=False)
    rest = _unexplained_words(_words_outside(given, spans), question)
    many = many or (_has_bare_figures(answer) and not any(value.number is not None for value in values))
    if rest or many:
        aside = not many and _extras_are_asides(values, answer, question)
        return RuleOutcome(aside, Rule.LIST_COMPLETE if aside else Rule.LIST_EXTRA, sure=False)
    return RuleOutcome(
        True,
        Rule.LIST_COMPLETE,
        sure=not answer.is_cut
        and not any(value.number is not None for value in values)
        and not _has_exception(answer, question),
    )


def _has_exception(answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether the answer limits what it names in a way that the question does not."""
    return any(match[0].casefold() not in question.text for match in _EXCEPTION.finditer(answer.text))


def _extras_are_asides(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> bool:
    """Check whether extras are only in parentheses or other columns: "Aspirin (81 mg daily)"."""
    given = words(_ASIDE.sub(" ", answer.without_ids))[:_MOST_WORDS]
    spans = []
    for value in values:
        value_spans = [span for synonym in synonyms_of(value.text) for span in _find_spans(synonym, given)]
        if not value_spans:
            return False
        spans += value_spans
    return not _may_continue(spans, given, question) and not _unexplained_words(
        _words_outside(given, spans), question
    )


def _compare_figures(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> tuple[int, bool]:
    """Return how many numbers and dates of `values` are missing, and whether there are others."""
    missing, used, unmatched = 0, 0, [number.value for number in answer.numbers]
    for value in values:
        if value.number is not None:
            closest = sorted(
                (abs(number - value.number), number)
                for number in unmatched
                if rounds_alike(number, value.number)
            )
            if closest:
                unmatched = [number for number in unmatched if number != closest[0][1]]
            missing, used = missing + (not closest), used + bool(closest)
    dates = [value.date for value in values if value.date is not None]
    given = [written for written in answer.dates if written in answer.new_dates or written.minute is not None]
    for date in dates:
        fits_day = [written for written in answer.dates if written.same_day(date)]
        missing += not fits_day
        # A time of day, if given, must be the same.
        minutes_apart = [written.minutes_from(date) for written in fits_day]
        used += all((minutes or 0) > 1 for minutes in minutes_apart) if fits_day else 0
    wrong_time = dates and used > 0
    more = dates and any(not any(written.same_day(date) for date in dates) for written in given)
    return missing, bool(wrong_time or more or (not dates and used and unmatched))


def _has_bare_figures(answer: Answer) -> bool:
    """Check whether some items are only a number."""
    return _BARE_FIGURE.search(answer.without_dates) is not None


def _blank_spans(given: list[str], spans: list[tuple[int, int]]) -> list[str]:
    covered = {index for start, end in spans for index in range(start, end)}
    return ["" if index in covered else word for index, word in enumerate(given)]


def _is_previous_place(name: str, text: str) -> bool:
    """Check whether the name is a previous place: "from Medicine to Surgery"."""
    return any(
        _FROM.search(text[max(0, match.start() - 24) : match.start()])
        for match in re.finditer(re.escape(name), text, re.I)
    )


def _has_other_sign(name: str, text: str) -> bool:
    """Check whether the name ends in + or -, and the answer does not."""
    if name[-1:] not in ("+", "-") or name in text:
        return False
    stem_ = name[:-1].strip()
    return re.search(re.escape(stem_) + r"\s?" + re.escape(name[-1]), text, re.I) is None


def _find_spans(synonym: tuple[str, ...], given: list[str]) -> list[tuple[int, int]]:
    size = len(synonym)
    if not size:
        return []
    first = synonym[0]
    return [
        (index, index + size)
        for index, word in enumerate(given)
        if word == first and tuple(given[index : index + size]) == synonym
    ]


def _words_outside(given: list[str], spans: list[tuple[int, int]]) -> list[str]:
    covered = {index for start, end in spans for index in range(start, end)}
    return [word for index, word in enumerate(given) if index not in covered]


def _unexplained_words(rest: list[str], question: ParsedQuestion) -> list[str]:
    """Return the words that are neither in the question nor usual in sentences about a patient."""
    return [
        word for word in rest if word not in FILLER and word not in question.words and not word[0].isdigit()
    ]


def _may_continue(spans: list[tuple[int, int]], given: list[str], question: ParsedQuestion) -> bool:
    """Check whether the name may begin a longer one: "Emergency Department Observation"."""
    after = [given[end] for _, end in spans if end < len(given)]
    return any(word in NAME_PARTS and word not in question.words for word in after)


def _shares_words(synonyms: list[tuple[str, ...]], given: list[str], question: ParsedQuestion) -> bool:
    distinctive_words = set(given) - question.words - FILLER
    return any(word in distinctive_words for synonym in synonyms for word in synonym if len(word) > 2)


def _judge_unnamed(
    synonyms: list[tuple[str, ...]], given: list[str], answer: Answer, question: ParsedQuestion
) -> RuleOutcome:
    stance = answer.stance
    if stance.absent or stance.unable or stance.denies:
        return RuleOutcome(False, Rule.NO_ANSWER, sure=not _shares_words(synonyms, given, question))
    if synonyms[0] in RIVALS:
        return RuleOutcome(False, Rule.NAME_DIFFERS, sure=not _shares_words(synonyms, given, question))
    scattered = set().union(*(set(synonym) for synonym in synonyms[:1])) <= set(given)
    if scattered or _shares_words(synonyms, given, question):
        return RuleOutcome(False, Rule.NAME_PART, sure=False)
    initials = "".join(word[0] for word in synonyms[0])
    is_shortened = len(initials) > 1 and initials in given
    return RuleOutcome(False, Rule.NAME_DIFFERS, sure=not is_shortened and not answer.is_cut)
