"""Remarks: which are listed, and how all are counted; and their groups by code."""

from wardboard.scoring.reading.problems import Problem, Remarks
from wardboard.scoring.reading.reports.code_groups import changed_line, group_by_code


def problem(code: str, number: int = 0, hint: str = "Mend it.") -> Problem:
    return Problem(code=code, pointer=f"/{number}", message=f"Number {number}.", hint=hint)


def remarks_of(*codes: str, keep: int = 10) -> Remarks:
    remarks = Remarks(keep=keep)
    remarks.extend(problem(code, number) for number, code in enumerate(codes))
    return remarks


def test_the_first_three_of_each_code_are_listed_however_many_others_there_are():
    remarks = remarks_of(*["a"] * 50, *["b"] * 5)
    listed = [one.code for one in remarks.listed]
    assert listed == ["a"] * 7 + ["b"] * 3
    assert (remarks.total, remarks.counts) == (55, {"a": 50, "b": 5})
    assert [one.pointer for one in remarks.listed[7:]] == ["/50", "/51", "/52"]


def test_no_more_are_listed_than_the_limit_says_and_what_comes_first_is():
    remarks = remarks_of(*(f"code{n // 3}" for n in range(60)))
    assert (len(remarks.listed), remarks.total) == (10, 60)
    remarks = remarks_of(*["a"] * 50)
    remarks.add_first(problem("end"))
    assert [one.code for one in remarks.listed] == ["end"] + ["a"] * 9
    assert remarks.counts["end"] == 1


def test_remarks_of_several_files_are_counted_together_and_a_code_that_occurs_no_more_is_no_kind():
    remarks = remarks_of(*["a"] * 50)
    remarks.absorb(remarks_of(*["a"] * 20, "b"))
    assert (remarks.counts, remarks.total) == ({"a": 70, "b": 1}, 71)
    assert "b" in {one.code for one in remarks.listed}
    remarks.count("b", -1)
    remarks.count("c", 0)
    assert (remarks.counts, remarks.total) == ({"a": 70}, 70)


def test_groups_come_in_the_order_of_their_first_remark_with_what_they_have_in_common():
    listed = [one.as_dict() for one in (problem("a", 1), problem("b", 2, "Do it."), problem("a", 3))]
    first, second = group_by_code(listed, {"b": 1, "a": 9, "c": 2})[:2]
    assert (first.code, first.total, first.unlisted, len(first.first)) == ("a", 9, 7, 2)
    assert (first.common("hint"), first.common("message")) == ("Mend it.", "")
    assert (second.code, second.unlisted, second.common("message")) == ("b", 0, "Number 2.")
    assert [group.code for group in group_by_code(listed, {"c": 2})] == ["a", "b", "c"]


def test_the_quoted_line_that_a_fix_changes_is_found():
    quoted = [{"number": 4, "text": ' "a": 1,'}, {"number": 5, "text": ' "b": ['}]
    remark = {"line": 5, "quoted": quoted}
    assert changed_line({**remark, "fix": {"before": ' "b": [1],', "after": ""}}) == 5
    assert changed_line({**remark, "fix": {"before": ' "a": 1,', "after": ""}}) == 4
    assert changed_line({**remark, "fix": {"before": "[1]", "after": ""}}) is None
    assert changed_line({**remark, "fix": {"before": "", "after": '"c": 1,'}}) is None
    assert changed_line(remark) is None
