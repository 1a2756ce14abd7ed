"""Benchmarks that organisers declare in a file, without code: each text is kept, as it grades results."""

from functools import lru_cache

from django.db import models

from leaderboard.models.boards import DECLARED
from leaderboard.models.immutable import Immutable
from leaderboard.models.teams import User
from wardboard.scoring import registry
from wardboard.scoring.declared import DeclarationInvalid, Declared, read_declaration


class DeclaredBenchmark(Immutable):
    """A declaration as it was imported. A changed one of the same slug is another row.

    `Board.benchmark` is the key of the newest one, so no process that reads the board grades by an older one.

    - key: its slug and the first digits of its digest; `registry.get` takes it
    - text: the file as it was given
    """

    key = models.CharField(max_length=60, unique=True)
    text = models.BinaryField()
    imported_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key


@lru_cache(maxsize=256)
def _load(key: str) -> Declared:
    # A text of a key never changes.
    text = DeclaredBenchmark.objects.values_list("text", flat=True).get(key=key)
    return Declared(read_declaration(bytes(text)))


def find_declared(key: str) -> Declared | None:
    """Return the benchmark of a key; None where none has it, or this release does not understand it."""
    try:
        return _load(key) if DECLARED in key else None
    except (DeclaredBenchmark.DoesNotExist, DeclarationInvalid):
        return None


registry.look_up_declared(find_declared)
