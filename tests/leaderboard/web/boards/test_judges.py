"""Ranks on pages (intervals, ties, lines, the sentence at the head), judges of rows, and ranks per judge."""

import re

import pytest

from leaderboard.models import Board, BoardState, Kind, Submission
from leaderboard.services.publishing import publish
from leaderboard.services.statistics import compute
from tests.support.addresses import BOARD
from tests.support.factories import send
from tests.support.pages.table import names_in, ranks_in
from tests.support.pages.visible_text import text_of
from tests.support.reported import state
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
    assert "Judges differ, so these results are listed apart from others." in section
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


def test_ranks_have_intervals_and_systems_tied_for_first_are_marked(visitor, demo, three):
    put_row(demo, "Printed", 0.93)
    assert ranks_in(visitor.get(BOARD)) == ["1", "–", "2", "3"], "by score alone"
    compute.compute_statistics(board_id=demo.pk)
    response = visitor.get(BOARD)
    content = response.content.decode()
    assert names_in(response) == ["A", "Printed", "B", "C"]
    assert ranks_in(response) == ["1–2", "–", "1–2", "3"]
    assert content.count('<abbr title="tied for 1st">1–2</abbr>') == 2
    # Lines in words part the rows, in the order of ranks alone.
    first, tied, below = re.split(
        "Tied for first: 2 systems, ranks|Below, where tested: significantly", content
    )
    parts = [re.findall('aria-label="Compare (.*?)"', part) for part in (first, tied, below)]
    assert parts == [[], ["A", "Printed", "B"], ["C"]]
    assert "tied for first" not in text_of(visitor.get(f"{BOARD}?sort=system")).split("Rank System")[1]
    alone = text_of(visitor.get(f"{BOARD}?source=rescored"))
    assert "Statistically tied for first 1–2" in re.sub(" +", " ", alone)
    assert "Below: significantly lower than another system" in alone
    # A choice of rows changes no claim, and the sentence is about all.
    response = visitor.get(f"{BOARD}?source=rescored")
    assert ranks_in(response) == ["1–2", "1–2", "3"]
    assert 'class="finding"' not in response.content.decode()


def test_a_past_table_claims_nothing_about_a_result_that_was_removed_since(visitor, demo, three, user):
    compute.compute_statistics(board_id=demo.pk)
    number = BoardState.objects.get(board=demo).number
    first = Submission.objects.get(system__name="A")
    publish.withdraw(submission_id=first.pk, team=first.team, by=user)
    response = visitor.get(f"{BOARD}?as_of={number}")
    text = text_of(response)
    assert "A (9" not in text
    assert "B (9" not in text
    assert names_in(response) == ["A", "B", "C"]
    assert "tied for 1st" not in text
    assert "significantly lower" not in text.split("Rank System")[1].split("How to read")[0]
    chart = text_of(visitor.get(f"{BOARD}views/forest/?as_of={number}"))
    assert "A has the highest" not in chart


def test_beside_verified_rows_they_are_marked_and_have_no_rank(visitor, demo, user, good_file):
    state(demo, user, system="A with h1", harness_name="h1", score="90", correct="45")
    state(demo, user, system="B", harness_name="h2, 8 rounds", score="80", correct="40", saw_test="possibly")
    state(demo, user, system="C with h1", harness_name="h1", score="60", correct="30")
    # Also where no row is verified.
    alone = visitor.get(BOARD)
    assert alone.content.decode().count('>as published<span class="source">') == 3
    assert "best listed published result is 90.0% (A with h1; 50 tasks, " in text_of(alone)
    send(user, demo, good_file, publish=True)  # 94%
    response = visitor.get(BOARD)
    assert names_in(response)[1:] == ["A with h1", "B", "C with h1"]
    assert response.content.decode().count('>as published<span class="source">') == 3
    state(demo, user, system="D with h3", harness_name="h3", score="98", correct="49")
    response = visitor.get(BOARD)
    # They stand at their scores, without a rank.
    assert (names_in(response)[0], ranks_in(response)) == ("D with h3", ["–", "1", "–", "–", "–"])
    text = text_of(response)
    assert "(94.0% in a single run) is listed first among ranked systems, too few to compare" in text
    assert "the order does not say which model is better" in text
    # Any two rows can be chosen, and the comparison says of which kind each is.
    chosen = re.findall(r'name="system" value="(\d+)"', response.content.decode())
    assert len(chosen) == 5
    compared = text_of(visitor.get(f"{BOARD}compare/", {"system": chosen[:2]}))
    assert re.search(r"D with h3 98.0% \([^)]*\) as published .* 94.0% \([^)]*\) verified", compared)
    assert "D with h3: Not rescored here; Wardboard has no per-task results." in compared
