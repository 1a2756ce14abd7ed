"""What is said of a record that passes a limit."""

from scoring.fhir_agentbench.reading.codes import FhirCode
from scoring.reading.codes import DocumentCode, ProblemCode
from scoring.reading.documents import size
from scoring.reading.limits import Limits
from scoring.reading.messages import Said, say


def of_whole(code: ProblemCode, limits: Limits) -> Said:
    """Return what to say of a whole record that passes the limit."""
    match code:
        case FhirCode.TOO_LARGE:
            return say("the record is larger than {limit}", limit=size(limits.record_bytes))
        case DocumentCode.TOO_DEEP:
            return say("the record is nested more than {limit} levels deep", limit=limits.depth)
        case _:
            limit = limits.containers
            return say("the record holds more than {limit:,} arrays, objects or values", limit=limit)


def of_begun(code: ProblemCode, line: int, limits: Limits, *, too_deep: bool) -> Said:
    """Return what to say of a record, begun on `line`, that passes the limit before its end is known."""
    if too_deep:
        return say(
            "the record that begins on line {line:,} is nested too deeply; what follows was not read",
            line=line,
        )
    match code:
        case FhirCode.TOO_LARGE:
            return say(
                "the record that begins on line {line:,} is larger than {limit}; what follows was not read",
                line=line,
                limit=size(limits.record_bytes),
            )
        case DocumentCode.TOO_DEEP:
            return say(
                "the record that begins on line {line:,} is nested more than {limit} levels deep; "
                "what follows was not read",
                line=line,
                limit=limits.depth,
            )
        case _:
            return say(
                "the record that begins on line {line:,} holds more than {limit:,} arrays, objects or "
                "values; what follows was not read",
                line=line,
                limit=limits.containers,
            )
