"""When runs were finished, as files write it."""

import json
from io import BytesIO

import pytest

from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.medagentbench.reading.times import RunTime, time_of_line, time_of_result

AT = 1_760_000_000_000  # 2025-10-09 08:53:20 UTC


@pytest.mark.parametrize("local", ["2025-10-09 08:53:20", "2025-10-09 10:53:20", "2025-10-09 14:38:20", None])
def test_a_line_states_its_time_twice_in_any_time_zone(local):
    assert time_of_line({"timestamp": AT + 999, "str": local}) == RunTime(at=AT + 999)


@pytest.mark.parametrize("local", ["2025-10-09 08:53:21", "2025-10-10 08:53:20", "2023-11-14 22:13:20"])
def test_a_line_whose_two_times_are_no_time_zone_apart_contradicts_itself(local):
    assert time_of_line({"timestamp": AT, "str": local}) == RunTime(at=AT, contradicts=True)


@pytest.mark.parametrize(
    "value", [None, 4, {}, {"timestamp": "1"}, {"timestamp": -1}, {"timestamp": 10**30}, {"timestamp": True}]
)
def test_a_line_without_a_time_has_none(value):
    assert time_of_line(value) is None


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2025-10-09T08:53:20", AT),
        ("2025-10-09T10:53:20.5+02:00", AT + 500),
        ("0001-01-01", None),
        ("soon", None),
        (AT, None),
    ],
)
def test_a_result_states_its_time_as_iso_text(text, at):
    assert time_of_result(text) == (None if at is None else RunTime(at=at))


def test_a_line_that_is_earlier_than_one_above_it_is_odd():
    benchmark, kept = MedAgentBench(), BytesIO()
    lines = [
        {"index": index, "output": {"result": "[1]", "history": []}, "time": {"timestamp": AT + after}}
        for index, after in enumerate([0, 900_000, 890_000, 600_000])
    ]
    raw = "\n".join(map(json.dumps, lines)).encode()
    task_ids = [f"task2_{number}" for number in range(1, 5)]
    benchmark.read(BytesIO(raw), task_ids=task_ids, version="v2", limits=benchmark.limits, keep=kept)
    kept.seek(0)
    records = list(benchmark.records(kept))
    assert [record.finished - AT for record in records] == [0, 900_000, 890_000, 600_000]
    # Runs at the same time may be written a little out of order.
    assert [record.is_time_odd for record in records] == [False, False, False, True]
