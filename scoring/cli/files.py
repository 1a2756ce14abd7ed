"""Opening the file that the `wardboard` command is given."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from scoring import registry
from scoring.family_cli import USAGE, Failure
from scoring.reading.limits import MIB
from scoring.reading.problems import quote


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open the file called `name`, or standard input for -, seekable. Raises Failure."""
    with ExitStack() as stack:
        try:
            source = sys.stdin.buffer if name == "-" else stack.enter_context(open(name, "rb"))
            file = source
            # Standard input may be a file that another process has read from.
            if name == "-" or not source.seekable():
                file = stack.enter_context(tempfile.TemporaryFile())
                _copy(source, file)
        except (OSError, ValueError) as error:
            # ValueError: a name with a NUL character.
            why = getattr(error, "strerror", error)
            raise Failure(USAGE, f"cannot read {quote(name)}: {why}") from None
        yield file


def _copy(source: BinaryIO, target: BinaryIO) -> None:
    # As much as shows that a file is too large for the family that takes the largest.
    left = max(family.limits.body_bytes for family in registry.FAMILIES.values()) + 1
    while left and (piece := source.read(min(left, MIB))):
        left -= target.write(piece)
    target.seek(0)
