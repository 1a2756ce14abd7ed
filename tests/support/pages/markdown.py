"""Read a Markdown document as a reader sees it."""

from markdown_it import MarkdownIt


def cells_of(markdown: str) -> list[list[str]]:
    """Return the cell texts of the only table of a Markdown document by row; they hold no mark-up."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)
    assert [token.type for token in tokens].count("table_open") == 1
    rows: list[list[str]] = []
    inside = False
    for token in tokens:
        inside = token.type == "table_open" or (inside and token.type != "table_close")
        if token.type == "tr_open":
            rows.append([])
        elif inside and token.type == "inline":
            assert {part.type for part in token.children} <= {"text", "text_special"}, token.children
            rows[-1].append("".join(part.content for part in token.children))
    return rows
