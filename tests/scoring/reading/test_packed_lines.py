"""What is kept of a file: written and read back."""

import io

import pytest

from wardboard.scoring.reading.packed_lines import keeping, kept_lines


def keep(*lines: bytes) -> bytes:
    target = io.BytesIO()
    with keeping(target) as add:
        for line in lines:
            add(line)
    return target.getvalue()


def test_lines_are_read_back_as_they_were_written():
    lines = [b"first", b"", b"\xff" * 300_000]
    assert list(kept_lines(io.BytesIO(keep(*lines)))) == [line + b"\n" for line in lines]


def test_what_is_cut_off_or_damaged_is_refused_and_never_read_as_a_shorter_file():
    whole = keep(*(b"%d" % number for number in range(20_000)))
    for raw, what in ((whole[: len(whole) // 2], ""), (b"neither of them, in any case", "damaged")):
        with pytest.raises(ValueError, match=f"what was kept of a file is {what}"):
            list(kept_lines(io.BytesIO(raw)))
