"""The official evaluator's prompts are read from its own program, which is not run."""

import pytest

from tests.support.paths import ROOT
from tests.support.scoring import official_evaluator
from wardboard.scoring.fhir_agentbench.judge.official.evaluator import EvaluatorInvalid, fill, read_evaluator

STAND_IN = ROOT / "tests/support/scoring/official_evaluator.py"
FIELDS = {"question": "Q {answer}?", "ref_answer": "[[‘é’]]", "answer": "two\n  lines {question} "}


def test_the_prompts_are_those_that_python_makes_of_the_program(monkeypatch):
    prompts = []

    def call_model(model, prompt):
        prompts.append(prompt)
        return "1"

    monkeypatch.setattr(official_evaluator, "call_model", call_model, raising=False)
    official_evaluator.check_answer_correctness_with_llm(**FIELDS)
    fields = {name: FIELDS[name] for name in ("question", "answer")}
    official_evaluator.normalize_null_answers_with_llm(**fields)
    evaluator = read_evaluator(STAND_IN)
    assert [fill(evaluator.judge, FIELDS), fill(evaluator.normalise, fields)] == prompts


def test_another_word_is_another_digest(tmp_path):
    copy = tmp_path / "evaluation_metrics.py"
    copy.write_text(STAND_IN.read_text())
    before = read_evaluator(copy)
    assert before.digest == read_evaluator(STAND_IN).digest
    copy.write_text(STAND_IN.read_text().replace("Compare two", "Weigh two"))
    assert read_evaluator(copy).digest != before.digest


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("def normalize_null", "def normalise_null", "has no function normalize_null_answers_with_llm"),
        ("- True: {ref_answer}", "- True: it", "other fields than answer, question, ref_answer"),
        ("{ref_answer}", "{ref_answer!r}", "more than texts and plain fields"),
        ('prompt = f"""Compare', 'prompt = """Compare', "does not build its prompt from one f-string"),
        ("def call_model", "def call model", "not a Python program"),
    ],
)
def test_a_program_that_is_not_the_evaluator_is_refused_with_the_reason(tmp_path, old, new, why):
    copy = tmp_path / "other.py"
    copy.write_text(STAND_IN.read_text().replace(old, new, 1))
    with pytest.raises(EvaluatorInvalid, match=why):
        read_evaluator(copy)
