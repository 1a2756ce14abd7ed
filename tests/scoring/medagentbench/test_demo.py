"""The demonstration: its files, its right answers and its mistakes."""

import json

import pytest

from tests.support.factories import demo_references
from tests.support.shared_data import MEDAGENTBENCH as SHARED
from tests.support.shared_data import needs_shared
from tools.demo.medagentbench import mistakes
from tools.demo.medagentbench.build import VERSION, write
from wardboard.scoring.medagentbench.benchmark import score
from wardboard.scoring.medagentbench.demo import (
    FOLDER,
    GOOD,
    MALFORMED,
    MIDDLING,
    PERFECT,
    RECORDING,
    RUNS,
    TASKS,
)
from wardboard.scoring.medagentbench.reading.submission import read_submission


@pytest.fixture(scope="module")
def tasks():
    return json.loads(TASKS.read_bytes())


def test_the_files_are_what_the_code_writes_byte_for_byte(tmp_path):
    write(tmp_path)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    files = (TASKS, RECORDING, PERFECT, GOOD, MIDDLING, MALFORMED, RUNS)
    assert sorted(written) == sorted(path.name for path in files)
    for name, data in written.items():
        assert data == (FOLDER / name).read_bytes(), f"{name} differs: run the build module again"


def test_an_example_is_wrong_exactly_where_a_mistake_was_made(tasks):
    for file, made, right in [
        (PERFECT, {}, 50),
        (GOOD, mistakes.GOOD, 47),
        (MIDDLING, mistakes.MIDDLING, 30),
        (RUNS, mistakes.GOOD, 47),
    ]:
        task_ids = [task["id"] for task in tasks]
        reading = read_submission(file.read_bytes(), task_ids=task_ids, version=VERSION)
        card = score(reading.records, demo_references())
        assert {task for task, verdict in card.verdicts.items() if not verdict.correct} == set(made), file
        assert (card.overall.right, card.overall.total) == (right, 50), file
        assert file not in (GOOD, RUNS) or reading.warnings.listed == []


@needs_shared
def test_the_demo_contains_no_patient_of_the_published_benchmark(tasks):
    names = ("test_data_v1", "test_data_v2", "train_tasks", "synthetic/tasks")
    published = [task for name in names for task in json.loads((SHARED / f"{name}.json").read_bytes())]
    assert {t["instruction"] for t in tasks}.isdisjoint(t["instruction"] for t in published)
    assert {t.get("eval_MRN") for t in tasks} & {t.get("eval_MRN") for t in published} == {None}
