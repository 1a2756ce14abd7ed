"""The file that the `wardboard` command is given."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from scoring.cli.references import USAGE, Failure
from scoring.fhir_agentbench.reading.submission import LIMITS
from scoring.reading.limits import MIB
from scoring.reading.problems import quote

# As much as shows that a file is too large for the benchmark that takes the largest.
_MOST = LIMITS.body_bytes + 1


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Give the file called `name`, or standard input for -, seekable and at its start. Raises Failure."""
    with ExitStack() as stack:
        try:
            source = sys.stdin.buffer if name == "-" else stack.enter_context(open(name, "rb"))
            file = source
            # Standard input may be a file that somebody else has read of.
            if name == "-" or not source.seekable():
                file = stack.enter_context(tempfile.TemporaryFile())
                _copy(source, file)
        except (OSError, ValueError) as error:
            # ValueError: a name with a NUL character.
            why = getattr(error, "strerror", error)
            raise Failure(USAGE, f"cannot read {quote(name)}: {why}") from None
        yield file


def _copy(source: BinaryIO, target: BinaryIO) -> None:
    left = _MOST
    while left and (piece := source.read(min(left, MIB))):
        left -= target.write(piece)
    target.seek(0)
