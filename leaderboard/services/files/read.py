"""Reading a submitted file: what it holds, or everything that is wrong with it."""

from dataclasses import replace

from django.conf import settings

from leaderboard.models import Benchmark
from leaderboard.services.files import store
from leaderboard.services.files.store import StoredFile
from scoring import registry
from scoring.benchmark import Reading
from scoring.reading.limits import Limits


def check_file(*, benchmark: Benchmark, file: StoredFile) -> Reading:
    """Return what the file holds; nothing is kept. Raises SubmissionInvalid."""
    with store.open_original(file.id) as source:
        return _read(benchmark, source)


def extract_records(*, benchmark: Benchmark, file_id) -> Reading:
    """Return what the file holds, and keep what scoring needs of it. Raises SubmissionInvalid."""
    found: list[Reading] = []
    with store.open_original(file_id) as source:
        store.write_records(file_id, lambda target: found.append(_read(benchmark, source, target)))
    return found[0]


def _read(benchmark: Benchmark, source, keep=None) -> Reading:
    return registry.get(benchmark.family).read(
        source,
        task_ids=benchmark.active_revision.task_ids,
        version=benchmark.version,
        limits=limits_of(benchmark.family),
        keep=keep,
    )


def limits_of(family: str) -> Limits:
    """Return the limits on files of the benchmark family."""
    return replace(registry.get(family).limits, **settings.UPLOAD_LIMITS)


def largest_body() -> int:
    """Return how many bytes the largest upload to any board may have."""
    return max(limits_of(family).body_bytes for family in registry.FAMILIES)


def largest_check(*, is_known: bool) -> int:
    """Return how many bytes a file to be checked may have. is_known: whether one with an account asks."""
    return largest_body() if is_known else min(largest_body(), settings.ANONYMOUS_CHECK_BYTES)
