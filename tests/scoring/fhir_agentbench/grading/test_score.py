"""Scoring: the order of the official evaluator, the aggregates, groups and clusters, and stopping."""

from dataclasses import replace

import pytest

from tests.support.scoring.fhir_questions import reference, scored
from tests.support.scoring.judges import ExactJudge
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.grading.breakdowns import PUBLISHED_SIZES
from wardboard.scoring.fhir_agentbench.grading.clusters import CLUSTERS, cluster_labels
from wardboard.scoring.fhir_agentbench.grading.figures import unpack
from wardboard.scoring.fhir_agentbench.grading.reasons import FhirReason
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord, Usage
from wardboard.scoring.verdicts import Rate

PATIENT, NO_TYPES, NO_IDS = reference("a"), reference("a", {}), reference("a", {"Patient": ()})
UNKNOWN = FhirReference(task_id="a", question="Q?", true_answer="[]")
LIMIT = "Error: Input tokens exceeded the limit"


def test_a_verdict_follows_from_the_first_of_file_and_judge_that_decides():
    right, wrong, error = FhirReason.RIGHT_BY_RULES, FhirReason.WRONG_BY_RULES, FhirReason.WRONG_ERROR
    null, limit, no_text = FhirReason.WRONG_NULL, FhirReason.WRONG_TOKEN_LIMIT, FhirReason.WRONG_NOT_TEXT
    # A question, an answer, the reason for its verdict, and what the judge is asked.
    for question, answer, reason, asked in [
        (PATIENT, "[[1]]", right, "[[1]]"),
        (PATIENT, "two", wrong, "two"),
        # Without true types the reference is `no answer`, whatever the CSV says; a type without ids is one.
        (NO_TYPES, "no records", right, "no records"),
        (NO_TYPES, "[[1]]", wrong, "[[1]]"),
        (NO_IDS, "[[1]]", right, "[[1]]"),
        (UNKNOWN, "[]", right, "[]"),
        # Null is right where there is no answer.
        (NO_TYPES, None, FhirReason.RIGHT_NO_ANSWER, None),
        *((question, None, null, None) for question in (PATIENT, NO_IDS, UNKNOWN)),
        *(
            (question, answer, limit, None)
            for question in (PATIENT, NO_TYPES)
            for answer in (LIMIT, ["Input tokens exceeded"], {"Input tokens exceeded": 1})
        ),
        # Numbers and lists of several are wrong, though such a list may be a non-answer.
        *((PATIENT, answer, no_text, None) for answer in (1, 1.5, True, ["a", "b"])),
        (NO_TYPES, 0, no_text, None),
        (NO_TYPES, ["no records", "none"], wrong, "['no records', 'none']"),
        # The judge sees an object or a list of one as Python prints it.
        (PATIENT, [1], wrong, "[1]"),
        (PATIENT, ["x"], wrong, "['x']"),
        (PATIENT, [], wrong, "[]"),
        (PATIENT, {"a": None}, wrong, "{'a': None}"),
        (PATIENT, "", wrong, ""),
        (PATIENT, " 1 ", wrong, " 1 "),
    ]:
        judge = ExactJudge()
        card = scored(AnswerRecord(task_id="a", answer=answer), references=[question], judge=judge)
        assert card.verdicts["a"].reason is reason, (question.true_ids, answer)
        assert [case.agent_answer for case in judge.cases] == ([] if asked is None else [asked])
        assert all(case.true_answer == question.expected_answer for case in judge.cases)
        failed = scored(AnswerRecord(task_id="a", answer=answer, failed=True), references=[question])
        assert failed.verdicts["a"].reason is error, answer


def test_a_suspect_answer_is_wrong_and_named():
    card = scored(AnswerRecord(task_id="a", answer="dear judge"), AnswerRecord(task_id="b", answer="[[1]]"))
    assert card.verdicts["a"].reason is FhirReason.WRONG_SUSPECT
    assert card.suspects == ("a",)


def test_an_undecided_answer_is_not_wrong_and_is_counted_by_its_reason():
    card = scored(AnswerRecord(task_id="a", answer="?"), AnswerRecord(task_id="b", answer="[[1]]"))
    assert card.verdicts["a"].correct is None
    assert card.verdicts["a"].reason is FhirReason.UNDECIDED
    assert card.undecided == {"unsure": 1}
    assert scored(AnswerRecord(task_id="b", answer="[[1]]")).undecided == {}


class LeavesOpen(ExactJudge):
    """Leave answers that begin with a question mark open for good, as rules without a model do."""

    def decide(self, case):
        verdict = super().decide(case)
        return replace(verdict, left_open=verdict.correct is None)


def test_an_answer_left_open_for_good_is_part_of_a_final_result_as_a_range():
    card = scored(
        AnswerRecord(task_id="a", answer="?"), AnswerRecord(task_id="b", answer="[[1]]"), judge=LeavesOpen()
    )
    assert card.verdicts["a"].correct is None
    assert card.verdicts["a"].reason is FhirReason.LEFT_OPEN
    assert card.undecided == {}
    total, right = card.overall.total, card.overall.right
    assert card.metrics["left_open"] == 1 / total
    assert card.metrics["answer_correctness"] == right / total
    assert card.metrics["answer_correctness_upper"] == (right + 1) / total


def test_a_missing_question_is_wrong_and_in_no_mean_of_retrieval_also_where_there_is_no_answer():
    wrong_ids = AnswerRecord(task_id="a", answer="[[1]]", resources={"Patient": ["x"]})
    card = scored(wrong_ids, references=[reference("a"), reference("b", {}), reference("c", {})])
    assert [v.reason for v in card.verdicts.values()][1:] == [FhirReason.MISSING] * 2
    assert card.overall == Rate(right=1, total=3)
    for key in ("precision", "recall", "precision_all_types", "recall_fraction"):
        assert (card.metrics[key], card.metrics[f"{key}_share"]) == (0.0, 1 / 3), key
    assert unpack(card.details, 3) == {key: [0.0, None, None] for key in ("precision", "recall")}


def test_precision_and_recall_are_means_over_different_questions_of_which_the_shares_are_metrics():
    records = [
        AnswerRecord(task_id="a", answer="[[1]]", resources={"Patient": ["p", "q"]}),
        AnswerRecord(task_id="b", answer="x", resources={"Observation": ["p"]}),
    ]
    card = scored(*records, references=[reference("a"), reference("b")])
    assert [card.metrics[key] for key in ("precision", "recall", "f1")] == [0.5] * 3
    assert (card.metrics["precision_all_types"], card.metrics["recall_fraction"]) == (0.25, 0.5)
    # Nothing of a needed type is retrieved for b, and nothing at all for c.
    card = scored(*records, references=[reference("a"), reference("b"), reference("c")])
    assert [card.metrics[key] for key in ("precision_share", "precision_all_types_share")] == [1 / 3, 2 / 3]


def test_usage_is_the_mean_of_the_records_that_state_it():
    card = scored(
        AnswerRecord(task_id="a", usage=Usage(total_tokens=100, cost=0.5)),
        AnswerRecord(task_id="b", usage=Usage(prompt_tokens=200, completion_tokens=100)),
        AnswerRecord(task_id="c", usage=Usage(prompt_tokens=7)),
        AnswerRecord(task_id="d"),
    )
    assert card.metrics["tokens_per_question"] == 200
    assert card.metrics["cost_per_question"] == 0.5
    assert card.metrics["tokens_share"] == 2 / len(card.verdicts)
    nothing = scored(AnswerRecord(task_id="a")).metrics
    assert (nothing["tokens_per_question"], nothing["cost_per_question"]) == (None, None)
    # A gateway that counts nothing states 0 for every question.
    zeros = scored(*(AnswerRecord(task_id=task, usage=Usage(cost=0.0)) for task in "ab")).metrics
    assert (zeros["cost_per_question"], zeros["cost_share"]) == (None, 0)
    assert (nothing["precision"], nothing["recall"], nothing["f1"]) == (None, 0.0, 0.0)
    assert nothing.keys() == {metric.key for metric in registry.get("fhir-agentbench").metrics}


def test_details_give_back_the_figures_of_each_question_and_other_bytes_none():
    card = scored(
        AnswerRecord(task_id="a", resources={"Patient": ["p", "q"]}),
        AnswerRecord(task_id="b", resources={"Patient": ["x"]}),
        references=[reference("a"), reference("b", {"Patient": ()}), replace(UNKNOWN, task_id="d")],
    )
    assert unpack(card.details, 3) == {"precision": [0.5, 0.0, None], "recall": [1, None, None]}
    for other in [b"", b"x", b"\x78\x9c\x03\x00\x00\x00\x00\x01"]:
        with pytest.raises(ValueError, match="packed"):
            unpack(other, 3)


def many(number):
    records = [AnswerRecord(task_id=str(n), answer="[[1]]" if n % 2 else None) for n in range(number)]
    return records, [reference(str(n)) for n in range(number)]


def test_a_run_stopped_while_reading_leaves_the_rest_undecided_and_nothing_missing():
    records, references = many(250)
    judge = ExactJudge()
    card = scored(*records, references=references, judge=judge, watch=lambda progress: progress.read < 200)
    # Null answers that were read are decided; answers that wait for a judge, or were not read, are not.
    assert card.undecided == {"stopped": 150}
    assert sum(v.correct is None for v in card.verdicts.values()) == 150
    assert judge.cases == []


def test_the_null_agent_is_right_where_there_is_no_answer():
    """Compare with the figures that follow from the published sizes of the groups."""
    benchmark = registry.get("fhir-agentbench")
    empty = PUBLISHED_SIZES["empty"]
    references = {str(n): reference(str(n), {} if n < empty else None) for n in range(2931)}
    card = benchmark.score(benchmark.baselines[0].records(list(references)), references, judge=ExactJudge())
    assert card.overall == Rate(right=701, total=2931)
    metrics = {
        key: round(card.metrics[key], 3) for key in ("answer_correctness", "precision", "recall", "f1")
    }
    assert metrics == {"answer_correctness": 0.239, "precision": 1.0, "recall": 0.239, "f1": 0.386}
    assert not benchmark.are_published("1", references), "as many, and of other types"
    unknown = {key: replace(each, true_ids=None) for key, each in references.items()}
    assert benchmark.are_published("1", unknown)


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


def labels(*stated):
    questions = {
        str(number): replace(reference(str(number)), patient_fhir_id=patient, template=template)
        for number, (patient, template) in enumerate(stated)
    }
    return cluster_labels(questions)


def test_questions_are_clustered_by_what_they_state_of_patient_and_template():
    found = labels(("p1", "age"), ("p2", "age"), ("p1", "sex "))
    assert found == {
        "patients": {"0": "p1", "1": "p2", "2": "p1"},
        "templates": {"0": "age", "1": "age", "2": "sex"},
    }
    assert list(found) == [clusters.key for clusters in CLUSTERS]
    assert labels(("p1", None), (None, " ")) == {"patients": {"0": "p1"}}
