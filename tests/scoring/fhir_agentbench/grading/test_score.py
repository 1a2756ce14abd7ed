"""Scoring: the order of the official evaluator, the aggregates, and stopping."""

from dataclasses import replace
from io import BytesIO

import pytest

from tests.support.scoring.fhir_questions import reference, scored
from tests.support.scoring.judges import ExactJudge
from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.grading.breakdowns import PUBLISHED_SIZES
from wardboard.scoring.fhir_agentbench.grading.details import unpack
from wardboard.scoring.fhir_agentbench.grading.reasons import FhirReason
from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord, Usage, encode_record
from wardboard.scoring.reading.packed_lines import keeping
from wardboard.scoring.verdicts import Rate

LIMIT = "Error: Input tokens exceeded the limit"


def verdict(record, ref=None, judge=None):
    card = scored(record, references=[ref or reference(record.task_id)], judge=judge)
    return card.verdicts[record.task_id].reason, card.verdicts[record.task_id].correct


def test_the_judge_decides_on_what_nothing_else_decides():
    assert verdict(AnswerRecord(task_id="a", answer="[[1]]")) == (FhirReason.RIGHT_BY_RULES, True)
    assert verdict(AnswerRecord(task_id="a", answer="two")) == (FhirReason.WRONG_BY_RULES, False)


@pytest.mark.parametrize("by", ["llm", "cache"])
def test_a_cached_verdict_counts_as_the_llm_s(by):
    assert verdict(AnswerRecord(task_id="a", answer="[[1]]"), judge=ExactJudge(by)) == (
        FhirReason.RIGHT_BY_LLM,
        True,
    )
    assert verdict(AnswerRecord(task_id="a", answer="two"), judge=ExactJudge(by)) == (
        FhirReason.WRONG_BY_LLM,
        False,
    )


def test_an_error_is_wrong_whatever_the_answer():
    assert verdict(AnswerRecord(task_id="a", answer="[[1]]", failed=True)) == (FhirReason.WRONG_ERROR, False)
    empty = reference("a", {})
    assert verdict(AnswerRecord(task_id="a", answer=None, failed=True), empty) == (
        FhirReason.WRONG_ERROR,
        False,
    )


@pytest.mark.parametrize("answer", [LIMIT, ["Input tokens exceeded"], {"Input tokens exceeded": 1}])
def test_the_token_limit_is_wrong_also_where_there_is_no_answer(answer):
    expected = (FhirReason.WRONG_TOKEN_LIMIT, False)
    assert verdict(AnswerRecord(task_id="a", answer=answer)) == expected
    assert verdict(AnswerRecord(task_id="a", answer=answer), reference("a", {})) == expected


def test_a_null_answer_is_right_where_there_is_none_and_wrong_elsewhere_and_no_judge_is_asked():
    judge = ExactJudge()
    assert verdict(AnswerRecord(task_id="a"), reference("a", {}), judge) == (FhirReason.RIGHT_NO_ANSWER, True)
    assert verdict(AnswerRecord(task_id="a"), judge=judge) == (FhirReason.WRONG_NULL, False)
    assert verdict(AnswerRecord(task_id="a"), reference("a", {"Patient": ()}), judge) == (
        FhirReason.WRONG_NULL,
        False,
    )
    assert judge.cases == []


def test_without_true_types_the_reference_is_no_answer_whatever_the_csv_says():
    judge = ExactJudge()
    scored(AnswerRecord(task_id="a", answer="no records"), references=[reference("a", {})], judge=judge)
    assert judge.cases[0].true_answer == "no answer"
    assert verdict(AnswerRecord(task_id="a", answer="no records"), reference("a", {})) == (
        FhirReason.RIGHT_BY_RULES,
        True,
    )
    assert verdict(AnswerRecord(task_id="a", answer="[[1]]"), reference("a", {})) == (
        FhirReason.WRONG_BY_RULES,
        False,
    )


def test_a_type_without_ids_is_a_type():
    judge = ExactJudge()
    scored(AnswerRecord(task_id="a", answer="x"), references=[reference("a", {"Patient": ()})], judge=judge)
    assert judge.cases[0].true_answer == "[[1]]"


@pytest.mark.parametrize("answer", [1, 1.5, True, ["a", "b"]])
def test_numbers_and_lists_of_several_are_wrong_without_a_judge(answer):
    judge = ExactJudge()
    assert verdict(AnswerRecord(task_id="a", answer=answer), judge=judge) == (
        FhirReason.WRONG_NOT_TEXT,
        False,
    )
    assert judge.cases == []


def test_a_list_of_several_may_be_a_non_answer_where_there_is_none_to_give():
    judge = ExactJudge()
    record = AnswerRecord(task_id="a", answer=["no records", "none"])
    assert verdict(record, reference("a", {}), judge=judge) == (FhirReason.WRONG_BY_RULES, False)
    assert [case.agent_answer for case in judge.cases] == ["['no records', 'none']"]
    assert verdict(AnswerRecord(task_id="a", answer=0), reference("a", {})) == (
        FhirReason.WRONG_NOT_TEXT,
        False,
    )


def test_the_judge_sees_an_object_or_a_list_of_one_as_python_prints_it():
    for answer, text in [
        ([1], "[1]"),
        (["x"], "['x']"),
        ([], "[]"),
        ({"a": None}, "{'a': None}"),
        ("", ""),
        (" 1 ", " 1 "),
    ]:
        judge = ExactJudge()
        scored(AnswerRecord(task_id="a", answer=answer), judge=judge)
        assert [case.agent_answer for case in judge.cases] == [text], answer


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

    def judge(self, **case):
        verdict = super().judge(**case)
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


def test_a_missing_question_is_wrong_with_nothing_retrieved_also_where_there_is_no_answer():
    card = scored(references=[reference("a"), reference("b", {})])
    assert {v.reason for v in card.verdicts.values()} == {FhirReason.MISSING}
    assert card.overall == Rate(right=0, total=2)
    # The question without gold resources has full precision and recall whatever was retrieved.
    assert (card.metrics["precision"], card.metrics["recall"]) == (1.0, 0.5)
    assert card.metrics["coverage"] == 0


def test_a_record_of_another_question_is_ignored():
    card = scored(AnswerRecord(task_id="z", answer="[[1]]"), references=[reference("a")])
    assert list(card.verdicts) == ["a"]


def test_verdicts_are_in_the_order_of_the_questions():
    references = [reference("b"), reference("a"), reference("c")]
    card = scored(AnswerRecord(task_id="c"), AnswerRecord(task_id="b"), references=references)
    assert list(card.verdicts) == ["b", "a", "c"]


def test_precision_and_recall_are_means_over_different_questions():
    card = scored(
        AnswerRecord(task_id="a", answer="[[1]]", resources={"Patient": ["p", "q"]}),
        AnswerRecord(task_id="b", answer="x", resources={"Observation": ["p"]}),
        references=[reference("a"), reference("b")],
    )
    assert [card.metrics[key] for key in ("precision", "recall", "f1")] == [0.5] * 3
    assert (card.metrics["precision_all_types"], card.metrics["recall_fraction"]) == (0.25, 0.5)


def test_the_share_of_questions_behind_each_precision_is_a_metric():
    card = scored(
        AnswerRecord(task_id="a", answer="[[1]]", resources={"Patient": ["p", "q"]}),
        AnswerRecord(task_id="b", answer="x", resources={"Observation": ["p"]}),
        references=[reference("a"), reference("b"), reference("c")],
    )
    # Nothing of a needed type is retrieved for b, and nothing at all for c.
    assert [card.metrics[key] for key in ("precision_share", "precision_all_types_share")] == [1 / 3, 2 / 3]


def test_f1_is_0_where_nothing_was_retrieved_and_recall_is_unknown_without_questions():
    metrics = scored(AnswerRecord(task_id="a")).metrics
    assert (metrics["precision"], metrics["recall"], metrics["f1"]) == (None, 0.0, 0.0)
    assert scored(references=[], judge=ExactJudge()).metrics["recall"] is None


def test_usage_is_the_mean_of_the_records_that_state_it():
    card = scored(
        AnswerRecord(task_id="a", usage=Usage(total_tokens=100, cost=0.5)),
        AnswerRecord(task_id="b", usage=Usage(prompt_tokens=200, completion_tokens=100)),
        AnswerRecord(task_id="c", usage=Usage(prompt_tokens=7)),
        AnswerRecord(task_id="d"),
    )
    assert card.metrics["tokens_per_question"] == 200
    assert card.metrics["cost_per_question"] == 0.5
    nothing = scored(AnswerRecord(task_id="a")).metrics
    assert (nothing["tokens_per_question"], nothing["cost_per_question"]) == (None, None)


def test_every_metric_of_the_benchmark_is_computed_in_its_order():
    metrics = scored(AnswerRecord(task_id="a")).metrics
    assert list(metrics) == [metric.key for metric in registry.get("fhir-agentbench").metrics]


def test_only_the_answer_is_scored_where_the_true_resources_are_unknown():
    unknown = FhirReference(task_id="a", question="Q?", true_answer="[]")
    judge = ExactJudge()
    record = AnswerRecord(task_id="a", answer="x", resources={"Patient": ["p"]})
    card = scored(record, references=[unknown], judge=judge)
    assert judge.cases[0].true_answer == "[]"
    assert [card.metrics[key] for key in ("precision", "recall", "f1")] == [None] * 3
    assert card.breakdowns["resource_type"]["unknown"] == Rate(right=0, total=1)
    assert verdict(AnswerRecord(task_id="a"), unknown) == (FhirReason.WRONG_NULL, False)


def test_details_give_back_the_figures_of_each_question():
    card = scored(
        AnswerRecord(task_id="a", resources={"Patient": ["p", "q", "r"]}),
        AnswerRecord(task_id="b"),
        AnswerRecord(task_id="c", resources={"Patient": ["x"]}),
        AnswerRecord(task_id="d"),
        references=[
            reference("a"),
            reference("b"),
            reference("c", {"Patient": ()}),
            FhirReference(task_id="d", question="Q?", true_answer="[]"),
        ],
    )
    precisions, recalls = unpack(card.details)
    assert precisions == [pytest.approx(1 / 3), None, 0.0, None]
    assert recalls == [1, 0, None, None]


@pytest.mark.parametrize("details", [b"", b"x", b"\x78\x9c\x03\x00\x00\x00\x00\x01"])
def test_other_bytes_are_refused_as_details(details):
    with pytest.raises(ValueError, match="packed"):
        unpack(details)


def many(number):
    records = [AnswerRecord(task_id=str(n), answer="[[1]]" if n % 2 else None) for n in range(number)]
    return records, [reference(str(n)) for n in range(number)]


def test_the_watcher_is_notified_of_reading_and_judging():
    records, references = many(250)
    seen = []
    scored(*records, references=references, watch=lambda progress: seen.append(progress) or True)
    assert [p.read for p in seen[:3]] == [100, 200, 250]
    assert {p.total for p in seen} == {250}
    assert max(p.judged for p in seen) == 124


def test_a_run_stopped_while_reading_leaves_the_rest_undecided_and_nothing_missing():
    records, references = many(250)
    judge = ExactJudge()
    card = scored(*records, references=references, judge=judge, watch=lambda progress: progress.read < 200)
    # Null answers that were read are decided; answers that wait for a judge, or were not read, are not.
    assert card.undecided == {"stopped": 150}
    assert sum(v.correct is None for v in card.verdicts.values()) == 150
    assert judge.cases == []


def test_a_run_stopped_while_judging_keeps_its_verdicts():
    records, references = many(250)
    card = scored(*records, references=references, watch=lambda progress: progress.judged < 50)
    assert card.undecided == {"stopped": 75}
    assert card.overall.right == 50


def test_the_kept_part_of_a_file_scores_as_its_records_do():
    records, references = many(30)
    kept = BytesIO()
    with keeping(kept) as add:
        for record in records:
            add(encode_record(record))
    kept.seek(0)
    benchmark = registry.get("fhir-agentbench")
    card = benchmark.score(benchmark.records(kept), {r.task_id: r for r in references}, judge=ExactJudge())
    assert card == scored(*records, references=references)


def test_scoring_needs_a_judge():
    with pytest.raises(ValueError, match="judge"):
        registry.get("fhir-agentbench").score([], {"a": reference("a")})


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


def test_the_number_of_a_reason_never_changes():
    benchmark = registry.get("fhir-agentbench")
    assert [(code, benchmark.reason(code)) for code in range(15)] == [
        (0, "right-by-rules"),
        (1, "right-by-llm"),
        (2, "right-no-answer"),
        (3, "wrong-error"),
        (4, "wrong-token-limit"),
        (5, "wrong-null"),
        (6, "wrong-not-text"),
        (7, "wrong-by-rules"),
        (8, "wrong-by-llm"),
        (9, "wrong-suspect"),
        (10, "missing"),
        (11, "undecided"),
        (12, "left-open"),
        (13, "right-by-official-llm-judge"),
        (14, "wrong-by-official-llm-judge"),
    ]
    verdicts = [benchmark.is_correct(code) for code in range(15)]
    assert verdicts == [True] * 3 + [False] * 8 + [None] * 2 + [True, False]
    assert all(benchmark.reason_code(reason) == code for code, reason in enumerate(FhirReason))
    with pytest.raises(ValueError, match="grading reason"):
        benchmark.reason(15)


def test_every_remark_belongs_to_a_reason_for_a_wrong_verdict():
    benchmark = registry.get("fhir-agentbench")
    assert benchmark.remarks
    for reason in benchmark.remarks:
        assert benchmark.is_correct(benchmark.reason_code(reason)) is False
