"""The views of a board: their data, their systems, and what the feedback level hides."""

import pytest

from leaderboard.models import Board, DataClass, Feedback, Kind
from leaderboard.services.boards.query import read_query
from leaderboard.services.charts.figures import approach_words
from leaderboard.services.charts.views import available_views, read_view
from tests.support.factories import publish_others
from tests.support.rows import put_row

pytestmark = pytest.mark.both_databases

RULES, OFFICIAL = "rules 7", "official: o4-mini"
TRAITS = {"interaction": "multi-turn", "retrieval": "retriever", "reasoning": "code"}


@pytest.fixture
def board(words) -> Board:
    return words


def read_chart(board, name: str, **params):
    (view,) = [view for view in available_views(board) if view.name == name]
    return read_view(view=view, query=read_query(params, board))


def put_typed(board, name: str, counts: tuple[int, int], **facts):
    """Create a row with figures by type: all of one type right, and none of another."""
    right, total = counts
    return put_row(
        board,
        name,
        counts=counts,
        breakdowns={"resource_type": {"patient": [right, right], "location": [0, total - right]}},
        group_metrics={"resource_type": {"patient": {"precision": 0.5, "recall": 1.0, "f1": 2 / 3}}},
        **facts,
    )


def test_a_board_of_the_overall_figure_has_no_view_of_groups(board):
    board.feedback = Feedback.OVERALL
    put_row(
        board,
        "A",
        0.5,
        **TRAITS,
        model_names=["m"],
        kind=Kind.BASELINE,
        metrics={"precision": 0.4},
    )
    names = [view.name for view in available_views(board)]
    assert names == ["progress", "forest", "score-by-cost", "approach-by-model", "by-harness"]
    put_row(board, "B", 0.5, **TRAITS, model_names=["m"], metrics={"precision": 0.4})
    (record,) = read_chart(board, "approach-by-model").export_rows()
    assert "precision" not in record
    board.feedback = Feedback.BY_TYPE
    (record,) = read_chart(board, "approach-by-model").export_rows()
    assert "precision" in record


def test_systems_by_group_have_rate_interval_and_the_figures_beside_it(board):
    put_typed(board, "A", (30, 40), judge=RULES)
    put_row(board, "Overall score only", 0.9)
    view = read_chart(board, "by-resource-type")
    assert [row.standing.name for row in view.rows] == ["A"]
    assert list(view.groups.values()) == ["Location", "Patient"]
    location, patient = view.export_rows()
    assert (patient["system"], patient["judge"], patient["label"]) == ("A", RULES, "Patient")
    assert (patient["right"], patient["total"], patient["rate"]) == (30, 30, 1.0)
    assert patient["low"] < 1.0 == patient["high"]
    assert (patient["precision"], patient["recall"], patient["f1"]) == (0.5, 1.0, 0.667)
    # What was not published is unknown, not 0.
    assert location["precision"] is None


def _line(view, words: str):
    return [
        (model, row.standing.name) for approach, model, row in view.cells if approach_words(approach) == words
    ]


def test_a_cell_of_approach_by_model_has_the_best_system_of_one_judge_a_verified_one_first(board):
    put_row(board, "Best", 0.5, judge=RULES, model_names=["m"], kind=Kind.RESCORED, **TRAITS)
    put_row(board, "Published", 0.7, judge=RULES, model_names=["m"], **TRAITS)
    put_row(board, "Second", 0.4, judge=RULES, model_names=["m"], **TRAITS)
    put_row(board, "Official", 0.6, judge=OFFICIAL, model_names=["m"], **TRAITS)
    put_row(board, "Other model", 0.3, judge=RULES, model_names=["n"], **TRAITS)
    put_row(board, "Unsaid", 0.9, judge=RULES, model_names=["m"])
    put_row(board, "Null", 0.99, judge=RULES, kind=Kind.BASELINE, **TRAITS)
    view = read_chart(board, "approach-by-model")
    assert view.models == ["m", "n"]
    cells = _line(view, "Multi-turn, retriever, code")
    assert cells == [("m", "Best"), ("n", "Other model")]
    assert view.judge == RULES
    of_other = read_chart(board, "approach-by-model", judge=OFFICIAL)
    assert _line(of_other, "Multi-turn, retriever, code") == [("m", "Official")]


def front_of(board, name: str) -> list[str]:
    return [record["system"] for record in read_chart(board, name).export_rows() if record["on_front"]]


def test_systems_that_no_other_dominates_are_marked_and_the_others_are_not(board):
    for name, precision, recall in (
        ("Precise", 0.9, 0.5),
        ("As precise", 0.9, 0.5),
        ("As good in one", 0.8, 0.5),
        ("Thorough", 0.4, 0.6),
        ("As thorough", 0.3, 0.6),
    ):
        put_row(board, name, 0.5, metrics={"precision": precision, "recall": recall})
    assert front_of(board, "precision-recall") == ["Precise", "As precise", "Thorough"]
    points = {"Cheap": (0.5, 1), "Dear": (0.9, 9), "Dominated": (0.4, 2), "Twin": (0.5, 1), "Level": (0.5, 3)}
    for name, (score, cost) in points.items():
        put_row(board, name, score, cost_per_task=cost)
        # One point is compared with none.
        assert front_of(board, "score-by-cost") or name == "Cheap"
    put_row(board, "Silent", 0.95)
    put_row(board, "Behind a gateway that states 0", 0.95, cost_per_task=0)
    put_row(board, "Null agent", 0.99, kind=Kind.BASELINE, cost_per_task=0.5)
    assert set(front_of(board, "score-by-cost")) == {"Cheap", "Twin", "Dear"}
    names = [record["system"] for record in read_chart(board, "score-by-cost").export_rows()]
    assert sorted(names) == sorted([*points, "Null agent"])
    put_row(board, "Prints like Thorough", 0.5, metrics={"precision": 0.4, "recall": 0.6004})
    assert front_of(board, "precision-recall")[2:] == ["Thorough", "Prints like Thorough"]
    board.needs_official_harness = True
    for name, cost, harness in (
        ("No rank", 2, "own-tools"),
        ("Best", 3, "official"),
        ("Other", 4, "official"),
    ):
        put_row(board, name, 0.5, kind=Kind.RESCORED, harness=harness, cost_per_task=cost)
    assert front_of(board, "score-by-cost") == ["Best"]


def test_tasks_by_system_are_shown_where_every_reader_may_see_verdicts(visitor, demo, good_file):
    address = "/benchmarks/medagentbench-demo/views/by-task"
    # The file has three wrong answers of its own.
    publish_others(demo, good_file, 2, 5)
    Board.objects.update(feedback=Feedback.ANSWERS)
    demo.refresh_from_db()
    figure = read_chart(demo, "by-task")
    assert [sum(shares) for shares in figure.shares] == [45, 42]
    # Hardest first: both fail five tasks, one fails three more, and both solve the others.
    assert [number for _task, number in figure.solvers] == [*[0] * 5, *[1] * 3, *[2] * 42]
    assert visitor.get(f"{address}.csv").getvalue().count(b"\r\n") == 101
    assert visitor.get(f"{address}/chart.svg").content.startswith(b"<svg")
    for hidden in ({"feedback": Feedback.BY_CHECK}, {"data_class": DataClass.CREDENTIALED}):
        Board.objects.update(**{"feedback": Feedback.ANSWERS, **hidden})
        page = visitor.get("/benchmarks/medagentbench-demo/views/forest/").content
        assert b"views/by-task/" not in page
        assert {visitor.get(f"{address}{end}").status_code for end in ("/", ".csv", ".png")} == {404}
