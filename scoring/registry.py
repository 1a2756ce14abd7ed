"""The families of benchmarks that this installation knows. A new one adds a line here."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import getfile
from pathlib import Path
from types import MappingProxyType

from scoring.benchmark import Family
from scoring.fhir_agentbench.benchmark import FhirAgentBench
from scoring.ground_truth import BoardPlan
from scoring.medagentbench.benchmark import MedAgentBench
from scoring.reading.problems import quote

_FAMILIES: dict[str, Family] = {
    MedAgentBench.slug: MedAgentBench(),
    FhirAgentBench.slug: FhirAgentBench(),
}
FAMILIES: Mapping[str, Family] = MappingProxyType(_FAMILIES)


def get(slug: str) -> Family:
    """Return the family called `slug`. Raises LookupError naming those there are."""
    if slug not in FAMILIES:
        names = ", ".join(FAMILIES)
        raise LookupError(f"no benchmark is called {quote(slug)}; there are: {names}")
    return FAMILIES[slug]


def named_boards() -> Mapping[str, tuple[Family, BoardPlan]]:
    """Return the boards that are known without a service, each with its family, by slug."""
    return {plan.slug: (family, plan) for family in FAMILIES.values() for plan in _boards_of(family)}


def _boards_of(family: Family) -> Iterator[BoardPlan]:
    yield from family.published_boards()
    yield from family.cli().boards
    yield from (demo.board for demo in family.demonstrations())


def locale_folder(family: Family) -> Path:
    """Return the folder for translations of the family's texts, beside its code."""
    return Path(getfile(type(family))).parent / "locale"


def guide_folder(family: Family) -> Path:
    """Return the folder for the family's guide and its examples, beside its code; it need not exist."""
    return Path(getfile(type(family))).parent / "guide"


@contextmanager
def registered(family: Family) -> Iterator[Family]:
    """Add `family` while the context lasts: a test of a new family needs no line here."""
    _FAMILIES[family.slug] = family
    try:
        yield family
    finally:
        del _FAMILIES[family.slug]
