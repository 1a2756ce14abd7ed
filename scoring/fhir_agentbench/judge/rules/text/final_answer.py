"""Find the part of an answer that is called its final answer, or that alone answers."""

import json
import re
from dataclasses import dataclass
from typing import Any

READ = 6_000  # characters read at the beginning and at the end of an answer
_SKIP = r"[ \t>*_#|\-]{0,12}"
_LEAD = r"(?:(?:so|thus|therefore|hence|and|then),?\s)?(?:(?:the|my|our)\s)?"
_TO_THE_QUESTION = r"(?:\sto\s(?:the|this|your)\squestion)?"
# After the word: a colon or "is", or the end of a line that holds nothing else.
_THEN = r"[*_ \t]{0,6}(?:[:=][*_ \t]{0,6}\n{0,2}|\s-\s|\s(?:is|was)\b:?[*_ \t]{0,6}|\n{1,3})"
_BEGINS = rf"(?:^{_SKIP}|(?<=[.;,!?)])\s{{1,3}}[*_]{{0,3}})"
# The more explicit name comes first; only the most explicit one that occurs counts.
_MARKERS = tuple(
    re.compile(rf"{_BEGINS}{_LEAD}{name}{_TO_THE_QUESTION}{_THEN}", re.I | re.M)
    for name in (
        "final[ -](?:answer|result)",
        "(?:short )?answer",
        "(?:results?|conclusion|i (?:therefore )?conclude)",
    )
)
_FENCE = re.compile(r"```(?:json)?\s{0,4}(\{[^`]{1,4000}\})\s{0,4}```", re.I)
_TABLE = re.compile(
    r"^[ \t]*\|([^\n]{1,400})\|[ \t]*\n[ \t]*\|[ :|-]{1,200}\|[ \t]*\n"
    r"[ \t]*\|([^\n]{1,1000})\|[ \t]*(?:\n(?![ \t]*\|)|\Z)",
    re.M,
)
_BOLD = re.compile(r"\*\*([^*\n]{1,300})\*\*")
_CONCLUDES = re.compile(
    r"\W{0,6}(?:so|thus|hence|therefore|consequently|accordingly|overall|altogether|as a result|all in all|"
    r"in (?:conclusion|summary|total|all|sum|short|the end)|"
    r"ultimately|finally|it follows(?: that)?|to (?:conclude|sum up|summari[sz]e)|"
    r"this (?:means|gives|shows)(?: that)?|i conclude(?: that)?)\b[,:]?\s",
    re.I,
)
# The end of a sentence or line.
_STOP = re.compile(r"(?<=[.!?])[ \t]+(?=[\"'(*A-Z0-9])|\s*\n\s*")
# The same for a part that is read alone. A number begins a sentence only after another number or a word of
# four letters, for the sake of "No. 5" and "approx. 5".
_SENTENCE_END = (
    r"(?<=[.!?])\s+(?=[\"'(A-Z])|(?<=\d\.)\s+(?=\d)|(?<=[a-zA-Z]{4}\.)(?<!prox\.)(?<!irca\.)\s+(?=\d)"
)
_FEW_WORDS = 6  # of a last line that may stand for an answer
_ANSWER_HEADS = frozenset(("answer", "final answer", "result", "value", "response"))


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """Hold a part of an answer that may be judged alone.

    - segments: the part, and shorter readings of where it ends (paragraph, line, sentence), each with the
      text that then follows it.
    - before: the text before it.
    - is_explicit: it is called the answer; else it only stands where a conclusion stands.
    - is_plain: nothing but its place, first or last, says that it may be the answer.
    """

    segments: tuple[tuple[str, str], ...]
    before: str
    is_explicit: bool
    is_plain: bool = False


def find_final_answers(text: str) -> list[FinalAnswer]:
    """Return the explicit final answers of `text`, else those that stand where one would be."""
    if len(text) > 2 * READ:
        text = f"{text[:READ]}\n{text[-READ:]}"
    text = text.replace("\r\n", "\n").strip()
    by_key = _answer_of_json(text)
    if by_key:
        return by_key
    for marker in _MARKERS:
        matches = list(marker.finditer(text))
        if matches:
            ends = [match.start() for match in matches[1:]] + [len(text)]
            answers = [
                _segments_of(text[: match.start()], text[match.end() : end], is_explicit=True)
                for match, end in zip(matches, ends, strict=True)
            ]
            return [answer for answer in answers if answer.segments]
    return _answer_of_table(text) or _implied_answers(text)


def concludes(sentence: str) -> bool:
    """Check whether `sentence` draws a conclusion: "So, ...", "In total, ..."."""
    return _CONCLUDES.match(sentence) is not None or any(marker.search(sentence) for marker in _MARKERS)


def _segments_of(before: str, rest: str, *, is_explicit: bool) -> FinalAnswer:
    rest = rest.strip().strip("*_").strip()
    parts: list[tuple[str, str]] = []
    for ends in (r"\Z", r"\n\s*\n", r"\n", _SENTENCE_END):
        end = re.search(ends, rest)
        segment = (rest[: end.start()].strip(), rest[end.end() :].strip()) if end else None
        if segment and segment[0] and segment not in parts:
            parts.append(segment)
    return FinalAnswer(tuple(parts), before.strip(), is_explicit)


def _answer_of_json(text: str) -> list[FinalAnswer]:
    objects = [(match[1], match.start(), match.end()) for match in _FENCE.finditer(text)]
    if not objects and text.startswith("{") and text.endswith("}"):
        objects = [(text, 0, len(text))]
    answers = []
    for written, start, end in objects:
        value = _value_of_answer_key(written)
        if value is not None:
            answers.append(FinalAnswer(((value, text[end:].strip()),), text[:start].strip(), True))
    return answers


def _value_of_answer_key(written: str) -> str | None:
    try:
        data = json.loads(written)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    keys = [key for key in data if key.casefold().replace("_", " ") in ("answer", "final answer")]
    return _print_value(data[keys[0]]) if len(keys) == 1 else None


def _print_value(value: Any) -> str | None:
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list):
        printed = [_print_value(item) for item in value if not isinstance(item, list)]
        if len(printed) == len(value) and all(item is not None for item in printed):
            return ", ".join(item for item in printed if item is not None)
    return None


def _answer_of_table(text: str) -> list[FinalAnswer]:
    tables = list(_TABLE.finditer(text))
    if len(tables) != 1 or text.count("|\n") > 3:
        return []
    (table,) = tables
    heads = [cell.strip().strip("*").casefold() for cell in table[1].split("|")]
    cells = [cell.strip() for cell in table[2].split("|")]
    named = [index for index, head in enumerate(heads) if head in _ANSWER_HEADS]
    if len(cells) != len(heads) or (len(named) != 1 and len(cells) != 1):
        return []
    cell = cells[named[0] if named else 0].strip("*")
    return [FinalAnswer(((cell, text[table.end() :].strip()),), text[: table.start()].strip(), True)]


def _after_colon(before: str, last: str) -> list[FinalAnswer]:
    """Return what follows the last colon: "After two queries: 5"."""
    head, colon, rest = last.rpartition(": ")
    if not colon or not rest.strip():
        return []
    return [FinalAnswer(((rest.strip(), ""),), f"{before}{head}", False, is_plain=True)]


def _implied_answers(text: str) -> list[FinalAnswer]:
    """Return the only bold part, the sentence that concludes, a short last line, or the first sentence."""
    answers = []
    bold = list(_BOLD.finditer(text))
    if len(bold) == 1 and not bold[0][1].rstrip().endswith(":"):
        (only,) = bold
        answers.append(
            FinalAnswer(((only[1].strip(), text[only.end() :].strip()),), text[: only.start()], False)
        )
    ends = list(_STOP.finditer(text))
    if not ends:
        return answers + _after_colon("", text)
    starts = [0] + [end.end() for end in ends]
    concluding = [start for start in starts if _CONCLUDES.match(text, start)]
    if concluding:
        rest = _CONCLUDES.sub("", text[concluding[-1] :])
        return [*answers, _segments_of(text[: concluding[-1]], rest, is_explicit=False)]
    before, last = text[: starts[-1]], text[starts[-1] :]
    if "\n" in ends[-1][0] and len(last.split()) <= _FEW_WORDS:
        answers.append(FinalAnswer(((last, ""),), before, False))
    answers.append(FinalAnswer(((last, ""),), before, False, is_plain=True))
    answers += _after_colon(before, last)
    if not bold:
        first, after = text[: ends[0].start()], text[ends[0].end() :]
        answers.append(FinalAnswer(((first, after),), "", False, is_plain=True))
    return answers
