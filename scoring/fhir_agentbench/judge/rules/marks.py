"""Read the marks by which agents show their answer: tags, fields, boxes, tables, lines, bold."""

import ast
import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.fhir_agentbench.judge.rules.text.dates import find_dates
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import QuestionKind
from wardboard.scoring.fhir_agentbench.judge.shorten import shorten

# Full-width signs, and spaces that do not break.
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | dict.fromkeys(
    (0xA0, 0x2007, 0x202F, 0x3000), " "
)
_DEEPEST, _LONGEST = 4, 4_000  # marks within marks; characters of a document
MOST_MARKED = 10  # different answers that are read; each may be nearly as long as the text
_THOUGHT = re.compile(r"<(think(?:ing)?|reasoning|thought|scratchpad|analysis)>.*?(?:</\1>|\Z)", re.I | re.S)
# "【4†source】" anywhere, "[1]" after a value and before the end of its clause.
_CITED = re.compile(
    r"\s?【[^【】\n]{0,80}】|(?<=[\w%)\]\"'*.])(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bof)(?<!\bhad)(?<!finish)(?<!answer)"
    r"\s?\[\^?\d{1,3}(?:[,–-]\s?\d{1,3})*\](?=\s*(?:$|[.,;:\n\[])|\s+[A-Z])",
    re.I,
)
_CELL, _ROW_END = re.compile(r"<t[dh]\b[^<>\n]{0,200}>", re.I), re.compile(r"</tr\s*>", re.I)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|li|h[1-6]|ul|ol)\s*>", re.I)
_STRONG = re.compile(r"</?(?:b|strong|mark)\b[^<>\n]{0,200}>", re.I)
_HTML = re.compile(
    r"</?(?:p|div|span|i|em|u|ul|ol|li|h[1-6]|code|pre|t[dhr]|table|tbody|thead|sup|sub|body|html|section|small)"
    r"\b[^<>\n]{0,200}>",
    re.I,
)
_QUOTED = re.compile(r"([\"'`])([^\"'`]+)\1")
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mbox|textit|operatorname)\s?\{([^{}]{0,400})\}")
_LATEX_SIGN = re.compile(r"\\([%$&#_,; !])")
_TAG = re.compile(
    r"<(final_?answer|answer|final|output|result|response)\b[^<>\n]{0,80}>(.*?)(?:</\1\s*>|\Z)", re.I | re.S
)
_BOXED = re.compile(r"\$?\$?\\boxed\s?\{((?:[^{}]|\{[^{}]{0,400}\}){0,800})\}\$?\$?")
_CALL = re.compile(
    r"^\W{0,3}(?:finish|final_?answer|submit(?:_answer)?)\s?([(\[].{0,2000}[)\]])\W{0,4}$", re.I | re.M | re.S
)
_FENCE = re.compile(r"```([a-z]{0,12})[ \t]*\n(.{0,4000}?)\n?[ \t]*```", re.I | re.S)
_NAMED_FENCE = re.compile(r"(?:answer|result|output|response)\W{0,6}$", re.I)
_BEGINS = (
    r"(?:^[ \t>*_#|\[\-\u2022\u27a1\ufe0f]{0,12}|(?<=[.;!?)])\s[*_]{0,3})(?:(?:so|thus|therefore|"
    r"hence),? )?(?:(?:the|my) )?"
)
_COLON = (
    r"(?:\s(?:to|for) (?:the|this|your) question)?(?:[*_ \t]{0,6}[:=][*_ \t]{0,6}\n{0,2}|\s?(?:[-=]>|"
    r"[→➔➡])\s?|[*_ \t:]{0,6}\n{1,3})"
)
_IS = r"\s(?:is|was)\b:?[*_ \t]{0,6}"
# The more explicit name comes first; only the most explicit one that occurs counts.
_LINES = tuple(
    re.compile(rf"{_BEGINS}(?:{name})", re.I | re.M)
    for name in (
        rf"(?:final[ -](?:answer|result|response|output|verdict)|final(?=[*_ ]*:))(?:{_COLON}|{_IS})",
        rf"(?:(?:short |direct |correct |best )?answer|a(?=\s?:))(?:{_COLON}|{_IS})",
        rf"(?:results?|conclusion|output|response|bottom line){_COLON}",
    )
)
_NEXT = re.compile(r"\n\s*\n|\n(?=[ \t>*_#-]{0,6}[A-Za-z][\w ]{0,24}:)")
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_ROW = re.compile(r"^[ \t]*\|(.{1,1000}?)\|?[ \t]*$", re.M)
_COUNTING = ("#", "no", "no.", "nr", "index", "row", "")
_RULE = re.compile(r"[ \t]*\|?[ :|-]{3,200}\|?[ \t]*")
_BOLD = re.compile(r"\*\*([^*\n]{1,400}?)\*\*|__([^_\n]{1,400}?)__")
_YAML = re.compile(r"^[ \t-]{0,8}[\"']?([A-Za-z][\w -]{0,30}?)[\"']?\s?:[ \t]+(\S.*)$", re.M)
# Names of fields that hold the answer; the first class that occurs counts.
_KEYS = (
    re.compile(r"final.?(?:answer|response|result)", re.I),
    re.compile(r"(?:agent|model|my|the|short)?.?answers?(?:.?(?:text|value))?", re.I),
    re.compile(r"results?|outputs?|response|predictions?|conclusion|finding|final|value", re.I),
    re.compile(r"count|total|number|sum|difference", re.I),
)
_UNIT = re.compile(r".*units?|uom", re.I)
_DATED = re.compile(r"\d{4}-\d\d|\d\d:\d\d")
_AMOUNT = re.compile(r"[-+]?\d+(?:[.,]\d+)*\s?[a-z%/]{0,12}")
_DISPLAYED = ("text", "display", "coding")
_RESOURCE = frozenset(("resourceType", "fullUrl", "identifier", "subject"))


# What is marked where a field holds null, or an empty list: an answer where nothing is to find, and no other.
NULL = "∅"


@dataclass(frozen=True, slots=True)
class Marked:
    """Hold what is marked as the answer: different texts, and the text after the last mark.

    is_named: the mark names the answer; else it is the only bold part.
    """

    answers: tuple[str, ...]
    after: str = ""
    is_named: bool = True


def clean(answer: str) -> str:
    """Return `answer` without thoughts, citations, HTML and LaTeX, with narrow signs."""
    text = _CITED.sub("", shorten(answer)).replace("\r\n", "\n").translate(_WIDE)
    text = _THOUGHT.sub("", text)
    if "<" in text:
        text = _STRONG.sub("**", _BREAK.sub("\n", _ROW_END.sub("|\n", _CELL.sub("|", text))))
        text = _HTML.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text:
        text = _LATEX_SIGN.sub(r"\1", _LATEX.sub(r"\1", text))
    text = text.replace("****", "").strip()
    quoted = _QUOTED.fullmatch(text)
    return quoted[2].strip() if quoted else text


def find_marked(text: str, kind: QuestionKind) -> Marked | None:
    """Return what is marked in `text`, which is clean, as the answer of this kind; None for no mark."""
    for find in (_tagged, _boxed, _called, _in_documents, _in_lines, _fenced, _in_table, _bold):
        found = find(text, kind)
        if found and len(found.answers) > MOST_MARKED:
            return found
        if found:
            answers = dict.fromkeys(_unwrap(one, kind) for one in found.answers)
            return Marked(tuple(answers), found.after, found.is_named)
    return None


def _unwrap(text: str, kind: QuestionKind, depth_left: int = _DEEPEST) -> str:
    """Return what is marked within a marked text: "<answer>\\boxed{3}</answer>" is "3"."""
    text = text.strip().strip("`").strip()
    for find in (_tagged, _boxed, _called, _in_documents, _fenced):
        found = find(text, kind) if depth_left else None
        if found and len(found.answers) == 1:
            return _unwrap(found.answers[0], kind, depth_left - 1)
    whole = _BOLD.fullmatch(text)
    return (whole[1] or whole[2]).strip() if whole else text.strip("*_ \t\n")


def _of(matches: list[re.Match[str]], group: int, text: str) -> Marked | None:
    if not matches:
        return None
    return Marked(tuple(dict.fromkeys(match[group].strip() for match in matches)), text[matches[-1].end() :])


def _tagged(text: str, kind: QuestionKind) -> Marked | None:
    return _of(list(_TAG.finditer(text)), 2, text) if "<" in text else None


def _boxed(text: str, kind: QuestionKind) -> Marked | None:
    return _of(list(_BOXED.finditer(text)), 1, text) if "boxed" in text else None


def _called(text: str, kind: QuestionKind) -> Marked | None:
    match = _CALL.search(text)
    if not match:
        return None
    values = _parse(f"[{match[1][1:-1]}]")
    return Marked((match[1][1:-1].strip() if values is None else _print(values),))


def _fenced(text: str, kind: QuestionKind) -> Marked | None:
    fences = list(_FENCE.finditer(text))
    if len(fences) != 1 or "\n" in fences[0][2].strip():
        return None
    before = text[: fences[0].start()].strip()
    return _of(fences, 2, text) if not before or _NAMED_FENCE.search(before) else None


def _in_documents(text: str, kind: QuestionKind) -> Marked | None:
    """Return the field for the answer of the JSON, Python or YAML in `text`."""
    spans = [(match[2], match.end()) for match in _FENCE.finditer(text)]
    if not spans:
        opens = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
        closes = max(text.rfind("}"), text.rfind("]")) + 1
        if 0 <= opens < closes and (opens == 0 or text[opens] == "{"):
            spans = [(text[opens:closes], closes)]
    documents = [document for written, _ in spans if isinstance(document := _parse(written), dict | list)]
    if not documents:
        fields = _fields(spans[0][0] if len(spans) == 1 else text)
        if any(key.fullmatch(name) for key in _KEYS[:2] for name in fields):
            documents = [fields]
    found = [_value_of(document) for document in documents]
    after = text[spans[-1][1] :] if spans else ""
    if found and None not in found:
        return Marked(tuple(one for one in found if one is not None), after)
    value = _value_of_kind(documents[0], kind) if len(documents) == 1 else None
    return None if value is None else Marked((value,), after, is_named=False)


def _fields(text: str) -> dict[str, str]:
    """Return the fields of `text` if each of its lines is one: "answer: 3"."""
    found = {match[1]: match[2].strip().strip("\"'") for match in _YAML.finditer(text)}
    return found if len(found) == sum(1 for line in text.split("\n") if line.strip()) else {}


def _parse(written: str) -> Any:
    """Return the value that is written as JSON, or as Python would; None for other text."""
    if len(written) > _LONGEST or written.count("[") + written.count("{") > 200:
        return None
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(written.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def _value_of(document: Any) -> str | None:  # noqa: PLR0911 (a form a line)
    """Return the printed answer of a document, None where none of its fields is named for it."""
    if isinstance(document, list):
        if not document or not all(isinstance(one, Mapping) for one in document):
            return None if _holds_objects(document) else _print(document)
        printed = [_value_of(one) for one in document]
        return ", ".join(one for one in printed if one) if printed and None not in printed else None
    if not _RESOURCE.isdisjoint(document):
        return None
    for key in _KEYS:
        held = [value for name, value in document.items() if key.fullmatch(str(name).strip())]
        if held:
            return _with_unit(held[0], document) if len(held) == 1 else None
    for name in _DISPLAYED:
        value = document.get(name)
        if value:
            return _value_of(value) if isinstance(value, list) else str(value)
    if len(document) == 1 or (document and all(_DATED.match(str(name)) for name in document)):
        return _print(list(document.values())) if document else None
    return None


def _with_unit(value: Any, document: Mapping[str, Any]) -> str | None:
    if isinstance(value, Mapping):
        return _value_of(value)
    unit = next((str(text) for name, text in document.items() if text and _UNIT.fullmatch(str(name))), "")
    return f"{_print(value)} {unit}".strip()


def _value_of_kind(document: Any, kind: QuestionKind) -> str | None:
    """Return the only value of the kind asked for, or the only list; names are of no kind."""
    if not isinstance(document, Mapping) or not _RESOURCE.isdisjoint(document):
        return None
    values = list(document.values())
    for held in (
        [value for value in values if value is None or _is_of_kind(value, kind)],
        [value for value in values if isinstance(value, list) and len(value) > 1],
    ):
        if len(held) == 1:
            return _with_unit(held[0], document)
    return None


def _is_of_kind(value: Any, kind: QuestionKind) -> bool:
    """Check whether a value is of the kind that a question asks for; names are of none."""
    text = str(value).strip().casefold()
    match kind:
        case QuestionKind.YES_NO:
            return isinstance(value, bool) or text in ("yes", "no", "true", "false")
        case QuestionKind.COUNT | QuestionKind.AMOUNT:
            return not isinstance(value, bool) and _AMOUNT.fullmatch(text) is not None
        case QuestionKind.WHEN:
            return bool(find_dates(text))
    return False


def _holds_objects(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list | tuple) and any(map(_holds_objects, value)))


def _print(value: Any) -> str:
    """Return a value as text: NULL for null and an empty list, "yes" for true."""
    if value is None or str(value) == "nan":
        return NULL
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return _value_of(value) or str(value)
    if isinstance(value, list | tuple | set):
        return ", ".join(map(_print, value)) if value else NULL
    return str(value)


def _in_lines(text: str, kind: QuestionKind) -> Marked | None:
    for pattern in _LINES:
        answers, end = dict[str, None](), len(text)
        for match in pattern.finditer(text):
            end = _end_of(text, match.end())
            answers[text[match.end() : end].strip()] = None
            if len(answers) > MOST_MARKED + 1:
                break
        given = tuple(filter(None, answers))
        if given or (answers and pattern is _LINES[0]):
            return Marked(given or ("",), text[end:])
    return None


def _end_of(text: str, start: int) -> int:
    """Return where the answer that begins at `start` ends: at a blank line, unless a list goes on."""
    if _BULLET.match(text, start):
        return len(text)
    match = _NEXT.search(text, start)
    while match and _BULLET.match(text, match.end()) and not text[start : match.start()].strip():
        match = _NEXT.search(text, match.end())
    return match.start() if match else len(text)


def _in_table(text: str, kind: QuestionKind) -> Marked | None:
    """Return the column for the answer, or the only cell, of the only table in `text`."""
    lines = (match for match in _ROW.finditer(text) if not _RULE.fullmatch(match[0]))
    rows = [[cell.strip().strip("*_`").strip() for cell in line[1].split("|")] for line in lines]
    if len(rows) < 2 or len({len(row) for row in rows}) > 1:
        return None
    head, *body = rows
    if len(head) == 2 and any(key.fullmatch(row[0]) for row in body for key in _KEYS[:3]):
        value = _value_of(dict(body))
        return Marked((value,)) if value is not None else None
    columns = {
        name: [row[index] for row in body]
        for index, name in enumerate(head)
        if name.casefold() not in _COUNTING
    }
    value = _value_of({name: ", ".join(cells) for name, cells in columns.items()})
    if value is not None:
        return Marked((value,))
    held = [cells for cells in columns.values() if all(_is_of_kind(cell, kind) for cell in cells)]
    return Marked((", ".join(held[0]),), is_named=False) if len(held) == 1 else None


def _bold(text: str, kind: QuestionKind) -> Marked | None:
    parts = {(match[1] or match[2]).strip() for match in _BOLD.finditer(text)}
    if len(parts) != 1:
        return None
    (part,) = parts
    return None if part.endswith(":") else Marked((part,), "", is_named=False)
