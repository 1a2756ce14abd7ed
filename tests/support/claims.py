"""What a view of a board claims about the order of its rows, and the claims that contradict each other."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_TIED = r"([\d,]+) systems are tied for first"
_AHEAD = r"(S\d+) \([^)]*\) leads by (<?[\d.]+) points \(([a-z ]+)\)"
_ALONE = r"(S\d+) \([^)]*\) is tied for first with no other system"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowClaims:
    """What a view claims about a row. Systems have names such as S07.

    rank, rank_to: the first and the last rank; None without one
    low, high: the interval of the rank as it is printed; "" for an end that is not shown
    is_marked: whether the row is marked as tied for first
    is_tied: of an export; None where the view has no such field, or for a row that was not tested
    score, upper: the ends of the score
    is_removed: whether the row was removed since
    """

    name: str
    rank: int | None
    rank_to: int | None
    low: str
    high: str
    is_marked: bool
    score: float | None
    upper: float | None
    is_tied: bool | None = None
    is_removed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A view of a board: a page, an export or a feed.

    rows: in the order shown. sentences: head sentence, titles of charts and all other sentences with names
    line: index of the row before which the line stands; None without a line
    counts: system -> number of systems significantly better and worse, as its page says
    better: the systems of each tested pair -> the significantly better one, or "" for neither
    tested: names of the rows that were compared
    """

    rows: Sequence[RowClaims]
    sentences: str = ""
    line: int | None = None
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    better: Mapping[frozenset[str], str] = field(default_factory=dict)
    tested: frozenset[str] = frozenset()


def contradictions(view: View) -> list[str]:
    """Return a sentence for each pair of statements of the view that contradict each other."""
    return [
        *_about_rows(view),
        *_about_sentences(view),
        *_about_the_line(view),
        *_about_counts(view),
        *_about_pairs(view),
    ]


def tied_count(sentences: str) -> int | None:
    """Return how many systems the sentences call tied for first; None where they do not say."""
    if match := re.search(_TIED, sentences):
        return int(match[1].replace(",", ""))
    return 1 if re.search(_ALONE, sentences) or re.search(_AHEAD, sentences) else None


def _about_rows(view: View) -> Iterator[str]:
    marked = [row for row in view.rows if row.is_marked]
    if len(marked) == 1 and len(view.rows) == len(view.tested):
        yield f"{marked[0].name} alone is marked as tied"
    for row in view.rows:
        is_first = row.low == "1"
        if row.is_removed and (row.is_marked or row.is_tied):
            yield f"{row.name} was removed, and is tied for first"
        if row.low and row.is_marked and not is_first:
            yield f"{row.name} is marked, and its interval begins at {row.low}"
        if row.low and is_first and not row.is_marked and len(marked) > 0:
            yield f"{row.name} is not marked, and its interval begins at 1"
        if row.is_tied is not None and row.low and row.is_tied != is_first:
            yield f"{row.name} is exported as tied: {row.is_tied}, and its interval begins at {row.low}"
        if row.is_marked and row.is_tied is False:
            yield f"{row.name} is marked, and exported as not tied"
        if row.rank is None or row.rank_to is None or not row.low:
            continue
        if row.rank < int(row.low) or (row.high and row.rank_to > int(row.high)):
            yield f"{row.name} has rank {row.rank}-{row.rank_to}, outside of {row.low}-{row.high}"
    for row in view.rows:
        for other in view.rows:
            if _overlap(row, other) and not _share_a_rank(row, other):
                yield f"the scores of {row.name} and {other.name} overlap, and their ranks do not"


def _overlap(row: RowClaims, other: RowClaims) -> bool:
    if None in (row.score, other.score, row.rank, other.rank):
        return False
    is_open = row.upper != row.score or other.upper != other.score
    return is_open and row.score < other.upper and other.score < row.upper  # type: ignore[operator]


def _share_a_rank(row: RowClaims, other: RowClaims) -> bool:
    return row.rank <= other.rank_to and other.rank <= row.rank_to  # type: ignore[operator]


def _about_sentences(view: View) -> Iterator[str]:
    rows = {row.name: row for row in view.rows}
    for name in set(re.findall(r"\bS\d+\b", view.sentences)):
        if name not in rows:
            yield f"{name} is named, and not in the table"
        elif rows[name].is_removed:
            yield f"{name} is named, and was removed since"
    marked = {row.name for row in view.rows if row.is_marked}
    number = tied_count(view.sentences)
    if number is not None and number != (len(marked) or 1):
        yield f"{number} systems are called tied, and {len(marked)} are marked"
    if (alone := re.search(_ALONE, view.sentences)) and marked:
        yield f"{alone[1]} is called first alone, and {len(marked)} are marked"
    ranked = [row for row in view.rows if row.rank is not None and not row.is_removed]
    if match := re.search(_AHEAD, view.sentences):
        yield from _about_the_lead(view, ranked, match)


def _about_the_lead(view: View, ranked: Sequence[RowClaims], match: re.Match[str]) -> Iterator[str]:
    """Yield what contradicts the sentence on how far the first is ahead of the next."""
    name, points, test = match.groups()
    first = next(row for row in ranked if row.name == name)
    others = [row for row in ranked if row is not first]
    if any((row.upper or 0.0) > (first.score or 0.0) + 1e-9 for row in others):
        yield f"{name} is called ahead, and another may be as high"
        return
    second = max(row.score or 0.0 for row in others)
    if points != "<0.1" and abs(100 * ((first.score or 0.0) - second) - float(points)) > 0.11:
        yield f"{name} is called {points} ahead, and {second} is next"
    pairs = [frozenset({name, row.name}) for row in others if row.score == second]
    outcomes = {view.better[pair] for pair in pairs if pair in view.better}
    if outcomes and test != "not tested" and (name if test == "significant" else "") not in outcomes:
        yield f"the lead of {name} is called {test}, and is not when compared"


def _about_the_line(view: View) -> Iterator[str]:
    if view.line is None:
        return
    for row in view.rows[view.line :]:
        if row.is_marked or row.low == "1":
            yield f"{row.name} is below the line, and tied for first"
        beaten = [
            pair for pair, better in view.better.items() if row.name in pair and better not in ("", row.name)
        ]
        is_compared = any(row.name in pair for pair in view.better)
        paired = {name for pair in view.better for name in pair}
        if row.name in view.tested and is_compared and not beaten and view.tested <= paired:
            yield f"{row.name} is below the line, and no system is significantly better"


def _about_counts(view: View) -> Iterator[str]:
    if not view.counts:
        return
    if sum(better for better, _ in view.counts.values()) != sum(worse for _, worse in view.counts.values()):
        yield "the systems that are better are not as many as those that are worse"
    rows = {row.name: row for row in view.rows}
    for name, (better, _worse) in view.counts.items():
        if name in rows and rows[name].low and int(rows[name].low) != 1 + better:
            yield f"{better} are better than {name}, and its interval begins at {rows[name].low}"
        if name in rows and rows[name].is_marked and better:
            yield f"{name} is marked as tied, and {better} are better"


def _about_pairs(view: View) -> Iterator[str]:
    rows = {row.name: row for row in view.rows}
    for pair, name in view.better.items():
        if not name or not pair <= rows.keys():
            continue
        better, worse = rows[name], rows[next(iter(pair - {name}))]
        if worse.is_marked or worse.low == "1" or worse.is_tied:
            yield f"{worse.name} is tied for first, and {name} is better"
        if better.score is not None and worse.score is not None and better.score <= (worse.upper or 0):
            yield f"{name} is better than {worse.name}, and their scores overlap"
        if better.rank is not None and worse.rank is not None and better.rank_to >= worse.rank_to:  # type: ignore[operator]
            yield f"{name} is better than {worse.name}, and may rank as low"
        if view.counts and name in view.counts and not view.counts[name][1]:
            yield f"{name} is better than {worse.name}, and its page says than none"
