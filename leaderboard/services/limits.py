"""How large files may be: what a benchmark says, under what the installation says."""

from dataclasses import replace

from django.conf import settings

from scoring import registry
from scoring.limits import Limits


def limits_of(family: str) -> Limits:
    """Return the limits on files of the benchmark family."""
    return replace(registry.get(family).limits, **settings.UPLOAD_LIMITS)


def largest_body() -> int:
    """Return how many bytes the largest upload to any board may have."""
    return max(limits_of(family).body_bytes for family in registry.BENCHMARKS)


def largest_check(*, is_known: bool) -> int:
    """Return how many bytes a file to be checked may have. is_known: whether one with an account asks."""
    return largest_body() if is_known else min(largest_body(), settings.ANONYMOUS_CHECK_BYTES)
