"""The guides of the benchmarks: fields as in the schemas, examples that pass the check, codes that exist."""

import re
from io import BytesIO
from typing import Any

import pytest

from leaderboard.web.docs.library import guide_of
from tests.support.paths import ROOT
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.limits import MIB

BENCHMARKS = ("medagentbench", "fhir-agentbench")
TASKS = {
    "medagentbench": ("v2", published_task_ids("v2")),
    "fhir-agentbench": ("1", [f"00c0ffee00c0ffee00c0ff{n:02}" for n in range(1, 4)]),
}


def guide_text(benchmark: str) -> str:
    guide = guide_of(benchmark)
    assert guide is not None
    return guide.paths["en"].read_text()


def properties(schema: dict[str, Any], prefix: str = "") -> dict[str, bool]:
    """Return path of each field that is read -> whether it is required."""
    fields: dict[str, bool] = {}
    if "items" in schema and "properties" not in schema:
        return properties(schema["items"], f"{prefix}[]" if prefix else "")
    for name, field in schema.get("properties", {}).items():
        if "Not read" not in field.get("description", ""):
            path = f"{prefix}.{name}" if prefix else name
            fields[path] = name in schema.get("required", ())
            fields |= properties(field, path)
    return fields


def table_of(text: str, heading: str) -> dict[str, bool]:
    section = re.search(rf"^## {heading}$(.+?)(?=^## |\Z)", text, re.M | re.S)[1]
    return {
        path: required == "yes"
        for path, required in re.findall(r"^\| `([^`]+)` \| (yes|no) \|", section, re.M)
    }


@pytest.mark.parametrize(
    ("benchmark", "schema", "heading"),
    [
        ("medagentbench", "result-file-1.0", "Fields of the result file"),
        ("medagentbench", "run-line-1.0", "Fields of runs.jsonl"),
        ("fhir-agentbench", "result-1.0", "Fields"),
    ],
)
def test_the_table_of_fields_is_that_of_the_json_schema(benchmark, schema, heading):
    documented = table_of(guide_text(benchmark), heading)
    # The trace of FHIR-AgentBench is never graded, but readers look for it.
    documented.pop("trace", None)
    assert documented == properties(dict(registry.get(benchmark).schemas()[schema]))


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_examples_pass_the_check_and_the_text_shows_one_of_them(benchmark):
    guide, board = guide_of(benchmark), registry.get(benchmark)
    version, task_ids = TASKS[benchmark]
    assert guide.files
    for path in guide.files.values():
        reading = board.read(
            BytesIO(path.read_bytes()), task_ids=task_ids, version=version, limits=board.limits
        )
        assert reading.count >= 2
        codes = {str(warning.code) for warning in reading.warnings.listed}
        assert codes <= {"tasks.missing", "questions.missing", "answer.null"}, path
    shown = re.findall(r"```json\n(.+?)```", guide_text(benchmark), re.DOTALL)
    examples = [path.read_text() for path in guide.files.values()]
    assert shown
    if benchmark == "medagentbench":
        assert shown[0] in examples


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_code_among_the_frequent_mistakes_exists(benchmark):
    section = re.search(r"^## Frequent mistakes$(.+?)(?=^## )", guide_text(benchmark), re.M | re.S)[1]
    named = re.findall(r"^\| `([a-z0-9.-]+)`", section, re.M)
    own = Code if benchmark == "medagentbench" else FhirCode
    assert len(named) > 8
    assert set(named) <= {str(code) for code in (*own, *DocumentCode)}


def test_the_limits_in_the_documents_are_those_of_the_code():
    text = (ROOT / "docs" / "submitters.md").read_text()
    for benchmark, row in (("medagentbench", "MedAgentBench"), ("fhir-agentbench", "FHIR-AgentBench")):
        limits = registry.get(benchmark).limits
        printed = re.search(rf"^\| {row} \|.*\| (.+?) \|$", text, re.M)[1]
        expected = f"{_size(limits.body_bytes)}, {_size(limits.unpacked_bytes)} unpacked"
        if benchmark == "medagentbench":
            expected = (
                f"{_size(limits.document_bytes)}, {_size(limits.unpacked_bytes)} unpacked; "
                f"a log of inspect_ai {_size(limits.body_bytes)}, {_size(limits.log_bytes)} unpacked"
            )
        assert printed == expected


def _size(number: int) -> str:
    return f"{number // (1024 * MIB)} GiB" if number >= 1024 * MIB else f"{number // MIB} MiB"
