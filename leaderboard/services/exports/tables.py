"""Boards as tables for papers and pages: Markdown (GitHub's) and LaTeX (booktabs), with the columns chosen.

Figures are rounded as on the board. Names are whatever somebody wrote, so every text is escaped.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from leaderboard.models import Benchmark, BoardAction, Interaction, Reasoning, Retrieval
from leaderboard.services import visibility
from leaderboard.services.boards.provenance import Provenance
from leaderboard.services.boards.query import SOURCES, WEIGHTS, Query, column_keys, default_columns
from leaderboard.services.boards.row import Row
from leaderboard.services.statistics.p_values import format_p
from leaderboard.services.text import percent
from scoring.benchmark import Metric, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column of text. is_figure: set to the right. short: its head where there is little room, the label
    unless said. is_wide: its texts may be long, and are broken where there is little room."""

    label: str
    cell: Callable[[Row], str]
    is_figure: bool = False
    short: str = ""
    is_wide: bool = False


def columns(
    query: Query,
    *,
    has_places: bool,
    apart: Collection[str] = (),
    unless_told: Sequence[str] | None = None,
) -> list[TableColumn]:
    """Return the columns that `query` asks for, else `unless_told`, else those of the board. has_places: with
    intervals of ranks and tie groups. apart: judges whose ranks are of other lists. Figures by group take a
    column each, and are there only where they are asked for by name."""
    benchmark = query.board.benchmark
    score, *metrics = visibility.visible_metrics(benchmark)
    shown: Sequence[str] | None = query.columns
    if shown is None:
        shown = unless_told or [key for key in default_columns(benchmark) if key != "groups"]
    by_key = {metric.key: metric for metric in metrics}
    found = [TableColumn(label="Rank", cell=lambda row: _rank(row, apart), is_figure=True)]
    if has_places:
        found.append(TableColumn(label="95% of rank", cell=_place, is_figure=True, short="95% rank"))
        found.append(
            TableColumn(label="Tie group", cell=lambda row: _dash(row.group), is_figure=True, short="Tie")
        )
    found.append(TableColumn(label="System", cell=_system, is_wide=True))
    rate = TableColumn(
        label=score.label, cell=lambda row: percent(row.standing.score), is_figure=True, short=score.short
    )
    found.append(rate)
    for key in column_keys(benchmark):
        if key not in shown:
            continue
        if key == "groups":
            found += _groups(benchmark)
        else:
            found.append(_metric(by_key[key]) if key in by_key else _COLUMNS[key])
    return found


def _dash(value: object) -> str:
    return "–" if value is None else str(value)


def _rank(row: Row, apart: Collection[str]) -> str:
    if row.rank is None:
        return "–"
    return f"({row.rank})" if row.standing.judge in apart else str(row.rank)


def _place(row: Row) -> str:
    place = row.place
    if not place.is_known:
        return "–"
    return str(place.low) if place.low == place.high else f"{place.low}–{place.high}"


_GONE = {
    BoardAction.WITHDRAWN: "withdrawn since",
    BoardAction.DISQUALIFIED: "disqualified since",
    BoardAction.UNLISTED: "taken off since",
}


def _system(row: Row) -> str:
    words = [] if row.standing.kind == "rescored" else [row.standing.kind]
    words += ["older references"] if row.is_outdated else []
    words += [_GONE[row.gone.action]] if row.gone else []
    return f"{row.standing.name} ({', '.join(words)})" if words else row.standing.name


def _interval(row: Row) -> str:
    low, high = row.standing.low, row.standing.high
    return "–" if low is None else f"{percent(low)} to {percent(high)}"


def _counts(row: Row) -> str:
    right, total = row.standing.right, row.standing.total
    return "–" if right is None or total is None else f"{right} of {total}"


def _next(row: Row) -> str:
    p = row.place.p_next
    if p is None:
        return "–"
    return format_p(p) or ("told apart" if p.is_significant else "not told apart")


_COLUMNS: Mapping[str, TableColumn] = {
    "interval": TableColumn(label="95% interval", cell=_interval, is_figure=True, short="95% CI"),
    "next": TableColumn(label="Against the next", cell=_next, is_figure=True, short="Next"),
    "counts": TableColumn(label="Right of all", cell=_counts, is_figure=True, short="Right"),
    "date": TableColumn(label="Date", cell=lambda row: row.standing.since.date().isoformat(), is_figure=True),
    "organisation": TableColumn(
        label="Organisation", cell=lambda row: row.standing.organisation or row.standing.team_name or "–"
    ),
    "models": TableColumn(label="Models", cell=lambda row: ", ".join(row.standing.model_names) or "–"),
    "judge": TableColumn(label="Judge", cell=lambda row: row.standing.judge or "–"),
}


def _metric(metric: Metric) -> TableColumn:
    def cell(row: Row) -> str:
        value = row.metrics.get(metric.key)
        if value is None or metric.unit == Unit.SHARE:
            return percent(value)
        return f"{value:,.0f}" if metric.unit == Unit.COUNT else f"${value:,.4f}"

    return TableColumn(label=metric.label, cell=cell, is_figure=True, short=metric.short)


def _groups(benchmark: Benchmark) -> list[TableColumn]:
    def of(breakdown: str, group: str) -> Callable[[Row], str]:
        def cell(row: Row) -> str:
            rate = row.groups.get(breakdown, {}).get(group)
            return percent(rate.rate if rate else None)

        return cell

    return [
        TableColumn(label=label, cell=of(breakdown.key, group), is_figure=True)
        for breakdown in visibility.visible_breakdowns(benchmark)[:1]
        for group, label in breakdown.groups.items()
    ]


_JOINER = "\u200d"


def single_line(text: str) -> str:
    """Return a text in one line, without characters that cannot be seen; but joined emoji stay joined."""
    if text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(c if c.isprintable() or c == _JOINER else " " for c in text).split())


# What GitHub takes for mark-up, or makes a link of, in the middle of a line; the rest of ASCII's punctuation
# is read as it is.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|~&@:#$^]|(?<=[wW]{3})\.)")


def escape_markdown(text: str) -> str:
    """Return a text as a cell shows it, whatever is in it: no mark-up, no link, no end of the cell."""
    # As a reference, not behind a backslash: GitHub parts cells before it reads those.
    return _MARKUP.sub(lambda found: f"&#{ord(found[1])};", single_line(text))


def write_markdown(
    *, rows: Iterable[Row], shown: Sequence[TableColumn], title: str, address: str, state: str
) -> Iterator[str]:
    """Yield the lines of a table. state: which state of the board it shows, in words, for the line below."""
    yield f"**{escape_markdown(title)}**\n\n"
    yield f"| {' | '.join(escape_markdown(column.label) for column in shown)} |\n"
    yield f"|{'|'.join(' ---: ' if column.is_figure else ' --- ' for column in shown)}|\n"
    for row in rows:
        yield f"| {' | '.join(_in_cell(column, row) for column in shown)} |\n"
    yield f"\n{escape_markdown(state)} <{address}>\n"


def _in_cell(column: TableColumn, row: Row) -> str:
    # Figures are ours, and stay readable.
    said = column.cell(row)
    return said.replace("$", "&#36;") if column.is_figure else escape_markdown(said)


_LATEX = {
    "\\": r"\textbackslash{}",
    # BibTeX counts braces, and one behind a backslash like any other.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\textquotedbl{}",
    # Two of them, or one with another sign, would become something else.
    "'": r"{'}",
    "-": r"{-}",
    "!": r"{!}",
    "?": r"{?}",
    ",": r"{,}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "’": r"{'}",
}
_TO_LATEX = str.maketrans(_LATEX)
# Alone, between letters and spaces, these are what they are.
_SINGLE = re.compile(r"(?<=[\w ])\{([-!?,'])\}(?=[\w ]|$)")


def escape_latex(text: str) -> str:
    """Return a text as LaTeX sets it, whatever is in it: no command, no comment, no ligature."""
    return _SINGLE.sub(r"\1", single_line(text).translate(_TO_LATEX))


# Figures are few, and each is on a large board again and again.
_figure_in_latex = lru_cache(maxsize=4096)(escape_latex)

# Long names are broken, so that the table is no wider than the page.
_BROKEN = r">{\raggedright\arraybackslash}p{0.36\linewidth}"
# What a table for a paper has where no columns are asked for; the others do not fit beside them.
FOR_PAPER = ("interval",)


def write_latex(
    *, rows: Iterable[Row], shown: Sequence[TableColumn], caption: str, label: str, address: str
) -> Iterator[str]:
    """Yield the lines of a table environment. address: where the same table is found again."""
    yield f"% {_in_comment(address)}\n"
    yield "% In the preamble: \\usepackage[T1]{fontenc}\\usepackage{array}\\usepackage{booktabs}\n"
    yield "% Names in other scripts need XeLaTeX or LuaLaTeX and a font that has them; Chinese: "
    yield "\\usepackage{xeCJK}.\n"
    yield "\\begin{table}\n\\centering\\small\n"
    yield f"\\caption{{{escape_latex(caption)}}}\n\\label{{{label}}}\n"
    set_to = "".join("r" if column.is_figure else _BROKEN if column.is_wide else "l" for column in shown)
    yield f"\\begin{{tabular}}{{{set_to}}}\n\\toprule\n"
    yield f"{' & '.join(escape_latex(column.short or column.label) for column in shown)} \\\\\n\\midrule\n"
    cells = [(column.cell, _figure_in_latex if column.is_figure else escape_latex) for column in shown]
    for row in rows:
        yield f"{' & '.join([write(cell(row)) for cell, write in cells])} \\\\\n"
    yield "\\bottomrule\n\\end{tabular}\n\\end{table}\n"


def _in_comment(address: str) -> str:
    return "".join(c for c in address if c.isprintable())


def caption_of(query: Query, *, has_places: bool) -> str:
    """Return what a table of the board shows, in a few sentences, with the filters of `query` in words."""
    benchmark = query.board.benchmark
    metric = visibility.ranked_metric(benchmark)
    name = metric.label.lower()
    # As the column is headed.
    if metric.short and metric.short != metric.label:
        name += f" ({metric.short})"
    said = f"{benchmark.title}, {describe_state(query.board.provenance)}: {name} with its 95% Wilson interval"
    if has_places:
        said += (
            "; beside the rank its 95% interval by a paired bootstrap over tasks, and the tie group, whose "
            "systems cannot be told from its best (exact McNemar, 5%)"
        )
    if words := describe_filters(query):
        said += f". Shown are only rows with {'; '.join(words)}; ranks are those on the whole board"
    return f"{said}."


def describe_lists(named: str) -> str:
    """Return what ranks in parentheses are. named: the other lists in English."""
    return f"Ranks in parentheses are of other lists, by judge and number of systems: {named}."


_LABELS = {
    "source": SOURCES,
    "interaction": dict(Interaction.choices),
    "retrieval": dict(Retrieval.choices),
    "reasoning": dict(Reasoning.choices),
    "weights": WEIGHTS,
}


def describe_filters(query: Query) -> list[str]:
    """Return the filters that are set, each in words."""
    said = []
    for name, value in query.filters.items():
        if name == "q":
            said.append(f"“{value}” in name, model or team")
        else:
            label = "figures" if name == "source" else name
            said.append(f"{label}: {_LABELS.get(name, {}).get(value, value)}")
    return said


def describe_state(provenance: Provenance) -> str:
    """Return which state of the board is meant, in words."""
    if provenance.at is None:
        return "without a record of results yet"
    return f"event {provenance.event}, {provenance.at.date().isoformat()}"
