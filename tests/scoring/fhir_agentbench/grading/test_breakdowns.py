"""Groups of questions: by true types, by the number of true resources and by precision."""

from tests.support.scoring.fhir_questions import reference, scored
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord
from wardboard.scoring.verdicts import Rate


def test_questions_are_grouped_by_their_true_types_and_an_empty_unpublished_group_is_left_out():
    card = scored(
        AnswerRecord(task_id="a", answer="[[1]]", resources={"Patient": ["p"]}),
        AnswerRecord(task_id="b", answer="no records"),
        references=[
            reference("a"),
            reference("b", {}),
            reference("c", {"MedicationRequest": ("r",), "Medication": ("m",)}),
        ],
    )
    groups = card.breakdowns["resource_type"]
    assert "other" not in groups
    assert "unknown" not in groups
    assert groups["patient"] == Rate(right=1, total=1)
    assert groups["empty"] == Rate(right=1, total=1)
    assert groups["medication"] == Rate(right=0, total=1)
    assert groups["location"].rate is None
    figures = card.group_metrics["resource_type"]
    assert figures["patient"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    # No record, and so no figure.
    assert figures["medication"] == {"precision": None, "recall": None, "f1": None}
    assert figures["location"] == {"precision": None, "recall": None, "f1": None}
    rare = scored(AnswerRecord(task_id="a"), references=[reference("a", {"Specimen": ("s",)})])
    assert rare.breakdowns["resource_type"]["other"] == Rate(right=0, total=1)


def test_questions_are_grouped_by_the_number_of_their_true_resources():
    of_number = {0: "0", 1: "1", 2: "2-5", 5: "2-5", 6: "6-20", 20: "6-20", 21: "21-100", 101: "over-100"}
    for number, step in of_number.items():
        ids = {"Observation": tuple(map(str, range(number)))}
        card = scored(AnswerRecord(task_id="a"), references=[reference("a", ids)])
        assert {key for key, rate in card.breakdowns["true_resources"].items() if rate.total} == {step}


def test_questions_with_full_recall_are_grouped_by_precision():
    # Of one of two, 0.5; of one of five, 0.2, where a bucket begins.
    for more, bucket in [(0, "1"), (1, "0.4"), (2, "0.2"), (4, "0.2"), (5, "0"), (99, "0")]:
        record = AnswerRecord(
            task_id="a", answer="[[1]]", resources={"Patient": ["p", *map(str, range(more))]}
        )
        buckets = scored(record).breakdowns["precision_bucket"]
        assert {key: rate for key, rate in buckets.items() if rate.total} == {bucket: Rate(right=1, total=1)}
