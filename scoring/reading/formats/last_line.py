"""The last line of a log, which a crash of its harness may have cut off."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.formats.attempts import Attempt, Row
from wardboard.scoring.reading.formats.codes import FormatCode


@dataclass(slots=True, kw_only=True)
class LastLine:
    """may_be_torn: whether the harness leaves such a line. is_torn: whether it did; known at the end."""

    may_be_torn: bool = False
    is_torn: bool = False

    def is_it(self, error: Unreadable) -> bool:
        """Return whether `error` is that of a torn line, which is then left out. Call it at the last line."""
        self.is_torn = self.may_be_torn and error.problem.code == DocumentCode.TRUNCATED
        return self.is_torn

    def left_out(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield `rows`, which raise Unreadable at a line that is cut off, without a torn last line."""
        try:
            yield from rows
        except Unreadable as error:
            if not self.is_it(error):
                raise

    def noted(self, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
        """Yield `attempts`, the last of them with a note if a torn line follows it."""
        held = None
        for attempt in attempts:
            if held:
                yield held
            held = attempt
        if held:
            torn = (FormatCode.LINE_TORN,) if self.is_torn else ()
            yield msgspec.structs.replace(held, notes=(*held.notes, *torn))
