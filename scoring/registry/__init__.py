"""The benchmarks known here: our own, those of other distributions (`plugins`), and those of declarations."""

from collections.abc import Callable, Mapping
from inspect import getfile
from pathlib import Path
from types import MappingProxyType

from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.fhir_agentbench.benchmark import FhirAgentBench
from wardboard.scoring.ground_truth import BoardPlan
from wardboard.scoring.medagentbench.benchmark import MedAgentBench
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.registry import plugins

_BENCHMARKS: dict[str, Benchmark] = {
    MedAgentBench.slug: MedAgentBench(),
    FhirAgentBench.slug: FhirAgentBench(),
}
_installed, PLUGIN_PROBLEMS = plugins.load(_BENCHMARKS)
_BENCHMARKS |= {benchmark.slug: benchmark for benchmark in _installed}
BENCHMARKS: Mapping[str, Benchmark] = MappingProxyType(_BENCHMARKS)
# They find declared benchmarks by their keys, and keep what they found.
FIND_DECLARED: list[Callable[[str], Benchmark | None]] = []


class BenchmarkMissing(LookupError):
    """No benchmark has that slug: it was never there, or its distribution is not installed any more."""


def find(slug: str) -> Benchmark | None:
    """Return the benchmark called `slug`, or the declared one of that key; None where there is none."""
    declared = (find_declared(slug) for find_declared in FIND_DECLARED)
    return BENCHMARKS.get(slug) or next(filter(None, declared), None)


def get(slug: str) -> Benchmark:
    """Return what `find` does. Raises BenchmarkMissing, which names the known ones."""
    if benchmark := find(slug):
        return benchmark
    names = ", ".join(BENCHMARKS)
    raise BenchmarkMissing(f"no benchmark is called {quote(slug)}; there are: {names}")


def add(benchmark: Benchmark) -> None:
    """Add a benchmark for the rest of this process."""
    _BENCHMARKS[benchmark.slug] = benchmark


def named_boards() -> Mapping[str, tuple[Benchmark, BoardPlan]]:
    """Return the boards that are known without a service, each with its benchmark, by slug."""
    boards = {}
    for benchmark in BENCHMARKS.values():
        of_demos = (demo.board for demo in benchmark.demonstrations)
        for plan in (*benchmark.published_boards, *benchmark.cli().boards, *of_demos):
            boards[plan.slug] = (benchmark, plan)
    return boards


def code_folder(benchmark: Benchmark) -> Path:
    """Return the folder of the benchmark's code, without links: in a checkout, `wardboard/scoring` is one."""
    return Path(getfile(type(benchmark))).resolve().parent
