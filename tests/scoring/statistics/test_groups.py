"""What a benchmark provides for statistics: the groups of its tasks, and figures per task."""

from collections import Counter

import pytest

from tests.support.scoring.judges import ExactJudge
from wardboard.scoring.fhir_agentbench import FhirReference as Question
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord
from wardboard.scoring.medagentbench import Reference as Task
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids
from wardboard.scoring.registry import BENCHMARKS, get

TRUE_IDS = {
    "a": {"Observation": ("o1", "o2")},
    "b": {"Observation": tuple(f"o{n}" for n in range(150))},
    "c": {"Medication": ("m",), "MedicationRequest": ("r",)},
    "d": {},
    "e": {"Device": ("d",)},
    "f": None,
    "g": {"Patient": ("p",)},
}
REFERENCES = {
    "medagentbench": {task_id: Task(task_id=task_id) for task_id in published_task_ids("v2")},
    "fhir-agentbench": {
        task_id: Question(task_id=task_id, question="Q?", true_answer="[[1]]", true_ids=ids)
        for task_id, ids in TRUE_IDS.items()
    },
}
RECORDS = [
    AnswerRecord(task_id="a", answer="[[1]]", resources={"Observation": ["o1", "o2", "x"]}),
    AnswerRecord(task_id="b", answer="[[1]]", resources={"Observation": ["o1"]}),
    AnswerRecord(task_id="f", answer="[[1]]", resources={"Observation": ["o1"]}),
    AnswerRecord(task_id="g", answer="[[1]]", resources={"Observation": ["o1"]}),
]


def card_of(slug):
    records = RECORDS if slug == "fhir-agentbench" else []
    return get(slug).score(records, REFERENCES[slug], judge=ExactJudge())


@pytest.mark.parametrize("slug", BENCHMARKS)
def test_the_groups_have_the_sizes_that_scoring_gives_and_every_task_a_stratum(slug):
    benchmark, references = get(slug), REFERENCES[slug]
    groups = benchmark.groups(references)
    assert list(groups) == [breakdown.key for breakdown in benchmark.breakdowns if breakdown.fixed]
    for key, rates in card_of(slug).breakdowns.items():
        if key in groups:
            sizes = Counter(groups[key].values())
            assert {group: sizes.pop(group, 0) for group in rates} == {
                group: rate.total for group, rate in rates.items()
            }
            assert not sizes
    assert list(groups[benchmark.strata]) == list(references)


def test_figures_of_each_question_whose_means_are_the_board_s():
    card = card_of("fhir-agentbench")
    figures = get("fhir-agentbench").figures(card.details, len(TRUE_IDS))
    assert list(figures) == ["precision", "recall"]
    assert figures["precision"][0] == pytest.approx(2 / 3)
    assert figures["recall"][:2] == [1, 0]
    assert figures["precision"][5] is None
    for key, values in figures.items():
        known = [value for value in values if value is not None]
        assert sum(known) / len(known) == pytest.approx(card.metrics[key])
        assert len(values) == len(TRUE_IDS)


@pytest.mark.parametrize("slug", BENCHMARKS)
def test_without_details_there_are_no_figures_and_those_that_do_not_fit_are_refused(slug):
    assert get(slug).figures(b"", 7) == {}
    with pytest.raises(ValueError, match="figures"):
        get(slug).figures(b"\x00", 7)
    with pytest.raises(ValueError, match="not figures of 8 tasks"):
        get("fhir-agentbench").figures(card_of("fhir-agentbench").details, 8)
