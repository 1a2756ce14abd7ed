"""What is kept of a file."""

import io

import pytest

from wardboard.scoring.reading.packed_lines import keeping, kept_lines


def test_what_is_cut_off_or_damaged_is_refused_and_never_read_as_a_shorter_file():
    target = io.BytesIO()
    with keeping(target) as add:
        for number in range(20_000):
            add(b"%d" % number)
    whole = target.getvalue()
    for raw, what in ((whole[: len(whole) // 2], ""), (b"neither of them, in any case", "damaged")):
        with pytest.raises(ValueError, match=f"what was kept of a file is {what}"):
            list(kept_lines(io.BytesIO(raw)))
