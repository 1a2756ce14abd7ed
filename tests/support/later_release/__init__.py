"""The migrations of a later release: those of this one, and one that this release cannot work with."""

from leaderboard import migrations

# Modules are looked for in both folders.
__path__ = [*__path__, *migrations.__path__]
