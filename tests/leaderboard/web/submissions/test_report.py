"""Reports on a file for people."""

from dataclasses import replace

from leaderboard.web.submissions.report import report_of
from leaderboard.web.templatetags.figures import ticked
from wardboard.scoring.reading.problems import Problem, QuotedLine, Remarks
from wardboard.scoring.reading.reports.fixes import Fix


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


def test_a_fix_is_in_the_place_of_the_line_that_it_changes_and_less_indented():
    fix = Fix(before='      "answer": 60,', after='      "answer": "[60]",')
    quoted = (QuotedLine(number=4, text='      "id": 1,'), QuotedLine(number=5, text='      "answer": 60,'))
    placed = replace(make_problem(0), line=5, quoted=quoted, fix=fix)
    (group,) = report_of(make_remarks(placed), None).problems.groups
    place = group.first
    assert [(line["text"], line["meant"], line["has_fix"]) for line in place.lines] == [
        ('"id": 1,', False, False),
        ('"answer": 60,', True, True),
    ]
    assert place.fix == {"before": '"answer": 60,', "after": '"answer": "[60]",', "copy": '"answer": "[60]",'}
    assert not place.is_fix_apart
    apart = replace(placed, fix=Fix(before='…"a": 1…', after='…"b": 1…'))
    place = report_of(make_remarks(apart), None).problems.groups[0].first
    assert place.is_fix_apart
    assert place.fix["copy"] == '"b": 1'


def test_ticks_become_code_and_markup_in_a_message_stays_text():
    assert ticked("`a` is <script>`<b>`") == "<code>a</code> is &lt;script&gt;<code>&lt;b&gt;</code>"
