"""The demonstration: its files, its right answers and its mistakes."""

from io import BytesIO

import pytest

from tests.support.shared_data import FHIR_AGENTBENCH, needs_shared
from tools.demo.fhir_agentbench import mistakes, submissions
from tools.demo.fhir_agentbench.build import write
from wardboard.scoring.fhir_agentbench import read_questions
from wardboard.scoring.fhir_agentbench.benchmark import FhirAgentBench
from wardboard.scoring.fhir_agentbench.demo import FOLDER, GOOD, MALFORMED, NOISY, QUESTIONS
from wardboard.scoring.fhir_agentbench.judge import RulesJudge

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


@pytest.fixture(scope="module")
def references():
    return read_questions(QUESTIONS)


def wrong_questions(mistakes_made, references):
    """Return the ids of the questions that `mistakes_made` make wrong."""
    wrong = set()
    for place, (task_id, reference) in enumerate(references.items()):
        used = set(mistakes_made.get(place, ()))
        if used & ALWAYS_WRONG or (used & NON_ANSWERS and reference.true_ids):
            wrong.add(task_id)
    return wrong


def test_the_files_are_what_the_code_writes_byte_for_byte(tmp_path):
    write(tmp_path)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(written) == sorted(path.name for path in (QUESTIONS, GOOD, NOISY, MALFORMED))
    for name, data in written.items():
        assert data == (FOLDER / name).read_bytes(), f"{name} differs: run the build module again"


def test_an_example_is_wrong_exactly_where_a_mistake_was_made(references):
    for path, made, right in [(GOOD, mistakes.GOOD, 48), (NOISY, mistakes.NOISY, 27)]:
        benchmark, kept = FhirAgentBench(), BytesIO()
        with path.open("rb") as file:
            options = {"version": "demo", "limits": benchmark.limits, "keep": kept}
            benchmark.read(file, task_ids=list(references), **options)
        kept.seek(0)
        card = benchmark.score(benchmark.records(kept), references, judge=RulesJudge(is_last=True))
        wrong = {task_id for task_id, verdict in card.verdicts.items() if not verdict.correct}
        assert wrong == wrong_questions(made, references)
        assert (card.overall.right, card.overall.total) == (right, 60)


@needs_shared
def test_the_demo_contains_nothing_of_the_published_benchmark(references):
    published = read_questions(FHIR_AGENTBENCH / "reference_dev.csv", allow_missing_ids=True)
    assert len(published) == 668
    assert not references.keys() & published.keys()
    for key in ("question", "patient_fhir_id"):
        assert not {getattr(r, key) for r in references.values()} & {
            getattr(r, key) for r in published.values()
        }
