"""Print the results of a bench: a table for people and, last, one line of JSON for programs."""

import json
from collections.abc import Mapping, Sequence

# One number, or several by name.
Figure = float | Mapping[str, float]


def report(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], figures: Mapping[str, Figure]
) -> None:
    """Print `title`, the table, and `figures` as JSON."""
    print_table(title, header, rows)
    print(json.dumps({name: _rounded(value) for name, value in figures.items()}))


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print `title` and the table: its first column aligned to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    print(title, end="\n\n")
    for row in (header, ["-" * width for width in widths], *rows):
        cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        print("  ".join(cells).rstrip())
    print()


def _rounded(figure: Figure) -> Figure:
    if isinstance(figure, Mapping):
        return {name: round(value, 3) for name, value in figure.items()}
    return round(figure, 3)
