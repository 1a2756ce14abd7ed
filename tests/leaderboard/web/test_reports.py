"""Reports on a file, as people read them."""

from leaderboard.web.reports import report_of
from leaderboard.web.templatetags.figures import ticked
from scoring.problems import Problem, Remarks


def number(position: int, hint: str = "Put it in quotes.") -> Problem:
    return Problem(
        code="answer.number",
        pointer=f"/results/{position}/answer",
        message="`answer` is a number",
        hint=hint,
    )


def remarks(*problems: Problem, keep: int = 200) -> Remarks:
    kept = Remarks(keep=keep)
    kept.extend(problems)
    return kept


def test_the_same_remark_three_hundred_times_is_one_group_with_its_places():
    report = report_of(remarks(*(number(n) for n in range(300))), None)
    (group,) = report.problems.groups
    assert (report.problems.listed, report.problems.total) == (200, 300)
    assert group.count == 200
    assert [place["where"] for place in group.first] == [f"/results/{n}/answer" for n in range(3)]
    assert group.has_more


def test_groups_come_in_the_order_of_their_first_place():
    other = Problem(code="version.missing", pointer="", message="No version.", hint="Add it.", line=3)
    report = report_of(remarks(number(0), other, number(1)), None)
    assert [group.code for group in report.problems.groups] == ["answer.number", "version.missing"]
    assert report.problems.groups[1].first[0]["where"] == "line 3"


def test_a_hint_of_its_own_stays_with_its_place():
    (group,) = report_of(remarks(number(0), number(1, hint="Write it out.")), None).problems.groups
    assert [place["hint"] for place in group.places] == ["", "Write it out."]
    assert group.has_more


def test_few_places_alike_need_no_list():
    (group,) = report_of(remarks(number(0), number(1)), None).problems.groups
    assert not group.has_more


def test_the_whole_file_is_a_place():
    empty = Problem(code="file.empty", pointer="", message="The file is empty.", hint="Choose another.")
    assert report_of(remarks(empty), None).problems.groups[0].first[0]["where"] == "the whole file"


def test_a_file_without_problems_is_fine_whatever_its_warnings():
    assert report_of(None, remarks(number(0))).is_fine


def test_ticks_become_code_and_markup_in_a_message_stays_text():
    assert ticked("`a` is <script>`<b>`") == "<code>a</code> is &lt;script&gt;<code>&lt;b&gt;</code>"
