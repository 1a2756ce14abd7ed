"""Read and check the records of Every Eval Ever in an archive."""

import io
import json
import zipfile
from typing import Any

import jsonschema

from tests.support.paths import ROOT

_SCHEMA = json.loads((ROOT / "tests" / "support" / "every_eval_ever" / "eval.schema.json").read_text())
_VALIDATOR = jsonschema.Draft7Validator(_SCHEMA)


def read_archive(content: bytes) -> dict[str, dict[str, Any]]:
    """Return the path and the record of each file of an archive, and check each against the schema."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        records = {name: json.loads(archive.read(name)) for name in archive.namelist()}
    for record in records.values():
        assert record["schema_version"] == _SCHEMA["version"]
        _VALIDATOR.validate(record)
    return records
