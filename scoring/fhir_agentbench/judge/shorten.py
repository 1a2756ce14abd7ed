"""How much of an answer a judge looks at."""

_HEAD, _TAIL = 15_000, 5_000


def shortened(answer: str) -> str:
    """Return `answer`, of a very long one its beginning and its end, which is where values stand.

    A megabyte costs a model more than a whole run does, and a hundred patterns seconds.
    """
    left_out = len(answer) - _HEAD - _TAIL
    if left_out <= 0:
        return answer
    return f"{answer[:_HEAD]} [... {left_out} characters left out ...] {answer[-_TAIL:]}"
