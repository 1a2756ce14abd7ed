"""Messages about records that exceed a limit."""

from wardboard.scoring.reading.codes import DocumentCode, ProblemCode
from wardboard.scoring.reading.limits import Limits, size
from wardboard.scoring.reading.messages import Phrase, phrase


def whole_record_message(code: ProblemCode, limits: Limits) -> Phrase:
    """Return the message about a complete record that exceeds the limit `code` stands for."""
    match code:
        case DocumentCode.RECORD_TOO_LARGE:
            return phrase("the record is larger than {limit}", limit=size(limits.record_bytes))
        case DocumentCode.TOO_DEEP:
            return phrase("the record is nested more than {limit} levels deep", limit=limits.depth)
        case _:
            limit = limits.containers
            return phrase("the record holds more than {limit:,} arrays, objects or values", limit=limit)


def unfinished_record_message(code: ProblemCode, line: int, limits: Limits, *, too_deep: bool) -> Phrase:
    """Return the message about a record that exceeds a limit before its end has been read.

    line: where the record begins. too_deep: it is nested more deeply than the interpreter can recurse.
    """
    if too_deep:
        return phrase(
            "the record that begins on line {line:,} is nested too deeply; the rest was not read",
            line=line,
        )
    match code:
        case DocumentCode.RECORD_TOO_LARGE:
            return phrase(
                "the record that begins on line {line:,} is larger than {limit}; the rest was not read",
                line=line,
                limit=size(limits.record_bytes),
            )
        case DocumentCode.TOO_DEEP:
            return phrase(
                "the record that begins on line {line:,} is nested more than {limit} levels deep; the rest "
                "was not read",
                line=line,
                limit=limits.depth,
            )
        case _:
            return phrase(
                "the record that begins on line {line:,} holds more than {limit:,} arrays, objects or "
                "values; the rest was not read",
                line=line,
                limit=limits.containers,
            )
