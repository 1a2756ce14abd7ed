"""How properties are tried: with few examples in `make test`, with all in `make test-long`.

Tests take `given` from here, since a property has the profile that is loaded when it is defined. So a run
without properties need not import Hypothesis.
"""

import os

from hypothesis import HealthCheck, given, settings

__all__ = ["IS_LONG", "examples", "given"]

IS_LONG = bool(os.environ.get("LONG"))


def examples(most: int) -> int:
    """Return `most` in a long run, and in others an eighth of it: ten at least, or `most` itself."""
    return most if IS_LONG else min(most, max(10, most // 8))


# No deadline: a busy machine must not fail a test. With NO_SKIPS the examples are the same each time, so that
# a failure is due to the change and not to chance.
settings.register_profile(
    "wardboard",
    deadline=None,
    max_examples=examples(100),
    derandomize=bool(os.environ.get("NO_SKIPS")),
    # The database is rolled back once, at the end of all examples.
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("wardboard")
