"""Reading a submitted file: what it holds, or everything that is wrong with it."""

from leaderboard.models import Benchmark
from leaderboard.services import store
from leaderboard.services.limits import limits_of
from leaderboard.services.store import Arrived
from scoring import registry
from scoring.benchmark import Reading


def check_file(*, benchmark: Benchmark, file: Arrived) -> Reading:
    """Return what the file holds; nothing is kept. Raises SubmissionInvalid."""
    with store.original(file.id) as source:
        return _read(benchmark, source)


def keep_file(*, benchmark: Benchmark, file_id) -> Reading:
    """Return what the file holds, and keep what scoring needs of it. Raises SubmissionInvalid."""
    found: list[Reading] = []
    with store.original(file_id) as source:
        store.write_kept(file_id, lambda target: found.append(_read(benchmark, source, target)))
    return found[0]


def _read(benchmark: Benchmark, source, keep=None) -> Reading:
    return registry.get(benchmark.family).read(
        source,
        task_ids=benchmark.active_revision.task_ids,
        version=benchmark.version,
        limits=limits_of(benchmark.family),
        keep=keep,
    )
