"""Boards as tables in GitHub's Markdown and in LaTeX (booktabs).

Figures are rounded as on the board. Users choose the names, so every text is escaped.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from django.utils.translation import gettext_noop

from leaderboard.models import BoardAction
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.columns import SYSTEM, Column, columns_of, score_of
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.ranks import print_rank
from leaderboard.services.boards.read_rows import tasks_of
from leaderboard.services.boards.row import Row
from leaderboard.services.judging.names import english_judge_name
from leaderboard.services.text import remove_hidden_characters

_TIED = {True: "yes", False: "no", None: ""}
REMOVED = {
    BoardAction.WITHDRAWN: gettext_noop("withdrawn since"),
    BoardAction.DISQUALIFIED: gettext_noop("disqualified since"),
    BoardAction.UNLISTED: gettext_noop("removed since"),
}


def columns(query: Query) -> list[Column]:
    """Return the columns of a table of text.

    Intervals of ranks, and who is tied for first, are among them where the board has statistics.
    """
    table = [Column(key="rank", label="Rank", text=lambda row, say: print_rank(row.ranks), is_figure=True)]
    if query.board_at.statistics:
        table += [
            Column(
                key="place",
                label="95% of rank",
                text=lambda row, say: row.place.span,
                is_figure=True,
                short="95% rank",
            ),
            Column(
                key="tied",
                label="Tied for first",
                text=lambda row, say: _TIED[row.place.is_tied_for_first],
                short="Tied",
            ),
        ]
    board = query.board_at.board
    score = score_of(visibility.ranked_metric(board))
    in_files = [column for column in columns_of(board) if column.is_in_files]
    return [*table, replace(SYSTEM, text=_system), score, *in_files]


def for_paper(table: Sequence[Column]) -> list[Column]:
    """Return the columns up to the interval of the score, without the weights; more would not fit."""
    last = [column.key for column in table].index("interval")
    return [column for column in table[: last + 1] if column.key != "weights"]


def _system(row: Row, say: object) -> str:
    words = [row.kind_words] if row.kind_words else []
    words += ["older references"] if row.is_outdated else []
    words += [REMOVED[row.removal.action]] if row.removal else []
    words += [f"no rank: {row.why_unranked}"] if row.unmet_rules else []
    return f"{row.standing.name} ({', '.join(words)})" if words else row.standing.name


def _cells(rows: Iterable[Row], columns: Sequence[Column], escape: Callable[[str], str]) -> list[list[str]]:
    return [[escape(column.text(row, str) or "–") for column in columns] for row in rows]


# Characters that GitHub reads as mark-up or part of a link in the middle of a line. Other ASCII punctuation
# is harmless there.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|~&@:#$^]|(?<=[wW]{3})\.)")


def escape_markdown(text: str) -> str:
    """Escape a text for a cell, so that it holds no mark-up or link and does not end the cell."""
    # Character references, since GitHub splits cells before it reads backslashes.
    return _MARKUP.sub(lambda match: f"&#{ord(match[1])};", remove_hidden_characters(text))


def write_markdown(
    *, rows: Iterable[Row], columns: Sequence[Column], title: str, address: str, state: str
) -> str:
    """Return a Markdown table. state: a sentence on the board's state, put below."""
    heads = [escape_markdown(column.file_label or column.label) for column in columns]
    rules = ["---:" if column.is_figure else "---" for column in columns]
    # `DataFrame.to_markdown` takes one more package, and pads every cell to the longest.
    cells = [heads, rules, *_cells(rows, columns, escape_markdown)]
    table = "\n".join(f"| {' | '.join(each)} |" for each in cells)
    return f"**{escape_markdown(title)}**\n\n{table}\n\n{escape_markdown(state)} <{address}>\n"


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
    return _SINGLE.sub(r"\1", remove_hidden_characters(text).translate(_TO_LATEX))


# Long names are broken, so that the table fits the page.
_BROKEN = r">{\raggedright\arraybackslash}p{0.36\linewidth}"
_PREAMBLE = r"""% In the preamble: \usepackage[T1]{fontenc}\usepackage{array}\usepackage{booktabs}
% Names in other scripts need XeLaTeX or LuaLaTeX and a font that has them; Chinese: \usepackage{xeCJK}.
"""


def write_latex(
    *, rows: Iterable[Row], columns: Sequence[Column], caption: str, label: str, address: str
) -> str:
    """Return a LaTeX table environment. address: URL of the same table."""
    # Here: pandas takes half a second to import, which only a download should wait for.
    import pandas as pd  # noqa: PLC0415

    heads = [escape_latex(column.short or column.file_label or column.label) for column in columns]
    frame = pd.DataFrame(_cells(rows, columns, escape_latex), columns=heads, dtype=object)
    alignment = [
        "r" if column.is_figure else _BROKEN if column.key == "system" else "l" for column in columns
    ]
    table = frame.style.hide(axis="index").to_latex(
        column_format="".join(alignment),
        hrules=True,
        caption=escape_latex(caption),
        label=label,
        position_float="centering",
    )
    # A line break would end the comment.
    comment = "".join(c for c in address if c.isprintable())
    return f"% {comment}\n{_PREAMBLE}{table}"


def caption_of(query: Query) -> str:
    """Return a caption for a table of the board."""
    board = query.board_at.board
    metric = visibility.ranked_metric(board)
    name = metric.label.lower()
    # The header of the column may be the short label.
    if metric.short and metric.short != metric.label:
        name += f" ({metric.short})"
    caption = f"{board.title}, {describe_state(query.board_at)}: {name} with its 95% interval"
    if metric.upper_key:
        caption += " (of a range, from the lower limit of its low end to the upper limit of its high end)"
    if query.board_at.statistics:
        caption += (
            "; beside the rank its 95% interval by tests of all pairs, and whether the system is tied for "
            "first: with another, and no system is significantly better (5%, Holm-adjusted over all pairs)"
        )
    return f"{caption}."


def describe_choice(query: Query) -> str:
    """Return sentences that name the judge and the filters of the rows; "" without any."""
    judge = query.judge or query.board_at.compared_judge
    named = f"Only results judged by {english_judge_name(judge)}, and baselines." if judge else ""
    filters = "; ".join(f"{key}: {value}" for key, value in query.filters.items() if key != "judge")
    chosen = f"Shown are only rows with {filters}; ranks are those on the whole leaderboard."
    return " ".join(filter(None, (named, chosen if filters else "")))


def describe_state(board_at: BoardAt) -> str:
    """Describe the tasks and the state of the board in words."""
    provenance, tasks = board_at.provenance, tasks_of(board_at)
    of = f"{tasks:,} tasks, " if tasks else ""
    if provenance.at is None:
        return f"{of}without a record of results yet"
    return f"{of}event {provenance.event}, {provenance.at.date().isoformat()}"
