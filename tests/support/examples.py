"""How many examples a property is tried with: few in `make test`, all in `make test-long`."""

import os

IS_LONG = bool(os.environ.get("LONG"))


def examples(most: int) -> int:
    """Return `most` in a long run, and in others an eighth of it: ten at least, or `most` itself."""
    return most if IS_LONG else min(most, max(10, most // 8))
