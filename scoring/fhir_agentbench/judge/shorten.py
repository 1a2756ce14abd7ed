"""Cut very long answers, so that every judge treats them alike."""

_HEAD, _TAIL = 15_000, 5_000


def shorten(answer: str) -> str:
    """Return `answer`, but only the beginning and the end of one over 20,000 characters.

    A megabyte would cost more tokens than a whole run, and a hundred patterns would take seconds on it.
    """
    left_out = len(answer) - _HEAD - _TAIL
    if left_out <= 0:
        return answer
    return f"{answer[:_HEAD]} [... {left_out} characters left out ...] {answer[-_TAIL:]}"
