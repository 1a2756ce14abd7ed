"""Names and lists: every true one is there, and nothing that is not asked for. Source: section 4."""

import re

from scoring.fhir_agentbench.judge.rules.outcome import Rule, RuleOutcome
from scoring.fhir_agentbench.judge.rules.text.answers import Answer
from scoring.fhir_agentbench.judge.rules.text.normalise import words
from scoring.fhir_agentbench.judge.rules.text.numbers import rounded_alike
from scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion
from scoring.fhir_agentbench.judge.rules.text.references import Value
from scoring.fhir_agentbench.judge.rules.text.vocabulary import CLOSED, FILLER, NAME_PARTS, other_words_for

_FROM = re.compile(r"\b(?:from|before|previously|prior to|formerly|not)\W{0,3}(?:the\s)?$", re.I)
_ASIDE = re.compile(r"\([^()\n]{0,200}\)|;\s(?:sensitive|resistant|status)\b[^\n]{0,200}")
_BARE_FIGURE = re.compile(r"(?<=[,;\n])\s*\d+(?:\.\d+)?\s*(?=[,;\n]|$)")
_MOST_WORDS = 2_000  # of an answer that are compared with a reference's


def judge_name(value: Value, answer: Answer, question: ParsedQuestion) -> RuleOutcome:  # noqa: PLR0911 (a rule a line)
    """Return whether `answer` gives the one name `value`."""
    stance = answer.stance
    if answer.raw:
        # Data that the name stands in may well be the right ones.
        return RuleOutcome(False, Rule.RAW_DATA, sure=value.text.casefold() not in answer.whole.casefold())
    ways = other_words_for(value.text)
    given = answer.words[:_MOST_WORDS]
    spans = [span for way in ways for span in _spans(way, given)]
    if not spans:
        return _not_named(ways, given, answer, question)
    rivals = CLOSED.get(ways[0], frozenset())
    if any(_spans(rival, _without(given, spans)) for rival in rivals):
        return RuleOutcome(False, Rule.SEVERAL_VALUES, sure=False)
    if stance.denies or stance.hedged or stance.turns or stance.unable:
        return RuleOutcome(False, Rule.CONTRADICTION if stance.denies else Rule.HEDGED, sure=False)
    if _goes_on(spans, given, question) or _residue(_without(given, spans), question):
        aside = _only_asides((value,), answer, question)
        return RuleOutcome(aside, Rule.NAME_EQUAL if aside else Rule.LIST_EXTRA, sure=False)
    if _left(value.text, answer.text) or _other_sign(value.text, answer.text):
        return RuleOutcome(False, Rule.CONTRADICTION, sure=False)
    echo = all(word in question.words for word in ways[0])
    return RuleOutcome(True, Rule.NAME_EQUAL, sure=not echo and not answer.cut)


def judge_list(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> RuleOutcome:
    """Return whether `answer` gives every one of `values` and no more."""
    stance = answer.stance
    if answer.raw:
        whole = answer.whole.casefold()
        return RuleOutcome(
            False, Rule.RAW_DATA, sure=not all(value.text.casefold() in whole for value in values)
        )
    given = answer.words[:_MOST_WORDS]
    spans: list[tuple[int, int]] = []
    missing = 0
    partly = False
    short, many = _of_figures(values, answer, question)
    missing += short
    # The longer first, so that "Saline Flush" is not "Saline" too.
    for value in sorted(values, key=lambda value: -len(value.text)):
        if value.number is None and value.moment is None:
            open_ = _blanked(given, spans)
            found = [span for way in other_words_for(value.text) for span in _spans(way, open_)]
            spans += found
            missing += not found
            partly = partly or (not found and _overlap(other_words_for(value.text), given, question))
    if missing:
        return RuleOutcome(False, Rule.LIST_SHORT, sure=not (partly or answer.cut) or missing > 1)
    if stance.hedged or stance.unable or stance.turns or stance.denies or "or" in given:
        return RuleOutcome(False, Rule.HEDGED, sure=False)
    rest = _residue(_without(given, spans), question)
    many = many or (_bare_figures(answer) and not any(value.number is not None for value in values))
    if rest or many:
        aside = not many and _only_asides(values, answer, question)
        return RuleOutcome(aside, Rule.LIST_COMPLETE if aside else Rule.LIST_EXTRA, sure=False)
    return RuleOutcome(
        True,
        Rule.LIST_COMPLETE,
        sure=not answer.cut and not any(value.number is not None for value in values),
    )


def _only_asides(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> bool:
    """Tell whether nothing more is named but in parentheses and other columns: "Aspirin (81 mg daily)"."""
    given = words(_ASIDE.sub(" ", answer.masked))[:_MOST_WORDS]
    spans = []
    for value in values:
        found = [span for way in other_words_for(value.text) for span in _spans(way, given)]
        if not found:
            return False
        spans += found
    return not _goes_on(spans, given, question) and not _residue(_without(given, spans), question)


def _of_figures(values: tuple[Value, ...], answer: Answer, question: ParsedQuestion) -> tuple[int, bool]:
    """Return how many numbers and dates of `values` are missing, and whether there are others."""
    missing, used, left = 0, 0, [number.value for number in answer.numbers]
    for value in values:
        if value.number is not None:
            fits = sorted((abs(one - value.number), one) for one in left if rounded_alike(one, value.number))
            if fits:
                left = [one for one in left if one != fits[0][1]]
            missing, used = missing + (not fits), used + bool(fits)
    dates = [value.moment for value in values if value.moment is not None]
    given = [moment for moment in answer.moments if moment in answer.new_moments or moment.minute is not None]
    for date in dates:
        fits_day = [moment for moment in answer.moments if moment.same_day(date)]
        missing += not fits_day
        # Hours that are given may not be others.
        apart = [moment.minutes_from(date) for moment in fits_day]
        used += all((minutes or 0) > 1 for minutes in apart) if fits_day else 0
    wrong_time = dates and used > 0
    more = dates and any(not any(moment.same_day(date) for date in dates) for moment in given)
    return missing, bool(wrong_time or more or (not dates and used and left))


def _bare_figures(answer: Answer) -> bool:
    """Tell whether numbers stand among the items with nothing beside them."""
    return _BARE_FIGURE.search(answer.undated) is not None


def _blanked(given: list[str], spans: list[tuple[int, int]]) -> list[str]:
    taken = {at for start, end in spans for at in range(start, end)}
    return ["" if at in taken else word for at, word in enumerate(given)]


def _left(name: str, text: str) -> bool:
    """Tell whether the name is where somebody came from: "from Medicine to Surgery"."""
    return any(
        _FROM.search(text[max(0, found.start() - 24) : found.start()])
        for found in re.finditer(re.escape(name), text, re.I)
    )


def _other_sign(name: str, text: str) -> bool:
    """Tell whether the name ends in + or -, and the answer does not."""
    if name[-1:] not in ("+", "-") or name in text:
        return False
    stem_ = name[:-1].strip()
    return re.search(re.escape(stem_) + r"\s?" + re.escape(name[-1]), text, re.I) is None


def _spans(way: tuple[str, ...], given: list[str]) -> list[tuple[int, int]]:
    size = len(way)
    if not size:
        return []
    first = way[0]
    return [
        (at, at + size)
        for at, word in enumerate(given)
        if word == first and tuple(given[at : at + size]) == way
    ]


def _without(given: list[str], spans: list[tuple[int, int]]) -> list[str]:
    taken = {at for start, end in spans for at in range(start, end)}
    return [word for at, word in enumerate(given) if at not in taken]


def _residue(rest: list[str], question: ParsedQuestion) -> list[str]:
    """Return the words that neither the question nor an ordinary sentence about a patient explains."""
    return [
        word for word in rest if word not in FILLER and word not in question.words and not word[0].isdigit()
    ]


def _goes_on(spans: list[tuple[int, int]], given: list[str], question: ParsedQuestion) -> bool:
    """Tell whether the name may be the beginning of a longer one: "Emergency Department Observation"."""
    after = [given[end] for _, end in spans if end < len(given)]
    return any(word in NAME_PARTS and word not in question.words for word in after)


def _overlap(ways: list[tuple[str, ...]], given: list[str], question: ParsedQuestion) -> bool:
    known = set(given) - question.words - FILLER
    return any(word in known for way in ways for word in way if len(word) > 2)


def _not_named(
    ways: list[tuple[str, ...]], given: list[str], answer: Answer, question: ParsedQuestion
) -> RuleOutcome:
    stance = answer.stance
    if stance.absent or stance.unable or stance.denies:
        return RuleOutcome(False, Rule.NO_ANSWER, sure=not _overlap(ways, given, question))
    if ways[0] in CLOSED:
        return RuleOutcome(False, Rule.NAME_DIFFERS, sure=not _overlap(ways, given, question))
    scattered = set().union(*(set(way) for way in ways[:1])) <= set(given)
    if scattered or _overlap(ways, given, question):
        return RuleOutcome(False, Rule.NAME_PART, sure=False)
    initials = "".join(word[0] for word in ways[0])
    shorten = len(initials) > 1 and initials in given
    return RuleOutcome(False, Rule.NAME_DIFFERS, sure=not shorten and not answer.cut)
