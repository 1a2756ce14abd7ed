"""Group remarks, in the form of the API, by their codes: pages, the command and CI summaries show them so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.reading.limits import MOST_PROBLEMS
from wardboard.scoring.reading.problems import FIRST_OF_A_CODE, counted
from wardboard.scoring.reading.reports.fixes import copied

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeGroup:
    """The remarks with one code.

    listed: those that the report has, at least the first three. total: how many there are, listed or not
    """

    code: str
    listed: Sequence[Fields]
    total: int

    @property
    def first(self) -> Sequence[Fields]:
        return self.listed[:FIRST_OF_A_CODE]

    @property
    def unlisted(self) -> int:
        return self.total - len(self.listed)

    def common(self, name: str) -> Any:
        """Return the `message` or the `hint` that all listed ones have; "" where they differ."""
        texts = {one[name]: one[name] for one in self.listed}
        return next(iter(texts.values())) if len(texts) == 1 else ""


def group_by_code(listed: Sequence[Fields], counts: Mapping[str, int] | None = None) -> list[CodeGroup]:
    """Return the remarks by code, in the order in which each code occurs first.

    counts: code -> how many remarks there are; by default as many as are listed
    """
    by_code: dict[str, list[Fields]] = {code: [] for code in dict.fromkeys(one["code"] for one in listed)}
    for one in listed:
        by_code[one["code"]].append(one)
    totals = {**{code: len(group) for code, group in by_code.items()}, **(counts or {})}
    return [
        CodeGroup(code=code, listed=by_code.get(code, ()), total=total)
        for code, total in totals.items()
        if total
    ]


def total_in_words(word: str, total: int, kinds: int) -> str:
    """Return how many remarks there are: `13 errors of 9 kinds`, `1 warning`, `no error`. word: for one."""
    if not total:
        return f"no {word}"
    text = f"more than {MOST_PROBLEMS:,} {word}s" if total > MOST_PROBLEMS else counted(total, word)
    return text if total == 1 else f"{text} of {counted(kinds, 'kind')}"


def changed_line(remark: Fields) -> int | None:
    """Return the number of the quoted line that the fix of a remark changes; None for another line."""
    fix, quoted = remark.get("fix"), remark.get("quoted") or ()
    changed = copied(fix["before"]).strip() if fix else ""
    # A value on several lines begins on the quoted one.
    found = (line for line in quoted if changed in line["text"] or changed.startswith(line["text"].strip()))
    return next((int(line["number"]) for line in found if changed), None)
