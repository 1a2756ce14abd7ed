"""The examples of the guides of the benchmarks pass the check."""

import re
from io import BytesIO

import pytest

from leaderboard.web.docs.library import guide_of
from wardboard.scoring import registry
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids

TASKS = {
    "medagentbench": ("v2", published_task_ids("v2")),
    "fhir-agentbench": ("1", [f"00c0ffee00c0ffee00c0ff{n:02}" for n in range(1, 4)]),
}


@pytest.mark.parametrize("benchmark", TASKS)
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
    shown = re.findall(r"```json\n(.+?)```", guide.paths["en"].read_text(), re.DOTALL)
    examples = [path.read_text() for path in guide.files.values()]
    assert shown
    if benchmark == "medagentbench":
        assert shown[0] in examples
