"""The benchmarks that this installation knows. A new one adds a line here."""

from collections.abc import Mapping
from types import MappingProxyType

from scoring.benchmark import Benchmark
from scoring.fhir_agentbench.benchmark import FhirAgentBench
from scoring.medagentbench.benchmark import MedAgentBench
from scoring.reading.problems import quote

BENCHMARKS: Mapping[str, Benchmark] = MappingProxyType(
    {
        MedAgentBench.slug: MedAgentBench(),
        FhirAgentBench.slug: FhirAgentBench(),
    }
)


def get(slug: str) -> Benchmark:
    """Return the benchmark family called `slug`. Raises LookupError naming those there are."""
    if slug not in BENCHMARKS:
        known = ", ".join(BENCHMARKS)
        raise LookupError(f"no benchmark is called {quote(slug)}; there are: {known}")
    return BENCHMARKS[slug]
