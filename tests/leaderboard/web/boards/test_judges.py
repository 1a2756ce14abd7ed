"""Boards with free-text answers: the judge of each row, and ranks per judge."""

import re

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
    put_row(
        words,
        "D",
        0.6,
        judge="official: o4-mini",
        kind=Kind.RESCORED,
        metrics={"precision": 0.5, "recall": 0.5},
    )
    for place in ("/embed/words/", "/benchmarks/words/views/precision-recall/"):
        response = visitor.get(place)
        assert any(rank.startswith("(2)") for rank in ranks_in(response))
        assert "in another list, of 2 judged by official LLM judge (as published) o4-mini" in text_of(
            response
        )
        assert "Ranks in parentheses are of other lists" in text_of(response)
    filtered_response = visitor.get("/benchmarks/words/", {"judge": "official: o4-mini"})
    assert ranks_in(filtered_response) == ["1", "2"]
    assert "in parentheses" not in text_of(filtered_response)
    text = text_of(visitor.get("/benchmarks/words/"))
    assert "A rank is among the systems that the same judge decided on" in text
    assert "judged by Wardboard rules 7" in text.split("Rank System")[0]
    assert "B (80.0% in a single run)" in text


def test_a_board_that_mixes_judges_says_so_plainly(visitor, words):
    put_row(words, "A", 0.9, judge="official: o4-mini", kind=Kind.RESCORED)
    put_row(words, "B", 0.8, judge="rules 7", kind=Kind.RESCORED)
    assert ranks_in(visitor.get("/benchmarks/words/")) == ["1", "1"]
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
