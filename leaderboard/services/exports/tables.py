"""Boards as tables in GitHub's Markdown and in LaTeX (booktabs).

Figures are rounded as on the board. Users choose the names, so every text is escaped.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from leaderboard.models import Board, BoardAction
from leaderboard.services import visibility
from leaderboard.services.boards.columns import SYSTEM, Column, columns_of, score_of
from leaderboard.services.boards.provenance import Provenance
from leaderboard.services.boards.query import Query, default_columns
from leaderboard.services.boards.row import Row
from leaderboard.services.judging.names import english_judge_name
from leaderboard.services.rows.filters import FILTER_BY_KEY, Filter
from leaderboard.services.text import percent


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column of text.

    cell: returns the text of a row
    is_figure: whether it is aligned to the right
    short: header where there is little room; "" for the label
    is_wide: whether its texts may be long, and are broken where there is little room
    """

    label: str
    cell: Callable[[Row], str]
    is_figure: bool = False
    short: str = ""
    is_wide: bool = False


def columns(
    query: Query,
    *,
    has_places: bool,
    other_judges: Collection[str] = (),
    default: Sequence[str] | None = None,
) -> list[TableColumn]:
    """Return the columns that `query` chooses, else those of `default`, else of the board.

    Figures by group take a column each, and are included only on request.

    has_places: whether to include intervals of ranks, and who is tied for first
    other_judges: judges whose ranks belong to other lists
    default: keys of columns
    """
    board = query.board_at.board
    chosen: Sequence[str] = default_columns(board) if query.columns is None else query.columns
    if query.columns is None and default:
        chosen = default
    table = [TableColumn(label="Rank", cell=lambda row: _rank(row, other_judges), is_figure=True)]
    if has_places:
        table.append(TableColumn(label="95% of rank", cell=_place, is_figure=True, short="95% rank"))
        table.append(TableColumn(label="Tied for first", cell=_tied, short="Tied"))
    table += [
        replace(_of(SYSTEM), cell=_system, is_wide=True),
        _of(score_of(visibility.ranked_metric(board))),
    ]
    for column in columns_of(board):
        if column.key == "groups" in chosen:
            table += _groups(board)
        elif column.key in chosen:
            table.append(_of(column))
    return table


def _of(column: Column) -> TableColumn:
    """Return a column of the board as a column of text."""
    return TableColumn(
        label=column.file_label or column.label,
        cell=lambda row: column.text(row, str) or "–",
        is_figure=column.is_figure,
        short=column.short,
        is_wide=column.is_wide,
    )


def _tied(row: Row) -> str:
    return {True: "yes", False: "no", None: "–"}[row.place.is_tied_for_first]


def _rank(row: Row, other_judges: Collection[str]) -> str:
    if row.rank is None:
        return "–"
    return f"({row.rank_words})" if row.standing.judge in other_judges else row.rank_words


def _place(row: Row) -> str:
    return row.place.span or "–"


_REMOVED = {
    BoardAction.WITHDRAWN: "withdrawn since",
    BoardAction.DISQUALIFIED: "disqualified since",
    BoardAction.UNLISTED: "removed since",
}


def _system(row: Row) -> str:
    words = [] if row.standing.kind == "rescored" else [row.standing.kind]
    words += ["older references"] if row.is_outdated else []
    words += [_REMOVED[row.removal.action]] if row.removal else []
    return f"{row.standing.name} ({', '.join(words)})" if words else row.standing.name


def _groups(board: Board) -> list[TableColumn]:
    def of(breakdown: str, group: str) -> Callable[[Row], str]:
        def cell(row: Row) -> str:
            rate = row.groups.get(breakdown, {}).get(group)
            return percent(rate.rate if rate else None)

        return cell

    return [
        TableColumn(label=label, cell=of(breakdown.key, group), is_figure=True)
        for breakdown in visibility.visible_breakdowns(board)[:1]
        for group, label in breakdown.groups.items()
    ]


_JOINER = "\u200d"


def single_line(text: str) -> str:
    """Return a text on one line without invisible characters; joined emoji stay joined."""
    if text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(c if c.isprintable() or c == _JOINER else " " for c in text).split())


# Characters that GitHub reads as mark-up or part of a link in the middle of a line. Other ASCII punctuation
# is harmless there.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|~&@:#$^]|(?<=[wW]{3})\.)")


def escape_markdown(text: str) -> str:
    """Escape a text for a cell, so that it holds no mark-up or link and does not end the cell."""
    # Character references, since GitHub splits cells before it reads backslashes.
    return _MARKUP.sub(lambda match: f"&#{ord(match[1])};", single_line(text))


def write_markdown(
    *, rows: Iterable[Row], columns: Sequence[TableColumn], title: str, address: str, state: str
) -> Iterator[str]:
    """Yield the lines of a Markdown table. state: a sentence on the board's state, put below."""
    yield f"**{escape_markdown(title)}**\n\n"
    yield f"| {' | '.join(escape_markdown(column.label) for column in columns)} |\n"
    yield f"|{'|'.join(' ---: ' if column.is_figure else ' --- ' for column in columns)}|\n"
    for row in rows:
        yield f"| {' | '.join(_markdown_cell(column, row) for column in columns)} |\n"
    yield f"\n{escape_markdown(state)} <{address}>\n"


def _markdown_cell(column: TableColumn, row: Row) -> str:
    # Figures hold no text of users, so escaping only the dollar sign keeps them readable.
    text = column.cell(row)
    return text.replace("$", "&#36;") if column.is_figure else escape_markdown(text)


_LATEX = {
    "\\": r"\textbackslash{}",
    # BibTeX counts braces, even behind a backslash.
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
    # Two of these, or one with another sign, could become a ligature.
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
# Alone between letters and spaces, these need no braces.
_SINGLE = re.compile(r"(?<=[\w ])\{([-!?,'])\}(?=[\w ]|$)")


def escape_latex(text: str) -> str:
    """Escape a text for LaTeX, so that it holds no command, comment or ligature."""
    return _SINGLE.sub(r"\1", single_line(text).translate(_TO_LATEX))


# A large board repeats the same few figures many times.
_figure_in_latex = lru_cache(maxsize=4096)(escape_latex)

# Long names are broken, so that the table fits the page.
_BROKEN = r">{\raggedright\arraybackslash}p{0.36\linewidth}"
# Default columns of a table for a paper; more would not fit.
FOR_PAPER = ("interval",)


def write_latex(
    *, rows: Iterable[Row], columns: Sequence[TableColumn], caption: str, label: str, address: str
) -> Iterator[str]:
    """Yield the lines of a LaTeX table environment. address: URL of the same table."""
    yield f"% {_comment_text(address)}\n"
    yield "% In the preamble: \\usepackage[T1]{fontenc}\\usepackage{array}\\usepackage{booktabs}\n"
    yield "% Names in other scripts need XeLaTeX or LuaLaTeX and a font that has them; Chinese: "
    yield "\\usepackage{xeCJK}.\n"
    yield "\\begin{table}\n\\centering\\small\n"
    yield f"\\caption{{{escape_latex(caption)}}}\n\\label{{{label}}}\n"
    alignment = "".join("r" if column.is_figure else _BROKEN if column.is_wide else "l" for column in columns)
    yield f"\\begin{{tabular}}{{{alignment}}}\n\\toprule\n"
    yield f"{' & '.join(escape_latex(column.short or column.label) for column in columns)} \\\\\n\\midrule\n"
    cells = [(column.cell, _figure_in_latex if column.is_figure else escape_latex) for column in columns]
    for row in rows:
        yield f"{' & '.join([write(cell(row)) for cell, write in cells])} \\\\\n"
    yield "\\bottomrule\n\\end{tabular}\n\\end{table}\n"


def _comment_text(address: str) -> str:
    return "".join(c for c in address if c.isprintable())


def caption_of(query: Query, *, has_places: bool) -> str:
    """Return a caption for a table of the board, with the filters of `query` in words."""
    board = query.board_at.board
    metric = visibility.ranked_metric(board)
    name = metric.label.lower()
    # The header of the column may be the short label.
    if metric.short and metric.short != metric.label:
        name += f" ({metric.short})"
    caption = f"{board.title}, {describe_state(query.board_at.provenance)}: {name} with its 95% interval"
    if has_places:
        caption += (
            "; beside the rank its 95% interval by tests of all pairs, and whether the system is tied for "
            "first: no other is significantly better (5%, Holm-adjusted over all pairs)"
        )
    if words := describe_filters(query):
        caption += f". Shown are only rows with {'; '.join(words)}; ranks are those on the whole leaderboard"
    return f"{caption}."


def explain_list_ranks(lists: str) -> str:
    """Return a sentence on the ranks in parentheses. lists: the other lists, in English."""
    return f"Ranks in parentheses are of other lists, by judge and number of systems: {lists}."


def describe_filters(query: Query) -> list[str]:
    return [_describe_filter(FILTER_BY_KEY[key], value) for key, value in query.filters.items()]


def _describe_filter(chosen: Filter, value: str) -> str:
    if chosen.is_search:
        return f"“{value}” in {chosen.words}"
    label = english_judge_name(value) if chosen.key == "judge" else chosen.values.get(value, value)
    return f"{chosen.words or chosen.key}: {label}"


def describe_state(provenance: Provenance) -> str:
    """Describe the state of the board in words."""
    if provenance.at is None:
        return "without a record of results yet"
    return f"event {provenance.event}, {provenance.at.date().isoformat()}"
