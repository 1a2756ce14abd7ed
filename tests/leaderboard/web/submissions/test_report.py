"""Reports on a file for people."""

import csv
import io
import json
from base64 import b64decode
from dataclasses import replace

from leaderboard.web.submissions.report import report_of
from leaderboard.web.templatetags.figures import ticked
from scoring.reading.problems import Problem, QuotedLine, Remarks


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
    assert group.count == 200
    assert [place.pointer for place in group.first] == [f"/results/{n}/answer" for n in range(3)]
    assert group.has_more


def test_groups_come_in_the_order_of_their_first_place():
    other_problem = Problem(code="version.missing", pointer="", message="No version.", hint="Add it.", line=3)
    report = report_of(make_remarks(make_problem(0), other_problem, make_problem(1)), None)
    assert [group.code for group in report.problems.groups] == ["answer.number", "version.missing"]
    assert report.problems.groups[1].first[0].words == "line 3"


def test_a_hint_covers_only_its_own_places():
    other_hint = "Write it out."
    groups = report_of(
        make_remarks(make_problem(0), make_problem(1, hint=other_hint), make_problem(2)), None
    ).problems.groups
    assert [(group.hint, [place.pointer for place in group.places]) for group in groups] == [
        ("Put it in quotes.", ["/results/0/answer", "/results/2/answer"]),
        (other_hint, ["/results/1/answer"]),
    ]


def test_the_first_of_many_messages_are_open_and_the_rest_folded():
    all_remarks = make_remarks(
        *(make_problem(n, hint=f"Write {n}.") for n in range(9)), make_problem(0, hint="Write 0.")
    )
    groups = report_of(all_remarks, None).problems.groups
    assert [group.count for group in groups] == [2, 1, 1, 1, 1]
    assert [bool(group.rest) for group in groups] == [False] * 4 + [True]
    assert [one["hint"] for one in groups[-1].rest] == [f"Write {n}." for n in range(5, 9)]


def test_few_places_alike_need_no_list():
    (group,) = report_of(make_remarks(make_problem(0), make_problem(1)), None).problems.groups
    assert not group.has_more


def test_a_problem_of_the_whole_file_says_so():
    empty = Problem(code="file.empty", pointer="", message="The file is empty.", hint="Choose another.")
    assert report_of(make_remarks(empty), None).problems.groups[0].first[0].words == "the whole file"


def test_a_place_is_named_as_people_look_for_it_and_the_column_only_in_a_long_line():
    placed = replace(make_problem(8), record=9, task="task2_5", line=31, column=17)
    places = report_of(make_remarks(placed, replace(placed, line=1, column=10482)), None).problems.groups[0]
    assert [place.words for place in places.first] == [
        "result 9, <code>task2_5</code>, line 31",
        "result 9, <code>task2_5</code>, line 1, column 10,482",
    ]


def test_the_report_of_a_dry_run_can_be_downloaded_and_runs_no_formula_in_a_spreadsheet():
    hostile = replace(make_problem(0), task="=cmd()", quoted=(QuotedLine(number=1, text="=1+1"),))
    files = report_of(make_remarks(hostile), None).files
    as_json, as_csv = (b64decode(files[kind].partition(",")[2]).decode() for kind in ("json", "csv"))
    (listed,) = json.loads(as_json)["problems"]["listed"]
    assert (listed["code"], listed["quoted"]) == ("answer.number", [{"number": 1, "text": "=1+1"}])
    (row,) = csv.DictReader(io.StringIO(as_csv))
    assert (row["task"], row["pointer"], row["quoted"]) == ("'=cmd()", "/results/0/answer", "1: =1+1")


def test_a_file_without_problems_is_fine_whatever_its_warnings():
    assert report_of(None, make_remarks(make_problem(0))).is_fine


def test_ticks_become_code_and_markup_in_a_message_stays_text():
    assert ticked("`a` is <script>`<b>`") == "<code>a</code> is &lt;script&gt;<code>&lt;b&gt;</code>"
