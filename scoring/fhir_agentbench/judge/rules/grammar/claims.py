"""Find the claims of an answer: the parts that may answer the question, with what surrounds each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from wardboard.scoring.fhir_agentbench.judge.rules.grammar.fields import (
    claim_of,
    claim_of_labels,
    claim_of_table,
    find_documents,
)
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.roles import Role, role_of
from wardboard.scoring.fhir_agentbench.judge.rules.grammar.strip import readings_of
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import ParsedQuestion, QuestionKind

READ = 6_000  # characters read at the beginning and at the end of an answer
_MOST_CLAIMS = 15  # at each end
_MOST_PARTS = 60  # at each end


class Weight(StrEnum):
    """Name what says that a part is the answer.

    - EXPLICIT: it is called the answer.
    - SHOWN: it is the only bold part, or draws a conclusion.
    - REST: it is all that is no method, source, caution or evidence.
    - PLAIN: only that the other parts are none.
    """

    EXPLICIT = "explicit"
    SHOWN = "shown"
    REST = "rest"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Part:
    """Hold a sentence or line of an answer, and what it does."""

    text: str
    role: Role


@dataclass(frozen=True, slots=True)
class Claim:
    """Hold a part of an answer that may be judged alone.

    - readings: the part, and shorter readings without what is no claim.
    - before, after: the parts around it.
    """

    readings: tuple[str, ...]
    before: tuple[Part, ...]
    after: tuple[Part, ...]
    weight: Weight


_SKIP = r"[ \t>*_#|\[\-\u2022\u27a1\ufe0f\U0001f4cc]{0,12}"
_LEAD = r"(?:(?:so|thus|therefore|hence|and|then),?\s)?(?:(?:the|my|our)\s)?"
_TO_THE_QUESTION = r"(?:\s(?:to|for)\s(?:the|this|your)\s(?:question|query))?"
_THEN = (
    r"(?:\]|[*_ \t]{0,6}(?:[:=][*_ \t]{0,6}\n{0,2}|\s?(?:[-=]>|[→➔➡])\s?|\s[-–—]\s|\s(?:is|was)\b(?: "
    r"therefore| thus| then|"
    r" hence| that)?:?[*_ \t]{0,6}|\n{1,3}))"
)
_BEGINS = rf"(?:^{_SKIP}|(?<=[.;,!?)|])\s{{1,3}}[*_\[]{{0,3}})"
# The more explicit name comes first; only the most explicit one that occurs counts.
_MARKERS = tuple(
    re.compile(rf"{_BEGINS}{_LEAD}{name}{_TO_THE_QUESTION}{_THEN}", re.I | re.M)
    for name in (
        "final[ -](?:answer|result|response|output|verdict)",
        "final",
        "(?:short |direct |correct |best |quick )?answer",
        "(?:results?|conclusion|verdict|i (?:therefore )?conclude|output|bottom line|tl;?dr|in short|"
        "returning)",
    )
)
_BOLD = re.compile(r"\*\*([^*\n]{1,300})\*\*")
_CONCLUDES = re.compile(
    r"\W{0,6}(?:so|thus|hence|therefore|consequently|accordingly|overall|altogether|as a result|all in all|"
    r"in (?:conclusion|summary|total|all|sum|short|the end|other words)|that means|which means|meaning|"
    r"i\.e\.|"
    r"ultimately|finally|it follows(?: that)?|to (?:conclude|sum up|summari[sz]e)|in total|"
    r"(?:this|that|which) (?:means|gives|shows|leaves|makes|yields)(?: that| us| me)?|i (?:therefore |thus "
    r")?conclude(?: that)?|"
    r"(?:i(?:'d| would|'ll| will) (?:say|go with|answer|put)(?: that| it (?:at|on))?)|the (?:sum|total|"
    r"difference|overall)[^.]{0,40}"
    r"\b(?:is|was|amounts? to|comes? to|of))\b[,:]?\s",
    re.I,
)
# The end of a sentence. A number ends one only before a capital letter or another number.
_END = re.compile(
    r"(?<=[.!?])(?<!\s[A-Z]\.)(?<!^[A-Z]\.)(?<!^\d\.)(?<!\n\d\.)(?<!\n\d\d\.)(?<!\bapprox\.)(?<!\bvs\.)(?<!\bDr\.)(?<!\bca\.)(?<!\bi\.e\.)(?<!\be\.g\.)[\"')\]*_]{0,3}\s+"
    r"(?=[\"'(*_\[]{0,3}[A-Z])|(?<=\d\.)(?<!^\d\.)(?<!\n\d\.)(?<!\n\d\d\.)[*_]{0,2}\s+(?=\d)|"
    r"(?<=[a-zA-Z]{4}\.)(?<!prox\.)(?<!irca\.)[*_]{0,2}\s+(?=\d)|\s*\n\s*|;\s+(?=(?:this|so|thus|hence|"
    r"therefore) )|;\s+(?=[a-z][^;\n]{0,60}\b(?:is|was|are|were|has|had|did|does|do|would|may|cannot|see)\b)"
)
_ARROW = re.compile(r"(?:^|\s)(?:[-=]{1,2}>|>>|[→⇒➡➔➜]\ufe0f?)\s+(?=\S)")
_FEW_WORDS = 6  # of a last line that may stand for an answer
_SETS_ASIDE = re.compile(
    r"\b(?:not|never|no|wrong|incorrect|false|before|after|without|except|instead|previous\w*|formerly|"
    r"earlier|later|exclud\w+|another|other)\b|n't\b",
    re.I,
)
_HEADING = re.compile(
    r"^#{1,6}\s[^\n]{1,120}(?=\n)|^[^\n]{1,80}:[*_]{0,2}(?=[ \t]*\n)|^\*\*[^*\n]{1,80}\*\*(?=\s*\n[ "
    r"\t]*(?:[-*•|]\s|\d{1,2}[.)]\s))",
    re.M,
)
_LISTED = re.compile(r"(?:[-*•+]|\d{1,2}[.)])\s")
_MARKS = re.compile(r"^(?:(?:[-*•+>|]|#{1,6}|//|>>>|\.\.\.)\s+|[>#]+(?=\s?\S))+")


def find_claims(
    text: str, question: ParsedQuestion, *, is_side: bool, kind: QuestionKind | None = None
) -> list[Claim]:
    """Return the explicit claims of `text`, else those that stand where a claim would.

    - is_side: the answer is expected to affirm or deny.
    - kind: the kind of value that is expected, if another than the question says.
    """
    if len(text) > 2 * READ:
        text = f"{text[:READ]}\n{text[-READ:]}"
    text = text.replace("\r\n", "\n").strip()
    claims = [
        _claim((claim,), text[:start], text[end:], Weight.EXPLICIT)
        for document, start, end in _ends_of(list(find_documents(text)))
        if (claim := claim_of(document, question, kind or question.kind)) is not None
    ]
    claims = (
        claims
        or _of_markers(text, is_side)
        or [*_of_layout(text, question, kind or question.kind), *_implied(text, is_side)]
    )
    return [claim for claim in claims if claim.readings]  # marks and labels alone claim nothing


def parts_of(text: str) -> tuple[Part, ...]:
    """Return the sentences and lines of `text`, of the first and the last ones, with what each does."""
    parts = [part.strip() for part in _END.split(text)]
    headings = frozenset(_MARKS.sub("", match[0].strip()).strip() for match in _HEADING.finditer(text))
    if len(parts) > 1:  # ">5" alone is no quotation
        parts = [_MARKS.sub("", part).strip() for part in parts]
    parts = [part for part in parts if re.search(r"\w", part)]
    if len(parts) > 2 * _MOST_PARTS:
        parts = parts[:_MOST_PARTS] + parts[-_MOST_PARTS:]
    read: list[Part] = []
    for part in parts:
        role = Role.METHOD if part in headings else role_of(part)
        if role is Role.EVIDENCE and not any(one.role is Role.CLAIM for one in read):
            role = Role.CLAIM  # there is nothing yet to give evidence of
        read.append(Part(part, role))
    return tuple(read)


def concludes(sentence: str) -> bool:
    """Check whether `sentence` draws a conclusion: "So, ...", "In total, ..."."""
    return _CONCLUDES.match(sentence) is not None


def _claim(readings: Sequence[str], before: str, after: str, weight: Weight) -> Claim:
    return Claim(tuple(dict.fromkeys(readings)), parts_of(before), parts_of(after), weight)


def _of_markers(text: str, is_side: bool) -> list[Claim]:
    for marker in _MARKERS:
        matches = list(marker.finditer(text))
        if matches:
            matches = _ends_of(matches)
            ends = [match.start() for match in matches[1:]] + [len(text)]
            claims = [
                _marked(text[: match.start()], text[match.end() : end], is_side)
                for match, end in zip(matches, ends, strict=True)
            ]
            return [claim for claim in claims if claim is not None]
    return []


def _ends_of(items: list[Any]) -> list[Any]:
    """Return the first and the last ones of `items`: no answer in prose has more."""
    return items if len(items) <= 2 * _MOST_CLAIMS else items[:_MOST_CLAIMS] + items[-_MOST_CLAIMS:]


def _marked(before: str, rest: str, is_side: bool) -> Claim | None:
    """Return the claim after a marker: to the end, the paragraph, the line, the sentence, without asides."""
    rest = rest.strip().strip("*_").strip()
    if not re.search(r"\w", rest):
        return None
    readings = [rest]
    parts = parts_of(rest)
    kept = 0
    while kept < len(parts) and (kept == 0 or parts[kept].role is Role.CLAIM):
        kept += 1
    if 0 < kept < len(parts):
        readings.append(rest[: _start_of(rest, parts[kept].text)].strip())
    if _LISTED.match(rest) and rest.count("\n"):
        # The items of a list are one claim.
        return Claim(tuple(dict.fromkeys(readings)), parts_of(before), (), Weight.EXPLICIT)
    for ends in (re.compile(r"\n\s*\n"), re.compile(r"\n"), _END):
        end = ends.search(rest)
        if end and end.start():
            readings.append(rest[: end.start()].strip())
    shortest = min((reading for reading in readings if reading), key=len)
    after = parts_of(rest[len(shortest) :]) if rest.startswith(shortest) else ()
    readings += readings_of(shortest, is_side=is_side)
    return Claim(
        tuple(dict.fromkeys(reading for reading in readings if reading)),
        parts_of(before),
        after,
        Weight.EXPLICIT,
    )


def _start_of(text: str, part: str) -> int:
    found = text.find(part)
    return found if found > 0 else len(text)


def _of_layout(text: str, question: ParsedQuestion, kind: QuestionKind) -> list[Claim]:
    """Return the claim of a table, of lines of labels and values, after an arrow, or of a short last line."""
    for read in (claim_of_table, claim_of_labels):
        found = read(text, question, kind)
        if found:
            claim, start, end = found
            return [_claim((claim,), text[:start], text[end:], Weight.SHOWN)]
    arrows = list(_ARROW.finditer(text))
    if len(arrows) == 1:
        before, after = text[: arrows[0].start()], text[arrows[0].end() :]
        return [_claim(readings_of(after.split("\n")[0], is_side=False), before, "", Weight.SHOWN)]
    head, _, last = text.rpartition("\n")
    if head.strip() and len(last.split()) <= _FEW_WORDS and role_of(last) is Role.CLAIM:
        return [_claim(readings_of(_MARKS.sub("", last.strip()), is_side=False), head, "", Weight.SHOWN)]
    return []


def _stands_out(text: str, bold: re.Match[str]) -> bool:
    """Check whether a bold part is no heading, and not set aside by its sentence: "It is not **5**"."""
    lead = _END.split(text[: bold.start()])[-1]
    return not bold[1].rstrip().endswith(":") and not _SETS_ASIDE.search(lead)


def _implied(text: str, is_side: bool) -> list[Claim]:
    """Return what stands where a claim would: bold, a conclusion, or all parts that are claims."""
    parts = parts_of(text)
    claims: list[Claim] = []
    mains: list[int] = []
    bold = list(_BOLD.finditer(text))
    if len({match[1].strip().casefold() for match in bold}) == 1 and _stands_out(text, bold[-1]):
        only = bold[-1]
        # The rest of its sentence is no other claim.
        stop = _END.search(text, only.end())
        rest = text[stop.end() :] if stop else ""
        claims.append(
            _claim(readings_of(only[1].strip(), is_side=is_side), text[: only.start()], rest, Weight.SHOWN)
        )
    at = {index for index, part in enumerate(parts) if concludes(part.text)}
    if at and len(parts) > 1:
        index = max(at)
        rest = _CONCLUDES.sub("", parts[index].text)
        claims.append(
            Claim(
                (parts[index].text, *readings_of(rest, is_side=is_side)),
                parts[:index],
                parts[index + 1 :],
                Weight.SHOWN,
            )
        )
    for roles in ((Role.CLAIM,), (Role.METHOD, Role.EVIDENCE), tuple(Role)):
        mains = [index for index, part in enumerate(parts) if part.role in roles]
        if mains:
            break
    if 1 < len(mains) < len(parts):
        # What is left where methods, sources, cautions and evidence are left out.
        text = "\n".join(parts[index].text for index in mains)
        claims.append(Claim((text,), (), parts[mains[-1] + 1 :], Weight.REST))
    for index in _ends_of(mains):
        claims.append(
            Claim(
                tuple(readings_of(parts[index].text, is_side=is_side)),
                parts[:index],
                parts[index + 1 :],
                Weight.PLAIN,
            )
        )
    return claims
