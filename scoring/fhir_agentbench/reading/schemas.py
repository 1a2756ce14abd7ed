"""The JSON Schema of FHIR-AgentBench submissions.

The reader checks records without it, because a file can hold gigabytes of them; a test compares both.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

RESULT = "result-1.0"

_FOLDER = Path(__file__).with_name("schema")


@cache
def schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return the released schemas (JSON Schema 2020-12) by name."""
    return MappingProxyType({RESULT: json.loads((_FOLDER / f"{RESULT}.json").read_bytes())})
