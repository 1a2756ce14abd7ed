"""The demonstrations: their files, their right answers and their mistakes."""

import json

import pytest

from tests.support.factories import demo_references, fhir_references
from tests.support.scoring.files import kept_records
from tests.support.shared_data import FHIR_AGENTBENCH, MEDAGENTBENCH, needs_shared
from tools.demo.fhir_agentbench import build as fhir_build
from tools.demo.fhir_agentbench import mistakes as fhir_mistakes
from tools.demo.fhir_agentbench import submissions
from tools.demo.medagentbench import build, mistakes
from wardboard.scoring.fhir_agentbench import demo as fhir
from wardboard.scoring.fhir_agentbench import read_questions
from wardboard.scoring.fhir_agentbench.benchmark import FhirAgentBench
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.medagentbench import demo
from wardboard.scoring.medagentbench.benchmark import score
from wardboard.scoring.medagentbench.reading.submission import read_submission

ALWAYS_WRONG = {
    submissions.wrong_answer,
    submissions.agent_error,
    submissions.token_limit,
    submissions.number_answer,
    submissions.list_answer,
    submissions.wrong_unit,
    submissions.missing_record,
}
# Right where there is no answer.
NON_ANSWERS = {submissions.null_answer, submissions.no_records_found}


@pytest.mark.parametrize(("module", "folder"), [(build, demo.FOLDER), (fhir_build, fhir.FOLDER)])
def test_the_files_are_what_the_code_writes_byte_for_byte(module, folder, tmp_path):
    module.write(tmp_path)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    data = {path for path in folder.iterdir() if path.suffix in (".csv", ".json", ".jsonl", ".ndjson")}
    assert set(written) == {path.name for path in data}
    for path in data:
        assert path.read_bytes() == written[path.name], f"{path} differs: run the build module again"


def test_an_example_of_tasks_is_wrong_exactly_where_a_mistake_was_made():
    references = demo_references()
    for file, made, right in [
        (demo.PERFECT, {}, 50),
        (demo.GOOD, mistakes.GOOD, 47),
        (demo.MIDDLING, mistakes.MIDDLING, 30),
        (demo.RUNS, mistakes.GOOD, 47),
    ]:
        reading = read_submission(file.read_bytes(), task_ids=list(references), version=demo.VERSION)
        card = score(reading.records, references)
        assert {task for task, verdict in card.verdicts.items() if not verdict.correct} == set(made), file
        assert (card.overall.right, card.overall.total) == (right, 50), file
        assert file not in (demo.GOOD, demo.RUNS) or reading.warnings.listed == []


def wrong_questions(made):
    """Return the ids of the questions that the mistakes `made` make wrong."""
    wrong = set()
    for place, (task_id, reference) in enumerate(fhir_references().items()):
        used = set(made.get(place, ()))
        if used & ALWAYS_WRONG or (used & NON_ANSWERS and reference.true_ids):
            wrong.add(task_id)
    return wrong


def test_an_example_of_questions_is_wrong_exactly_where_a_mistake_was_made():
    benchmark, references = FhirAgentBench(), fhir_references()
    for path, made, right in [(fhir.GOOD, fhir_mistakes.GOOD, 48), (fhir.NOISY, fhir_mistakes.NOISY, 27)]:
        records = kept_records(benchmark, path.read_bytes(), task_ids=list(references), version="demo")
        card = benchmark.score(records, references, judge=RulesJudge(is_last=True))
        wrong = {task_id for task_id, verdict in card.verdicts.items() if not verdict.correct}
        assert wrong == wrong_questions(made)
        assert (card.overall.right, card.overall.total) == (right, 60)


@needs_shared
def test_the_demos_contain_no_patient_and_no_question_of_the_published_benchmarks():
    tasks = json.loads(demo.TASKS.read_bytes())
    names = ("test_data_v1", "test_data_v2", "train_tasks", "synthetic/tasks")
    of_paper = [task for name in names for task in json.loads((MEDAGENTBENCH / f"{name}.json").read_bytes())]
    assert {t["instruction"] for t in tasks}.isdisjoint(t["instruction"] for t in of_paper)
    assert {t.get("eval_MRN") for t in tasks} & {t.get("eval_MRN") for t in of_paper} == {None}
    published = read_questions(FHIR_AGENTBENCH / "reference_dev.csv", allow_missing_ids=True)
    assert len(published) == 668
    assert not fhir_references().keys() & published.keys()
    for key in ("question", "patient_fhir_id"):
        ours, theirs = ({getattr(r, key) for r in of.values()} for of in (fhir_references(), published))
        assert not ours & theirs
