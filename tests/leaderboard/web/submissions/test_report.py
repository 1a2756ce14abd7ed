"""Reports on a file for people."""

from leaderboard.web.submissions.report import report_of
from leaderboard.web.templatetags.figures import ticked
from wardboard.scoring.reading.problems import Problem, Remarks


def make_problem(position: int, hint: str = "Put it in quotes.") -> Problem:
    return Problem(
        code="answer.number",
        pointer=f"/results/{position}/answer",
        message="`answer` is a number",
        hint=hint,
    )


def make_remarks(*problems: Problem, keep: int = 200) -> Remarks:
    collected = Remarks(keep=keep)
    collected.extend(problems)
    return collected


def test_the_same_remark_three_hundred_times_is_one_group_with_its_places():
    report = report_of(make_remarks(*(make_problem(n) for n in range(300))), None)
    (group,) = report.problems.groups
    assert (report.problems.listed, report.problems.total) == (200, 300)
    assert (group.total, group.unlisted, len(group.rest)) == (300, 100, 199)
    assert [place.pointer for place in (group.first, group.rest[0])] == [
        f"/results/{n}/answer" for n in range(2)
    ]


def test_ticks_become_code_and_markup_in_a_message_stays_text():
    assert ticked("`a` is <script>`<b>`") == "<code>a</code> is &lt;script&gt;<code>&lt;b&gt;</code>"
