"""Tell whether a log is of one system: a submission is."""

from collections.abc import Collection, Sequence

from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.codes import FormatCode
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.problems import quote

_MAX_NAMED = 5


def has_several_systems(systems: Collection[tuple[str, str]], findings: Findings) -> bool:
    """Return whether a log is of several systems, which is reported with their names.

    systems: agent and model of each attempt, "" for what it does not state, which is no difference.
    """
    if all(len({system[part] for system in systems} - {""}) < 2 for part in (0, 1)):
        return False
    names = [" with ".join(filter(None, system)) for system in systems]
    message = phrase("there are several agents or models: {names}", names=listed(names))
    findings.problem(FormatCode.SEVERAL_SYSTEMS, (), message)
    return True


def listed(names: Sequence[str]) -> str:
    """Return names for a message: the first of them, each once."""
    different = list(dict.fromkeys(names))
    return ", ".join(map(quote, different[:_MAX_NAMED])) + (", …" if len(different) > _MAX_NAMED else "")
