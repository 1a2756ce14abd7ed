"""A file of the storage, as listings describe it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of the storage. size: in bytes. modified: when it was last written or moved."""

    name: str
    size: int
    modified: datetime
