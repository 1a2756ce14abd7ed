"""The errors and warnings of a file as lines of text, by their codes."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wardboard.scoring.reading.problems import counted, printable, quote
from wardboard.scoring.reading.reports.code_groups import CodeGroup, changed_line, group_by_code

# Problems whose codes begin so are those of a CI job's ID token, and not of a file.
OF_ID_TOKEN = "id-token."
_WIDTH = 80


def grouped_lines(
    word: str, listed: Sequence[Mapping[str, Any]], counts: Mapping[str, int] | None = None, total: int = 0
) -> Iterator[str]:
    """Yield remarks, in the form of the API, as lines: the first of each code, and how many more there are.

    word: what one is. counts: code -> how many there are; by default those that are listed.
    total: of all; it says how many are not listed where there are no counts.
    """
    for group in group_by_code(listed, counts):
        yield from _group_lines(word, group)
    if not counts and total > len(listed):
        yield from ("", f"... and {counted(total - len(listed), f'more {word}')}")


def _group_lines(word: str, group: CodeGroup) -> Iterator[str]:
    hint = group.common("hint")
    for remark in group.first:
        yield ""
        yield from remark_lines(word, {**remark, "hint": "" if hint else remark["hint"]})
    if not group.listed:
        yield from ("", printable(f"{word}  {group.code}"))
    if more := group.total - len(group.first):
        yield printable(f"  ... and {counted(more, f'more {word}')} of this kind")
    if hint:
        yield _hint(hint)


def remark_lines(word: str, remark: Mapping[str, Any]) -> list[str]:
    """Return a remark, in the form of the API, as lines. word: what it is."""
    subject = "ID token" if remark["code"].startswith(OF_ID_TOKEN) else "whole file"
    place = "  ".join(part for part in (remark.get("where"), remark["pointer"]) if part) or subject
    if remark.get("run"):
        place = f"run {remark['run']} ({quote(remark.get('file') or '')})  {place}"
    return [
        printable(f"{word}  {remark['code']}  {place}"),
        *_excerpt(remark),
        wrapped(remark["message"], "  "),
        *([_hint(remark["hint"])] if remark["hint"] else []),
    ]


def _excerpt(remark: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that the remark quotes, and those that its fix removes and inserts."""
    fix, changed = remark.get("fix"), changed_line(remark)
    for line in remark.get("quoted") or ():
        if fix and line["number"] == changed:
            yield from fix_lines(fix, changed)
        else:
            yield f"  {line['number']:>7,} | {printable(line['text'])}"
    if fix and changed is None:
        yield from fix_lines(fix)


def fix_lines(fix: Mapping[str, str], number: int | None = None) -> Iterator[str]:
    """Yield the line that a fix removes, with its number, and the one that it inserts, if there are any."""
    if fix["before"]:
        yield f"  -{f'{number:,}' if number else '':>6} | {printable(fix['before'])}"
    if fix["after"]:
        yield f"  +{'':>6} | {printable(fix['after'])}"


def form_lines(forms: Mapping[str, Any]) -> Iterator[str]:
    """Yield how many answers have a form that the rules of a judge can read."""
    part = "the first " if forms["is_part"] else ""
    answers = counted(forms["answers"], "answer")
    yield ""
    readable = f"{forms['readable']:,} in a form that the rules can read, and may still leave undecided"
    yield wrapped(f"Of {part}{answers}, {readable}")
    if forms["answers"] > forms["readable"]:
        yield _hint(f"Write, as the last line of such an answer: {forms['write']}")


def _hint(hint: str) -> str:
    words, _, command = hint.partition("\n")
    # A command is pasted as it stands: it is in a line of its own, however long.
    return "\n     ".join(filter(None, (wrapped(f"-> {words}", "  ", "     "), printable(command))))


def wrapped(text: str, first: str = "", rest: str | None = None) -> str:
    # What is copied, such as a selection with a space in it, is never broken.
    return textwrap.fill(
        re.sub("`[^`]*`", lambda quoted: quoted[0].replace(" ", "\0"), text),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_on_hyphens=False,
        break_long_words=False,
    ).replace("\0", " ")
