"""The front page and the boards."""

import re

import pytest
from django.utils import timezone

from leaderboard.models import Benchmark, Feedback, Standing, System
from leaderboard.services.importing import load_reported
from leaderboard.services.publishing import publish
from leaderboard.services.teams import personal_team
from tests import factories

BOARD = "/benchmarks/medagentbench-demo/"


def text_of(response) -> str:
    """What a reader sees: the words of <main>, in one line."""
    main = response.content.decode().split("<main", 1)[1].split("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main))


@pytest.fixture
def published(demo, user, good_file):
    submission = factories.make_scored(user, demo, good_file)
    return publish(submission_id=submission.pk, team=personal_team(user), by=user)


def put_row(benchmark: Benchmark, name: str, score: float | None, **facts) -> Standing:
    """A reported row with the figures given."""
    system = System.objects.create(name=name, source="a paper", **facts)
    low, high = (None, None) if score is None else (max(0, score - 0.05), min(1, score + 0.05))
    return Standing.objects.create(
        benchmark=benchmark, system=system, score=score, low=low, high=high, since=timezone.now()
    )


def test_the_front_page_says_what_each_board_asks_and_who_leads(visitor, published):
    response = visitor.get("/")
    said = text_of(response)
    assert response.status_code == 200
    assert "Fifty invented tasks." in said
    assert "Careful agent" in said
    assert "94.0% (83.8% to 97.9%)" in said
    assert "figures by type" in said


def test_a_closed_board_says_so_on_the_front_page_and_offers_no_upload(visitor, db):
    Benchmark.objects.create(
        slug="later", family="medagentbench", version="v1", title="Later", question="Not yet."
    )
    assert "not open yet" in text_of(visitor.get("/"))
    assert "/benchmarks/later/submit/" not in visitor.get("/").content.decode()


def test_without_any_board_the_front_page_says_how_one_comes(visitor, db):
    assert "There is no board yet" in text_of(visitor.get("/"))


def test_an_empty_board_says_what_to_upload(visitor, demo):
    said = text_of(visitor.get(BOARD))
    assert "Nobody is on this board yet" in said
    assert "each of the 50 tasks" in said


def test_a_published_row_shows_rank_rate_interval_and_figures_by_type(visitor, published):
    content = visitor.get(BOARD).content.decode()
    assert f"/submissions/{published.pk}/" in content
    assert "83.8% to 97.9%" in content
    assert content.count('<rect class="empty"') == 10
    assert "One system is ranked so far." in content


def test_the_board_shows_no_figure_beyond_the_overall_one_at_that_level(visitor, demo, published):
    Benchmark.objects.filter(pk=demo.pk).update(feedback=Feedback.OVERALL)
    for query in ("", "?sort=-query_success_rate", "?sort=query"):
        content = visitor.get(BOARD + query).content.decode()
        assert "94.0%" in content
        for hidden in ("Query", "Action", "squares", "92.0%", "96.0%"):
            assert hidden not in content.split("<table")[1], (query, hidden)


def test_reported_rows_are_told_apart_by_word_class_and_source(visitor, published, demo):
    put_row(demo, "Printed", 0.5, source_url="https://example.org/paper")
    content = visitor.get(BOARD).content.decode()
    assert content.count('<tr class="reported">') == 1
    assert 'href="https://example.org/paper"' in content
    assert "a paper · not rescored" in content
    assert "1 rescored, 1 reported" in content


def test_the_published_rows_of_the_paper_stand_on_their_board(visitor, db):
    board = Benchmark.objects.create(
        slug="medagentbench-v2", family="medagentbench", version="v2", title="v2", question="300 tasks."
    )
    load_reported(benchmark=board)
    content = visitor.get("/benchmarks/medagentbench-v2/").content.decode()
    assert content.count('<tr class="reported">') == 12
    assert "Claude 3.5 Sonnet v2" in content
    assert "69.7%" in content


def test_equal_scores_share_a_rank_and_a_row_without_a_score_has_none(visitor, demo):
    for name, score in (("A", 0.9), ("B", 0.8), ("C", 0.8), ("D", 0.7), ("E", None)):
        put_row(demo, name, score)
    content = visitor.get(BOARD).content.decode()
    assert re.findall(r'<td class="rank">(.+?)</td>', content) == ["1", "2", "2", "4", "–"]
    assert re.findall(r'class="name">(\w)</', content) == ["A", "B", "C", "D", "E"]


def test_a_head_sorts_and_says_how_the_table_is_sorted(visitor, demo):
    put_row(demo, "A", 0.5)
    put_row(demo, "B", 0.9)
    content = visitor.get(f"{BOARD}?sort=system&weights=&q=").content.decode()
    assert re.findall(r'class="name">(\w)</', content) == ["A", "B"]
    assert 'aria-sort="ascending"><a href="?sort=-system&amp;weights=&amp;q="' in content
    assert content.count("aria-sort=") == 1


def test_a_filter_keeps_ranks_of_the_whole_board_and_offers_a_way_back(visitor, demo):
    put_row(demo, "Open one", 0.5, open_weights=True)
    put_row(demo, "Closed one", 0.9, open_weights=False)
    said = text_of(visitor.get(f"{BOARD}?weights=open"))
    assert "1 of 2 systems, with their ranks on the whole board" in said
    assert "Closed one" not in said.split("Rank", 1)[1]
    nothing = text_of(visitor.get(f"{BOARD}?q=zebra"))
    assert "No system fits" in nothing
    assert "Show all 2 systems" in nothing


def test_two_hundred_and_fifty_rows_come_on_three_pages(visitor, demo):
    for n in range(250):
        put_row(demo, f"System {n}", n / 250)
    last = visitor.get(f"{BOARD}?page=3&sort=-score")
    content = last.content.decode()
    assert content.count('<tr class="reported">') == 50
    assert "201 to 250 of 250" in text_of(last)
    assert 'rel="prev" href="?page=2&amp;sort=-score"' in content


@pytest.mark.parametrize("name", ["x" * 120, "臨床助理", "<script>alert(1)</script>", "A & B"])
def test_any_name_is_shown_whole_and_as_text(visitor, demo, name):
    put_row(demo, name, 0.5)
    content = visitor.get(BOARD).content.decode()
    assert "<script>alert" not in content
    assert name in content or "&lt;script&gt;alert(1)&lt;/script&gt;" in content or "A &amp; B" in content


@pytest.mark.parametrize(
    "query",
    [
        "?page=0",
        "?page=%00",
        "?page=99999999999",
        "?sort=%27;drop",
        "?q=%00%ff",
        "?weights=maybe&sort=--score",
    ],
)
def test_parameters_that_mean_nothing_count_as_not_given(visitor, published, query):
    assert visitor.get(BOARD + query).status_code == 200


def test_a_row_scored_against_older_references_says_so(visitor, published, demo):
    from leaderboard.services.importing import import_references

    fewer = dict(list(factories.demo_references().items())[:40])
    import_references(benchmark=demo, references=fewer, origin="tests, again")
    assert "older references" in text_of(visitor.get(BOARD))


def test_the_pages_for_readers_ask_the_database_a_fixed_number_of_times(
    visitor, published, demo, django_assert_num_queries
):
    for n in range(30):
        put_row(demo, f"System {n}", n / 30)
    with django_assert_num_queries(3):
        visitor.get("/")
    with django_assert_num_queries(9):
        visitor.get(BOARD)


def test_an_unknown_board_is_a_page_that_says_so(visitor, db):
    response = visitor.get("/benchmarks/none/")
    assert response.status_code == 404
    assert "There is no such page" in text_of(response)
