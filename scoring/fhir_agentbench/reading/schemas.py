"""The JSON Schema of what is submitted to FHIR-AgentBench.

The reader checks records by hand, since a file can have gigabytes of them; that both say the same of a
record is tested.
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
