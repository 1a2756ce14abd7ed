"""Hostile names in exports: tables, citations and pictures stay intact."""

import re
from datetime import date
from types import SimpleNamespace
from xml.etree import ElementTree

import bibtexparser
from hypothesis import example
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from leaderboard.models import Board
from leaderboard.services.boards.columns import Column
from leaderboard.services.boards.provenance import Provenance
from leaderboard.services.exports import bibtex, tables
from leaderboard.services.pictures.badge import Badge, badge_json, badge_svg
from leaderboard.services.pictures.card import card_svg
from leaderboard.services.text import percent, remove_hidden_characters
from leaderboard.services.text_fitting import shorten
from tests.support.examples import given

HOSTILE = (
    r"\input{/etc/passwd} $x^2$ 100% & #1 _a_ ~b~ {c} <d> |e| `f` \\ \end{tabular}",
    "line\nbreak\r\n\ttab\x00nul \u202eleft\u202c",
    '"</text><script>alert(1)</script>',
    "[a](javascript:alert(1)) ![b](https://example.org/x.png) **c** :d: @e",
    "-- --- ?` !` ,, '' `` << >>",
    "臨床代理人｜｜＆＄",
)
names = st.one_of(st.text(max_size=60), st.sampled_from(HOSTILE))


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


def as_row(name: str) -> SimpleNamespace:
    standing = SimpleNamespace(name=name, kind="rescored", score=0.5, organisation=name, team_name="")
    standing.model_names = [name]
    return SimpleNamespace(standing=standing, rank=1, is_outdated=False, removal=None, score_words="50.0%")


COLUMNS = [
    Column(key="rank", label="Rank", text=lambda row, say: str(row.rank), is_figure=True),
    Column(key="system", label="System", text=lambda row, say: row.standing.name),
    Column(key="of", label="Of", text=lambda row, say: row.standing.organisation),
]


@given(st.lists(names, min_size=1, max_size=4))
def test_markdown_keeps_each_name_in_its_cell_as_it_was_written(written):
    parts = tables.write_markdown(
        rows=map(as_row, written), columns=COLUMNS, title="T", address="https://example.org/", state="event 1"
    )
    head, *rows = cells_of(parts)
    assert head == ["Rank", "System", "Of"]
    assert rows == [["1", *[remove_hidden_characters(name or "–")] * 2] for name in written]


def test_markdown_has_nothing_that_github_would_turn_into_a_link():
    linked = re.compile(r"(?i)www\.|[:@#]")
    for name in ("www.evil.example", "Www.b.example", "GH #1", "a@b.example", "https://evil.example"):
        escaped = re.sub(r"&#\d+;", "", tables.escape_markdown(name))
        assert linked.search(name)
        assert not linked.search(escaped), escaped
    assert cells_of(f"| a |\n| --- |\n| {tables.escape_markdown('www.a.b, no. 2 #1')} |") == [
        ["a"],
        ["www.a.b, no. 2 #1"],
    ]


# Special characters of LaTeX without a backslash.
_BARE = re.compile(r"(?<!\\)(?:\\\\)*[$&%#_^~]")
_KNOWN = {"textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"}
_KNOWN |= {"textasciigrave", "textquotedbl", "ldots", "textbraceleft", "textbraceright"}


def check_latex(latex: str) -> None:
    assert "\n" not in latex
    without = re.sub(r"\\[$&%#_]", "", latex)
    assert set(re.findall(r"\\([a-zA-Z]+)", without)) <= _KNOWN
    assert without.count("\\") == len(re.findall(r"\\[a-zA-Z]+", without))
    assert not _BARE.search(without)
    depth = 0
    for c in without:
        depth += {"{": 1, "}": -1}.get(c, 0)
        assert depth in (0, 1)
    assert depth == 0


@given(names)
def test_latex_escapes_every_active_character_of_a_name(name):
    check_latex(tables.escape_latex(name))


@given(st.lists(names, max_size=4))
def test_a_latex_table_has_one_row_per_system_and_its_end(written):
    latex = tables.write_latex(
        rows=map(as_row, written), columns=COLUMNS, caption="C", label="tab:x", address="https://e/"
    )
    body = latex.split("\\midrule\n")[1].split("\\bottomrule")[0]
    assert body.count("\n") == len(written)
    for line in body.splitlines():
        assert line.endswith(" \\\\")
        assert len(re.findall(r"(?<!\\)&", line)) == 2
    assert latex.endswith("\\bottomrule\n\\end{tabular}\n\\end{table}\n")


def test_a_url_cannot_end_a_comment():
    latex = tables.write_latex(
        rows=[], columns=COLUMNS, caption="", label="x", address="https://e/\n\\input{x}"
    )
    assert latex.splitlines()[0] == "% https://e/\\input{x}"


def end_of_braces(bibtex_text: str, start: int) -> int:
    """Return the place of the brace that closes the one at `start`.

    As for BibTeX, a brace counts with or without a backslash before it.
    """
    depth = 0
    for place in range(start, len(bibtex_text)):
        depth += {"{": 1, "}": -1}.get(bibtex_text[place], 0)
        if depth == 0:
            return place
    raise AssertionError("it never ends")


AS_KNOWN = Provenance(
    event=57,
    at=None,
    revision=None,
    outdated=0,
    scorer_version="1.0.0",
)


@given(names)
@example("a{b")
@example("a}b")
@example("}}, x = {y")
def test_bibtex_is_one_entry_whatever_the_board_is_called(title):
    board = Board(slug="a-board", title=title)
    entry_text = bibtex.bibtex(
        board=board, provenance=AS_KNOWN, address="https://e/?as_of=57{}", accessed=date(2026, 11, 21)
    )
    assert end_of_braces(entry_text, entry_text.index("{")) == len(entry_text) - 2
    starts = list(re.finditer(r"^  \w+ = (?=\{)", entry_text, re.MULTILINE))
    assert len(starts) > 3
    for field in starts:
        assert entry_text[end_of_braces(entry_text, field.end()) + 1 :].startswith(",\n")
    library = bibtexparser.parse_string(entry_text)
    assert not library.failed_blocks
    [entry] = library.entries
    assert (entry.entry_type, entry.key) == ("misc", "a-board-57")
    fields = {field.key: field.value for field in entry.fields}
    assert fields["url"] == "https://e/?as_of=57%7B%7D"
    assert fields["year"] == "2026"
    assert "accessed 2026-11-21" in fields["note"]


@given(names, st.floats(0, 1))
def test_badges_are_well_formed_and_their_label_repeats_their_text(title, score):
    badge = Badge(label=shorten(title, 48), message=f"#2 (1–3) · {percent(score)}", is_ranked=True)
    root = ElementTree.fromstring(badge_svg(badge))
    texts = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [badge.label, f"#2 (1–3) · {percent(score)}"]
    assert root.get("aria-label") == f"{badge.label}: {badge.message}"
    assert badge_json(badge)["message"] == badge.message
    assert int(root.get("width")) < 700
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


@given(names, names)
def test_cards_are_well_formed_whatever_is_written_on_them(title, name):
    figures = [("50.0%", name), ("#1", "Rank")]
    card = card_svg(small=title, title=name, text=f"{title} · {name}", figures=figures, foot=[name])
    root = ElementTree.fromstring(card)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {"svg", "rect", "text"}
    texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"50.0%", "Rank", "Wardboard"} <= set(texts)
    assert len(texts) <= 13
