"""What is kept of a file: written and read back."""

import io

import pytest

from wardboard.scoring.reading.packed_lines import keeping, kept_lines


def test_lines_are_read_back_as_written_and_what_is_cut_off_or_damaged_is_never_a_shorter_file():
    target, lines = io.BytesIO(), [b"", b"\xff" * 300_000, *(b"%d" % number for number in range(20_000))]
    with keeping(target) as add:
        for line in lines:
            add(line)
    whole = target.getvalue()
    assert list(kept_lines(io.BytesIO(whole))) == [line + b"\n" for line in lines]
    for raw, what in ((whole[: len(whole) // 2], ""), (b"neither of them, in any case", "damaged")):
        with pytest.raises(ValueError, match=f"what was kept of a file is {what}"):
            list(kept_lines(io.BytesIO(raw)))
