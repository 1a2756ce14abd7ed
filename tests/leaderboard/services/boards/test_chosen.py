"""Every way to find the rows that filters choose shows the same rows: those that a plain list has."""

from collections.abc import Callable
from datetime import timedelta
from operator import attrgetter

import pytest

from leaderboard.models import Board, Kind, Standing
from leaderboard.services.boards import query as queries
from leaderboard.services.boards import sections
from leaderboard.services.boards.head_sentence import head_of
from leaderboard.services.boards.page import read_divided
from leaderboard.services.boards.query import read_query
from leaderboard.services.boards.sections import MOST_ROWS
from leaderboard.services.rows import filters
from tests.support.databases import shared_rows
from tests.support.rows import SINCE, put_row, raise_revision

pytestmark = pytest.mark.both_databases
JUDGES = ("rules 6", "official: o4-mini", "rules 2")
Choice = Callable[[Standing], bool]


@shared_rows
def rows() -> int:
    board = Board.objects.create(
        slug="words", benchmark="fhir-agentbench", version="1", title="Words", question="In words."
    )
    for number in range(70):
        put_row(
            board,
            f"Straße {number}" if number % 3 else f"Round {number}",
            score := None if number % 17 == 16 else (number * 7 % 40) / 40,
            # No two intervals touch, which rounding would decide.
            ends=None if score is None else (score - 0.04, score + 0.03),
            kind=Kind.BASELINE if number % 23 == 5 else Kind.REPORTED,
            # One row in fourteen has the last judge, which is few enough for an index of judges.
            judge=JUDGES[2 if number % 14 == 3 else number % 2],
            since=SINCE + timedelta(days=number % 5),
            model_names=["Linden 7", "Aster 70"][number % 2 :],
            organisation=f"Hospital {number % 4}",
            open_weights=(None, True, False)[number % 3],
            interaction=("multi-turn", "single-turn")[number % 2],
        )
    return board.pk


@pytest.fixture
def board(rows, db) -> Board:
    return Board.objects.get(pk=rows)


CHOICES: list[tuple[dict[str, str], Choice]] = [
    ({}, lambda row: True),
    ({"source": "reported"}, lambda row: row.kind == Kind.REPORTED),
    ({"source": "baseline"}, lambda row: row.kind == Kind.BASELINE),
    ({"source": "rescored"}, lambda row: False),
    ({"judge": JUDGES[2]}, lambda row: row.judge == JUDGES[2]),
    ({"judge": JUDGES[0]}, lambda row: row.judge == JUDGES[0]),
    (
        {"judge": JUDGES[1], "source": "reported"},
        lambda row: (row.judge, row.kind) == (JUDGES[1], Kind.REPORTED),
    ),
    ({"interaction": "multi-turn"}, lambda row: row.interaction == "multi-turn"),
    ({"weights": "open", "source": "reported"}, lambda row: row.open_weights and row.kind == Kind.REPORTED),
    ({"organisation": "Hospital 2"}, lambda row: row.organisation == "Hospital 2"),
    ({"q": "STRASSE"}, lambda row: row.name.startswith("Straße")),
    ({"q": "round"}, lambda row: row.name.startswith("Round")),
    (
        {"q": "hospital 1", "judge": JUDGES[1]},
        lambda row: row.organisation == "Hospital 1" and row.judge == JUDGES[1],
    ),
    ({"q": "strasse 5", "source": "baseline"}, lambda row: row.name in {"Straße 5", "Straße 51"}),
    ({"q": "no such words"}, lambda row: False),
    ({"q": "%"}, lambda row: False),
    ({"model": "Linden 7"}, lambda row: "Linden 7" in row.models_text),
    ({"model": "Linden 7", "q": "round", "weights": "closed"}, lambda row: False),
    ({"trace": "not-known"}, lambda row: True),
    ({"runs": "several"}, lambda row: False),
    ({"provenance": "account"}, lambda row: False),
]
ORDERS: dict[str, Callable[[list[Standing]], list[Standing]]] = {
    "": lambda rows: sorted(rows, key=lambda row: (row.score is None, -(row.score or 0))),
    "score": lambda rows: sorted(rows, key=lambda row: (row.score is None, row.score or 0)),
    "system": lambda rows: sorted(rows, key=lambda row: row.name.encode()),
    "-date": lambda rows: sorted(ORDERS[""](rows), key=attrgetter("since"), reverse=True),
}


@pytest.mark.parametrize("most_keys", [sections.MOST_KEYS, 1], ids=["few", "many"])
@pytest.mark.parametrize("rare", [queries.RARE, 0], ids=["by_judge", "by_listing"])
@pytest.mark.parametrize(("params", "is_chosen"), CHOICES, ids=[str(params)[:60] for params, _ in CHOICES])
def test_the_tables_have_the_chosen_rows_in_their_order(
    board, params, is_chosen, rare, most_keys, monkeypatch
):
    monkeypatch.setattr(sections, "MOST_KEYS", most_keys)
    monkeypatch.setattr(queries, "RARE", rare)
    # Their systems, the last of all to decide, are in this order.
    every = list(Standing.objects.filter(board=board).order_by("since", "system"))
    wanted = [row for row in every if is_chosen(row)]
    for mixes_judges in (False, True):
        board.mixes_judges = mixes_judges
        raise_revision(board)
        for sort, order in ORDERS.items():
            query = read_query({**params, "sort": sort}, board)
            assert not query.unknown
            page = read_divided(query)
            tables = [(page.group, page.page.paginator.count, [row.standing for row in page.rows], 50)]
            tables += [
                (each.group, each.count, [row.standing for row in each.rows], MOST_ROWS)
                for each in page.sections
            ]
            for group, count, shown, most in tables:
                rows = [row for row in wanted if (row.kind, row.judge) in group]
                assert count == len(rows)
                assert [row.name for row in shown] == [row.name for row in order(rows)[:most]]
            assert sum(table[1] for table in tables) == len(wanted)
            assert page.system_count == sum(row.kind != Kind.BASELINE for row in wanted)


@pytest.mark.parametrize("most_keys", [sections.MOST_KEYS, 1], ids=["few", "many"])
@pytest.mark.parametrize(("params", "is_chosen"), CHOICES, ids=[str(params)[:60] for params, _ in CHOICES])
def test_the_first_of_the_chosen_rows_is_named(board, params, is_chosen, most_keys, monkeypatch):
    monkeypatch.setattr(sections, "MOST_KEYS", most_keys)
    query = read_query(params, board)
    judge = query.judge or query.board_at.compared_judge
    ranked = [
        row
        for row in Standing.objects.filter(board=board).order_by("-score", "since", "system")
        if is_chosen(row) and row.judge == judge and row.kind != Kind.BASELINE and row.score is not None
    ]
    head = head_of(query)
    assert (head is None) == (not ranked)
    if head:
        assert (head.first.name, head.first.score) == (ranked[0].name, ranked[0].score)


def test_on_later_pages_only_the_rows_of_the_page_are_read(board, django_assert_max_num_queries):
    def ask(page: int) -> None:
        read_divided(read_query({"q": "strasse", "page": str(page), "sort": "system"}, board))

    ask(1)
    # The keys of the page, and its rows.
    with django_assert_max_num_queries(2):
        ask(2)


@pytest.mark.parametrize(
    ("params", "unknown"),
    [
        ({"organisation": "Hospital 9"}, ["organisation"]),
        ({"organisation": "hospital 1"}, ["organisation"]),
        ({"model": "Linden", "organisation": "Hospital 1"}, ["model"]),
        ({"model": "Linden 7", "organisation": "Hospital 3"}, []),
        ({"judge": "rules 1"}, ["judge"]),
    ],
    ids=str,
)
@pytest.mark.parametrize("most", [filters.MOST_NAMES, 1], ids=["all_listed", "one_listed"])
def test_a_name_is_known_whether_or_not_it_is_among_the_choices(board, params, unknown, most, monkeypatch):
    monkeypatch.setattr(filters, "MOST_NAMES", most)
    query = read_query(params, board)
    assert [each.name for each in query.unknown] == unknown
