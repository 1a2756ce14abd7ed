"""Every file gives a Reading or SubmissionInvalid, with remarks that can be stored and sent."""

import gzip
import json

from hypothesis import settings
from hypothesis import strategies as st

from tests.support.examples import examples, given
from tests.support.scoring.medagentbench_samples import SMALL
from tests.support.scoring.odd_files import V1, messages, odd_files, odd_lines
from tests.support.scoring.odd_values import check_remarks, texts, values
from wardboard.scoring.benchmark import Reading
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid

thorough = settings(max_examples=examples(200))


@st.composite
def valid_files(draw):
    ids = draw(st.lists(st.sampled_from(V1), min_size=1, max_size=8, unique=True))
    answers = st.none() | texts
    histories = st.none() | st.lists(messages, max_size=3)
    results = [{"task_id": t, "answer": draw(answers), "post_history": draw(histories)} for t in ids]
    return {"version": "v1", "results": results, **draw(st.dictionaries(st.just("extra"), values))}


def outcome(raw: bytes, limits: Limits = SMALL) -> Reading | SubmissionInvalid:
    try:
        return read_submission(raw, task_ids=V1, version="v1", limits=limits)
    except SubmissionInvalid as invalid:
        return invalid


def check(raw: bytes, limits: Limits = SMALL) -> None:
    result = outcome(raw, limits)
    if isinstance(result, Reading):
        assert result.records
        assert all(record.task_id in V1 for record in result.records)
        remarks = [result.warnings]
    else:
        assert result.problems.listed
        remarks = [result.problems, result.warnings]
    for listed in remarks:
        assert len(listed.listed) == min(listed.total, limits.listed)
        check_remarks(listed.listed)


@thorough
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_rejected(raw):
    check(raw)


@thorough
@given(odd_files)
def test_any_nearly_valid_file_is_read_or_rejected(value):
    check(json.dumps(value).encode())
    check(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


@thorough
@given(st.lists(odd_lines, min_size=1, max_size=5))
def test_any_nearly_valid_lines_are_read_or_rejected(rows):
    check("\n".join(json.dumps(row) for row in rows).encode())


@thorough
@given(valid_files())
def test_a_valid_file_is_read_as_it_is_plain_or_gzip(value):
    raw = json.dumps(value).encode()
    result = outcome(raw, Limits())
    assert isinstance(result, Reading)
    assert [(r.task_id, r.answer, r.post_history) for r in result.records] == [
        (r["task_id"], r["answer"], r["post_history"] or []) for r in value["results"]
    ]
    assert outcome(gzip.compress(raw), Limits()) == result
    check(raw, Limits())


@thorough
@given(valid_files(), st.data())
def test_a_valid_file_cut_anywhere_is_rejected_as_cut_off(value, data):
    raw = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    end = data.draw(st.integers(1, len(raw) - 1))
    result = outcome(raw[:end], Limits())
    assert isinstance(result, SubmissionInvalid)
    assert [problem.code for problem in result.problems.listed] == ["json.truncated"]
    packed = outcome(gzip.compress(raw)[: -1 - end % 8], Limits())
    assert isinstance(packed, SubmissionInvalid)
