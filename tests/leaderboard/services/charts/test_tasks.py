"""The charts of tasks by system and of several runs, from published files."""

from leaderboard.models import Board, DataClass, Feedback
from leaderboard.services.boards.query import read_query
from leaderboard.services.charts.legend import legend_of
from leaderboard.services.charts.views import available_views, read_view
from leaderboard.services.publishing.publish import publish
from leaderboard.services.statistics.compute import compute_statistics
from tests.support.factories import publish_others, send_runs, with_wrong

MATRIX = "/benchmarks/medagentbench-demo/views/by-task"


def read_chart(board, name: str):
    (view,) = [view for view in available_views(board) if view.name == name]
    return read_view(view=view, query=read_query({}, board))


def test_tasks_by_system_are_shown_where_every_reader_may_see_verdicts(visitor, demo, good_file):
    # The file has three wrong answers of its own.
    publish_others(demo, good_file, 2, 5)
    Board.objects.update(feedback=Feedback.ANSWERS)
    demo.refresh_from_db()
    figure = read_chart(demo, "by-task")
    assert [sum(shares) for shares in figure.shares] == [45, 42]
    # Hardest first: both fail five tasks, one fails three more, and both solve the others.
    assert [number for _task, number in figure.solvers] == [*[0] * 5, *[1] * 3, *[2] * 42]
    assert visitor.get(f"{MATRIX}.csv").getvalue().count(b"\r\n") == 101
    assert "42 of 50 tasks are correct for every system" in visitor.get(f"{MATRIX}/").content.decode()
    # Both are tied for first, which the chart of intervals marks.
    compute_statistics(board_id=demo.pk)
    demo = Board.objects.get()
    assert "tied" in legend_of(read_chart(demo, "forest")).kinds
    for hidden in ({"feedback": Feedback.BY_CHECK}, {"data_class": DataClass.CREDENTIALED}):
        Board.objects.update(**{"feedback": Feedback.ANSWERS, **hidden})
        page = visitor.get("/benchmarks/medagentbench-demo/views/forest/").content
        assert b"views/by-task/" not in page
        assert {visitor.get(f"{MATRIX}{end}").status_code for end in ("/", ".csv", ".json", ".png")} == {404}


def test_runs_are_right_together_as_often_as_the_level_shows(demo, user, good_file):
    submission = send_runs(user, demo, [with_wrong(good_file, wrong) for wrong in (2, 4, 7)]).submission
    publish(submission_id=submission.pk, team=submission.team, by=user)
    passes = [(row["k"], row["pass_k"]) for row in read_chart(demo, "reliability").export_rows()]
    # Of 50 tasks, 40 are right in all runs, three in two of them, and two in one.
    assert passes == [(1, round((40 * 3 + 3 * 2 + 2) / 150, 3)), (2, (40 * 3 + 3) / 150), (3, 0.8)]
    Board.objects.update(rounding=5)
    demo.refresh_from_db()
    rounded = list(read_chart(demo, "reliability").export_rows())
    assert [(row["k"], row["rounded_to"]) for row in rounded] == [(1, None), (3, 0.06)]
