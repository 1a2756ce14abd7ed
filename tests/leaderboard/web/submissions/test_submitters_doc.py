"""The example and the codes in docs/submitters.md are right."""

import json
import re

from scoring.medagentbench.reading.codes import Code
from scoring.medagentbench.reading.submission import read_submission
from scoring.medagentbench.reading.tasks import published_task_ids
from scoring.reading.codes import DocumentCode
from scoring.reading.limits import Limits
from tests.support.paths import ROOT

DOC = (ROOT / "docs" / "submitters.md").read_text()


def test_the_example_is_a_valid_file_that_only_lacks_tasks():
    example = re.search(r"```json\n(.+?)```", DOC, re.DOTALL)[1]
    reading = read_submission(
        example.encode(), task_ids=published_task_ids("v2"), version="v2", limits=Limits()
    )
    assert len(reading.records) == len(json.loads(example)["results"]) == 3
    assert {warning.code for warning in reading.warnings.listed} == {"tasks.missing"}


def test_every_code_that_is_named_exists():
    section = DOC.split("## Frequent mistakes")[1].split("\n## ")[0]
    codes = re.findall(r"^\| `([a-z0-9.-]+)`", section, re.MULTILINE)
    assert len(codes) > 8
    assert set(codes) <= {str(code) for code in (*Code, *DocumentCode)}
