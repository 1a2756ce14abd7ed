"""Read answers made of named fields: JSON objects, tables, lines of a label and a value.

The names of fields are of a class (answer, aside) or name what the question asks for. Of the values that are
left, those of the type that the question asks for are the claim.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.fhir_agentbench.judge.rules.text.dates import find_dates
from wardboard.scoring.fhir_agentbench.judge.rules.text.normalise import words
from wardboard.scoring.fhir_agentbench.judge.rules.text.numbers import NUMBER_WORDS
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind

# Letters that two words share at least, and as many as are compared.
_SHORTEST, _BEGINNING = 3, 4
_MOST_VALUES, _DEEPEST, _LONGEST = 200, 8, 4_000
# Names of fields that hold the answer; the first class that occurs counts.
_ANSWERS = tuple(
    frozenset(words(names))
    for names in (
        "final answer",
        "answer",
        "result conclusion verdict output response finding prediction selected chosen",
        "value total sum count number",
    )
)
# Names of fields that hold something beside the answer.
_ASIDES = frozenset(
    words(
        "unit uom source resource evidence reasoning reason explanation rationale note confidence certainty "
        "probability method "
        "methodology approach step caveat disclaimer comment question query patient subject id identifier "
        "reference ref "
        "citation limitation assumption status basis based justification remark context metadata provenance "
        "thought analysis "
        "process search searched support supporting criteria loinc snomed rxnorm icd system match matched "
        "reviewed "
        "checked scanned considered candidate warning version hedge model timeframe window filter format "
        "precision trace why "
        "n flag error log debug calc calculation tool rows agent completeness complete path timeline "
        "reasoned meta extension schema "
        "resourcetype details detail info previous how abnormal threshold normal range relation scope"
    )
)
_UNITS = frozenset(words("unit uom u"))
_WHEN = frozenset(
    words("date time datetime timestamp recorded taken measured at when effective start end day issued on")
)
# Names of fields that hold the name of a thing, beside others that describe it.
_NAMES = frozenset(
    words(
        "name display label text title medication drug med medicine procedure proc diagnosis test organism "
        "item"
    )
)
_CHANGES = frozenset(words("change changed difference differ delta diff increase decrease"))
_NOTHING = frozenset(("", "-", "--", "—", "n/a", "na", "none", "null", "not found", "no data"))
_SIDES = frozenset(("yes", "no", "true", "false", "y", "n", "0", "1"))
_FENCE = re.compile(r"```[a-z]{0,10}\s{0,4}([{\[][^`]{1,4000}[}\]])\s{0,4}```", re.I)
_ROW = re.compile(r"^[ \t]*\|(.{1,1000}?)\|?[ \t]*$", re.M)
_RULE = re.compile(r"^[ \t]*\|?[ :|-]{3,200}\|?[ \t]*$")
_LABEL = re.compile(
    r"^[ \t>]*(?:[-*•+]\s+|\d{1,2}[.)]\s+)?[*_]{0,3}([A-Za-z][\w '/()-]{0,38}?)[*_]{0,3}\s?[:=][*_]{0,3}[ "
    r"\t]+(\S.*)$",
    re.M,
)
_INDEX = frozenset(("#", "no", "no.", "nr", "index", "row", ""))


@dataclass(frozen=True, slots=True)
class _Leaf:
    """Hold a value of a document: the words of the names that lead to it, and the value."""

    names: frozenset[str]
    path: tuple[str, ...]
    value: Any


def claim_of(document: Any, question: ParsedQuestion, kind: QuestionKind) -> str | None:
    """Return the values of `kind` in `document` that answer `question`, one a line; None for none."""
    leaves = list(_leaves(document, (), _DEEPEST))
    if not 0 < len(leaves) <= _MOST_VALUES:
        return None
    unit = _only([leaf.value for leaf in leaves if leaf.path and _words(leaf.path[-1]) & _UNITS])
    for answers in _ANSWERS:
        held = [leaf for leaf in leaves if _leads(leaf, answers)]
        is_named = answers in _ANSWERS[:2] or any(_is_of_type(leaf.value, kind) for leaf in held)
        if held and is_named:
            leaves = held
            if answers is _ANSWERS[-1]:
                leaves = [leaf for leaf in held if _words(leaf.path[-1]) <= answers] or held
            break
    else:
        leaves = [leaf for leaf in leaves if not leaf.names & _ASIDES] or [
            leaf for leaf in leaves if leaf.value is None
        ]
    typed = [leaf for leaf in leaves if _is_of_type(leaf.value, kind)]
    chosen = _narrow(typed or leaves, question, kind)
    printed = dict.fromkeys(_print(leaf.value, unit) for leaf in chosen)
    if kind is QuestionKind.YES_NO:
        printed = dict.fromkeys({"Y": "yes", "N": "no"}.get(one, one) for one in printed)
    if kind is QuestionKind.WHEN and len(chosen) == 1:
        clock = _only(
            [
                leaf.value
                for leaf in leaves
                if leaf.path and _words(leaf.path[-1]) == {"time"} and leaf not in chosen
            ]
        )
        return f"{next(iter(printed))} {clock}".strip()
    return "\n".join(printed) if printed else None


def _narrow(leaves: list[_Leaf], question: ParsedQuestion, kind: QuestionKind) -> list[_Leaf]:
    """Return the values of the one name, of several, that the question asks for."""
    if len({leaf.path for leaf in leaves}) > 1:
        changes = _CHANGES if question.words & _CHANGES else frozenset()
        for wanted in (changes, _NAMES, question.words - _ASIDES):
            held = [leaf for leaf in leaves if leaf.path and _words(leaf.path[-1]) & wanted]
            if held and len({leaf.path for leaf in held}) == 1 and kind is not QuestionKind.WHEN:
                return held
        shared = {leaf.path: _count_shared(leaf, question) for leaf in leaves}
        most = max(shared.values())
        if most and list(shared.values()).count(most) == 1:
            return [leaf for leaf in leaves if shared[leaf.path] == most]
    return leaves


def _count_shared(leaf: _Leaf, question: ParsedQuestion) -> int:
    """Count the words of the name of a field that are in the question: "admission" is in "admitted"."""
    named = _words(leaf.path[-1]) - _ASIDES - _WHEN if leaf.path else frozenset()
    return sum(any(_is_alike(word, asked) for asked in question.words) for word in named)


def _is_alike(first: str, second: str) -> bool:
    shortest = min(len(first), len(second), _BEGINNING)
    return shortest >= _SHORTEST and first[:shortest] == second[:shortest]


def _leads(leaf: _Leaf, answers: frozenset[str]) -> bool:
    """Check whether a field of the answer leads to a value, and no field beside it within."""
    for index, name in enumerate(leaf.path):
        named = _words(name)
        if named & _ASIDES - answers and not named & answers:
            return False
        if (
            named & answers
            and not named & _ASIDES - answers
            and ("final" not in answers or "answer" in named or named == {"final"})
        ):
            return not any(_words(inner) & _ASIDES for inner in leaf.path[index + 1 :])
    return False


def _leaves(value: Any, path: tuple[str, ...], depth_left: int) -> Iterator[_Leaf]:
    if depth_left == 0:
        return
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, (*path, str(name)), depth_left - 1)
    elif isinstance(value, list | tuple | set) and value:
        for inner in value:
            yield from _leaves(inner, path, depth_left - 1)
    else:
        names = frozenset().union(*map(_words, path)) if path else frozenset()
        yield _Leaf(names, path, None if value in ({}, [], ()) else value)


def _words(name: str) -> frozenset[str]:
    return frozenset(words(re.sub(r"(?<=[a-z])(?=[A-Z])|[_\-/.()]", " ", name)))


def _is_of_type(value: Any, kind: QuestionKind) -> bool:
    """Check whether a value is of the type that a question of `kind` asks for, or says that there is none."""
    text = str(value).strip()
    if value is None or text.casefold() in _NOTHING:
        return True
    match kind:
        case QuestionKind.YES_NO:
            return isinstance(value, bool) or text.casefold().split(",")[0].split(" ")[0].strip(".") in _SIDES
        case QuestionKind.COUNT | QuestionKind.AMOUNT:
            is_number = (
                not isinstance(value, bool)
                and re.match(r"[-+~<>≈]?\s?\d", text) is not None
                and not find_dates(text)
            )
            return is_number or (text.casefold().split(" ")[0] in NUMBER_WORDS)
        case QuestionKind.WHEN:
            return bool(find_dates(text))
    return isinstance(value, str) and re.search(r"[^\W\d]", text) is not None and not find_dates(text)


def _only(values: list[Any]) -> str:
    held = {str(value).strip() for value in values if isinstance(value, str)}
    return held.pop() if len(held) == 1 else ""


def _print(value: Any, unit: str) -> str:
    if value is None or str(value).strip().casefold() in _NOTHING:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value).strip()
    return f"{text} {unit}".strip() if re.fullmatch(r"[-+]?\d+(?:[.,]\d+)*", text) else text


def parse_json(text: str) -> Any:
    """Return the value that `text` writes as JSON, or as Python would; None for other text."""
    if len(text) > _LONGEST or text.count("[") + text.count("{") > 200:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def find_documents(text: str) -> list[tuple[Any, int, int]]:
    """Return the JSON objects and lists in `text` that are no resources, each with its start and end."""
    spans = [(match[1], match.start(), match.end()) for match in _FENCE.finditer(text)]
    if not spans:
        for opens, closes in ("{}", "[]"):
            start, end = text.find(opens), text.rfind(closes) + 1
            if (
                0 <= start < end
                and (start == 0 or text[start - 1] in " \n=:(")
                and (opens == "{" or start == 0)
            ):
                spans = [(text[start:end], start, end)]
                if start == 0 or text[:start].strip() != "[":
                    break
    documents = [(parse_json(written), start, end) for written, start, end in spans]
    return [
        one for one in documents if isinstance(one[0], dict | list) and one[0] and not _is_resource(one[0])
    ]


def _is_resource(value: Any) -> bool:
    first = value[0] if isinstance(value, list) else value
    return isinstance(first, Mapping) and not {
        "resourceType",
        "fullUrl",
        "coding",
        "identifier",
        "code",
    }.isdisjoint(first)


def claim_of_table(text: str, question: ParsedQuestion, kind: QuestionKind) -> tuple[str, int, int] | None:
    """Return what the only table of `text` claims, with its start and end."""
    if text.count("|") < 2:
        return None
    rows: list[list[str]] = []
    start = end = -1
    has_rule = False
    for match in _ROW.finditer(text):
        if end >= 0 and text[end : match.start()].strip():
            return None  # two tables
        start = match.start() if start < 0 else start
        end = match.end()
        if _RULE.match(match[0]):
            has_rule = True
            continue
        rows.append([cell.strip().strip("*_`").strip() for cell in match[1].split("|")])
    if not has_rule or len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return None
    head, *body = rows
    counting = [str(number) for number in range(1, len(body) + 1)]
    kept = [
        index
        for index, name in enumerate(head)
        if name.casefold() not in _INDEX and ([row[index] for row in body] != counting or len(body) == 1)
    ] or list(range(len(head)))
    if len(kept) == 2 and any(
        _words(row[kept[0]]) & (_ASIDES | _ANSWERS[1] | _ANSWERS[2] | _ANSWERS[3]) for row in body
    ):
        # Each row is a name and a value.
        claim = claim_of({row[kept[0]]: row[kept[1]] for row in body}, question, kind)
    else:
        claim = claim_of([{head[index] or "#": row[index] for index in kept} for row in body], question, kind)
    return (claim, start, end) if claim else None


def claim_of_labels(text: str, question: ParsedQuestion, kind: QuestionKind) -> tuple[str, int, int] | None:
    """Return what several lines "label: value" of `text` claim, with their start and end."""
    found = list(_LABEL.finditer(text))
    if len(found) < 2:
        return None
    claim = claim_of({match[1].strip(): match[2].strip("*_ `") for match in found}, question, kind)
    return (claim, found[0].start(), found[-1].end()) if claim else None
