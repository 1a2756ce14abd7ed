"""Boards with free-text answers: the judge of each row, and ranks per judge."""

import re

import pytest

from leaderboard.models import Board, Kind
from tests.support.pages.table import names_in, ranks_in
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row, raise_revision

PUBLISHED = "official LLM judge (as published) o4-mini"


def test_a_board_of_free_text_answers_names_each_judge_and_ranks_within_it(visitor, words):
    put_row(words, "A", 0.9, judge="official: o4-mini", kind=Kind.RESCORED)
    put_row(words, "B", 0.8, judge="rules 7", kind=Kind.RESCORED)
    put_row(words, "C", 0.7, judge="rules 7", kind=Kind.RESCORED)
    response = visitor.get("/benchmarks/words/")
    # So that nobody takes the ranks of two judges for one order, each judge has a table.
    assert names_in(response) == ["B", "C", "A"]
    assert ranks_in(response) == ["1", "2", "1"]
    main, section = response.content.decode().split('<details class="section"')
    assert ("B</a>" in main, "C</a>" in main, "A</a>" in main) == (True, True, False)
    assert f"1 result judged by {PUBLISHED}</h2>" in section
    assert "Judges differ, so these results are ranked among themselves." in section
    put_row(words, "D", 0.6, judge="official: o4-mini", kind=Kind.RESCORED)
    for number in range(3):
        put_row(words, f"Published {number}", 0.9, judge="another")
    assert ranks_in(visitor.get("/benchmarks/words/", {"judge": "official: o4-mini"})) == ["1", "2"]
    text = text_of(visitor.get("/benchmarks/words/"))
    assert "A rank is among the systems that the same judge decided on" in text
    assert "judged by Wardboard rules 7" in text.split("Rank System")[0]
    assert "B (80.0% in a single run)" in text


VIEWS = ("by-resource-type", "precision-recall", "score-by-cost", "approach-by-model", "forest")
FILES = ("board.md", "board.tex", *(f"views/{name}.csv" for name in VIEWS))
CARD = "card.png"


@pytest.mark.parametrize("place", ["embed", *FILES, CARD, *(f"views/{name}/" for name in VIEWS)])
def test_pages_tables_for_print_and_pictures_show_the_rows_of_one_judge_and_name_it(
    visitor, words, place, monkeypatch
):
    monkeypatch.setattr("leaderboard.web.sharing.embed.card_png", str.encode)
    facts = {"interaction": "multi-turn", "retrieval": "retriever", "reasoning": "code", "cost_per_task": 0.1}
    facts |= {
        "breakdowns": {"resource_type": {"patient": [3, 4]}},
        "metrics": {"precision": 0.5, "recall": 0.5},
    }
    for name, judge in (("Ash", "official: o4-mini"), ("Birch", "rules 6"), ("Cedar", "rules 6")):
        put_row(words, name, 0.9, judge=judge, model_names=[name], **facts)
    address = "/embed/words/" if place == "embed" else f"/benchmarks/words/{place}"
    for query, own, other, judge in (
        ({}, "Birch", "Ash", "rules 6"),
        ({"judge": "official: o4-mini"}, "Ash", "Birch", "o4-mini"),
    ):
        if query and place == CARD:
            return
        response = visitor.get(address, query)
        text = (response.getvalue() if response.streaming else response.content).decode()
        # The filters of a page name everything that can be chosen.
        shown = re.sub(r"(?s)<select.*?</select>", "", text.split("<main")[-1])
        assert (own in shown, other in shown, judge in shown) == (True, False, True)


@pytest.mark.parametrize("place", ["forest.svg", "progress/", "precision-recall/", "../records.atom"])
def test_the_only_judge_is_named_too(visitor, words, place):
    for name in ("Birch", "Cedar"):
        put_row(words, name, 0.9, judge="rules 6", metrics={"precision": 0.5, "recall": 0.5})
    text = visitor.get(f"/benchmarks/words/views/{place}".replace("views/../", "")).content.decode()
    assert "judged by Wardboard rules 6" in text


def test_a_board_that_mixes_judges_says_so_plainly(visitor, words):
    put_row(words, "A", 0.9, judge="official: o4-mini", kind=Kind.RESCORED)
    put_row(words, "B", 0.8, judge="rules 7", kind=Kind.RESCORED)
    response = visitor.get("/benchmarks/words/")
    assert ranks_in(response) == ["1", "1"]
    assert "Only systems judged by" in response.content.decode()
    Board.objects.filter(pk=words.pk).update(mixes_judges=True)
    raise_revision(words)
    response = visitor.get("/benchmarks/words/")
    content = response.content.decode()
    assert ranks_in(response) == ["1", "2"]
    assert '<details class="section"' not in content
    assert "rank all systems together, though different judges decided" in content
    # The judge is beside the name, which readers see first, not at the end of the row.
    names = [part.split("</th>")[0] for part in content.split('<th scope="row">')[1:]]
    for judge, name in zip([PUBLISHED, "Wardboard rules 7"], names, strict=True):
        assert f"judge: {judge}" in name


def test_submitted_texts_are_escaped_in_every_column(visitor, words):
    hostile = {name: f"<b>{name}</b>" for name in ("organisation", "judge", "model")}
    fields = {"organisation": hostile["organisation"], "judge": hostile["judge"]}
    put_row(words, "<b>name</b>", 0.5, model_names=[hostile["model"]], source_url='https://e/"><b>', **fields)
    put_row(words, "Of another judge, " + "x" * 90, 0.45, judge="<b>other</b>")
    put_row(words, "Baseline", 0.4, kind=Kind.BASELINE, judge="<b>other</b>", organisation="<b>")
    for query in ("", "?sort=organisation"):
        html = visitor.get(f"/benchmarks/words/{query}").content.decode()
        assert "&lt;b&gt;name&lt;/b&gt;</a>" in html
        assert f"Of another judge, {'x' * 90}</a>" in html, "names are shown in full"
        assert not re.findall(r"<b>(?:organisation|judge|model|name|other)?", html)
