"""The benchmarks that this installation knows. A new one adds a line here."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import getfile
from pathlib import Path
from types import MappingProxyType

from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.fhir_agentbench.benchmark import FhirAgentBench
from wardboard.scoring.ground_truth import BoardPlan
from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.reading.problems import quote

_BENCHMARKS: dict[str, Benchmark] = {
    MedAgentBench.slug: MedAgentBench(),
    FhirAgentBench.slug: FhirAgentBench(),
}
BENCHMARKS: Mapping[str, Benchmark] = MappingProxyType(_BENCHMARKS)


def get(slug: str) -> Benchmark:
    """Return the benchmark called `slug`. Raises LookupError, which names the known ones."""
    if slug not in BENCHMARKS:
        names = ", ".join(BENCHMARKS)
        raise LookupError(f"no benchmark is called {quote(slug)}; there are: {names}")
    return BENCHMARKS[slug]


def named_boards() -> Mapping[str, tuple[Benchmark, BoardPlan]]:
    """Return the boards that are known without a service, each with its benchmark, by slug."""
    return {
        plan.slug: (benchmark, plan) for benchmark in BENCHMARKS.values() for plan in _boards_of(benchmark)
    }


def _boards_of(benchmark: Benchmark) -> Iterator[BoardPlan]:
    yield from benchmark.published_boards()
    yield from benchmark.cli().boards
    yield from (demo.board for demo in benchmark.demonstrations())


def locale_folder(benchmark: Benchmark) -> Path:
    """Return the folder for translations of the benchmark's texts, beside its code."""
    return Path(getfile(type(benchmark))).parent / "locale"


def guide_folder(benchmark: Benchmark) -> Path:
    """Return the folder for the benchmark's guide and its examples, beside its code; it need not exist."""
    return Path(getfile(type(benchmark))).parent / "guide"


@contextmanager
def registered(benchmark: Benchmark) -> Iterator[Benchmark]:
    """Add `benchmark` while the context lasts: a test of a new benchmark needs no line here."""
    _BENCHMARKS[benchmark.slug] = benchmark
    try:
        yield benchmark
    finally:
        del _BENCHMARKS[benchmark.slug]
