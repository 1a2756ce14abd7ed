"""The last line of a log, which a crash of its harness may have cut off."""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt, Row
from wardboard.scoring.reading.formats.codes import FormatCode

# Yields the attempts of the rows of a log.
Read = Callable[[Iterable[Row]], Iterator[Attempt]]


def without_torn_line(read: Read) -> Read:
    """Return `read` for rows that raise Unreadable at a line that is cut off: it is left out.

    The last attempt then has a note that such a line follows it.
    """

    def read_whole(rows: Iterable[Row]) -> Iterator[Attempt]:
        torn: list[Unreadable] = []

        def whole() -> Iterator[Row]:
            try:
                yield from rows
            except Unreadable as error:
                if error.problem.code != DocumentCode.TRUNCATED:
                    raise
                torn.append(error)

        held = None
        for attempt in read(whole()):
            if held:
                yield held
            held = attempt
        if held:
            yield msgspec.structs.replace(held, notes=(*held.notes, FormatCode.LINE_TORN)) if torn else held

    return read_whole
