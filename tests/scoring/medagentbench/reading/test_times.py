"""When runs were finished, as files write it."""

from wardboard.scoring.medagentbench.reading.times import time_of_line, time_of_result

AT = 1_760_000_000_000  # 2025-10-09 08:53:20 UTC


def test_a_line_states_its_time_in_milliseconds():
    assert time_of_line({"timestamp": AT + 999, "str": "2025-10-09 10:53:20"}) == AT + 999
    for value in [None, 4, {}, *({"timestamp": at} for at in ("1", -1, 10**30, True))]:
        assert time_of_line(value) is None, value


def test_a_result_states_its_time_as_iso_text():
    for text, at in [
        ("2025-10-09T08:53:20", AT),
        ("2025-10-09T10:53:20.5+02:00", AT + 500),
        ("0001-01-01", None),
        ("soon", None),
        (AT, None),
    ]:
        assert time_of_result(text) == at, text
