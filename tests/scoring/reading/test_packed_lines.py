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


def test_what_is_cut_off_is_refused_and_never_read_as_a_shorter_file():
    whole = keep(*(b"%d" % number for number in range(20_000)))
    with pytest.raises(ValueError, match="what was kept of a file is"):
        list(kept_lines(io.BytesIO(whole[: len(whole) // 2])))


def test_what_is_damaged_is_refused():
    with pytest.raises(ValueError, match="what was kept of a file is damaged"):
        list(kept_lines(io.BytesIO(b"neither of them, in any case")))


def test_what_ended_with_an_error_has_no_end():
    target = io.BytesIO()

    def break_off():
        with keeping(target) as add:
            add(b"a")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()
    target.seek(0)
    with pytest.raises(ValueError, match="what was kept of a file is cut off"):
        list(kept_lines(target))
