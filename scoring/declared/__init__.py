"""A benchmark that an organiser declares in one file of YAML or JSON: no code of theirs runs.

docs/declared.md explains the file; `schema/declaration-1.json` is its JSON Schema.
"""

from wardboard.scoring.declared.declared import Declared

__all__ = ["Declared"]
