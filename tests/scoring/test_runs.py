"""Answers graded from Python, several runs scored as one, the runs in a log, and names that are stable."""

import gzip
import json
from dataclasses import replace
from importlib import import_module
from io import BytesIO

import pytest

from tests.support.cli import wardboard
from tests.support.factories import demo_references, fhir_references, with_wrong
from tests.support.scoring.files import kept_records, refused, runs_of_log
from wardboard.scoring import grade_all, read_answers, registry
from wardboard.scoring.benchmark import Progress, Reading
from wardboard.scoring.fhir_agentbench import demo as fhir_demo
from wardboard.scoring.fhir_agentbench.grading.figures import pack
from wardboard.scoring.medagentbench import TaskResult, demo
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.reading.formats.attempts import Attempt, Facts, Message, encode_attempt
from wardboard.scoring.reading.formats.log_facts import LogFacts
from wardboard.scoring.reading.problems import Problem, Remarks, SubmissionInvalid
from wardboard.scoring.runs import (
    RunReading,
    accept_repeats,
    digest_answers,
    pool_runs,
    read_runs,
    read_with_places,
    score_runs,
    split_details,
)
from wardboard.scoring.verdicts import Rate


@pytest.fixture
def references():
    return demo_references()


def records(benchmark, raw, references):
    return kept_records(benchmark, raw, task_ids=tuple(references), version="demo")


@pytest.fixture
def medagentbench():
    return registry.get("medagentbench")


@pytest.fixture
def three_runs(medagentbench, references):
    """Return records of which 50, 48 and 45 of 50 are right; those of fewer are wrong in the first tasks."""
    files = [with_wrong(demo.PERFECT.read_bytes(), wrong) for wrong in (0, 2, 5)]
    return [records(medagentbench, file, references) for file in files]


def test_right_answers_are_pooled_and_the_interval_is_over_the_tasks(medagentbench, three_runs, references):
    scored = score_runs(medagentbench, three_runs, references, runs=3)
    card = pool_runs(medagentbench, scored.cards)
    assert card.overall == Rate(right=143, total=150, runs=3)
    assert card.metrics["success_rate"] == pytest.approx(143 / 150)
    low, high = card.overall.interval
    narrow_low, narrow_high = Rate(right=143, total=150).interval
    assert low < narrow_low, "150 answers to 50 tasks tell no more about other tasks than 50 do"
    assert narrow_high < high
    assert sum(rate.right for rate in card.breakdowns["task_type"].values()) == 143


def test_one_run_is_scored_as_it_always_was_and_a_missing_one_is_wrong(medagentbench, three_runs, references):
    (card,) = score_runs(medagentbench, three_runs[1:2], references).cards
    pooled = pool_runs(medagentbench, [card])
    for name in ("overall", "metrics", "breakdowns", "details", "suspects"):
        assert getattr(pooled, name) == getattr(card, name), name
    assert pooled.spread is None
    scored = score_runs(medagentbench, three_runs[:1], references, runs=2)
    assert pool_runs(medagentbench, scored.cards).overall == Rate(right=50, total=100, runs=2)
    assert scored.answered(medagentbench.missing) == 50


def test_figures_of_tasks_are_means_over_the_runs_that_have_them():
    benchmark, references = registry.get("fhir-agentbench"), fhir_references()
    judge = benchmark.judge("rules", options={}, ledger=None)
    files = [records(benchmark, file.read_bytes(), references) for file in (fhir_demo.GOOD, fhir_demo.NOISY)]
    scored = score_runs(benchmark, files, references, runs=2, judge=judge)
    good, noisy = scored.cards
    card = pool_runs(benchmark, scored.cards)
    expected = (good.metrics["answer_correctness"] + noisy.metrics["answer_correctness"]) / 2
    assert card.metrics["answer_correctness"] == pytest.approx(expected)
    parts = [benchmark.figures(part, len(references)) for part in split_details(card.details, 2)]
    by_task = []
    for figures in zip(*(part["precision"] for part in parts), strict=True):
        known = [figure for figure in figures if figure is not None]
        by_task += [sum(known) / len(known)] if known else []
    assert card.metrics["precision"] == pytest.approx(sum(by_task) / len(by_task))
    precision, recall = card.metrics["precision"], card.metrics["recall"]
    assert card.metrics["f1"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert min(good.metrics["precision"], noisy.metrics["precision"]) < card.metrics["precision"]
    unknown = {key: None for key in good.metrics if key.startswith(("precision", "recall", "f1"))}
    bare = replace(good, metrics=good.metrics | unknown, details=pack({"recall": [None] * len(references)}))
    assert unknown.items() <= pool_runs(benchmark, [bare, bare]).metrics.items()


def test_scoring_ends_after_the_run_in_which_it_is_told_to_stop():
    benchmark, references = registry.get("fhir-agentbench"), fhir_references()
    judge = benchmark.judge("rules", options={}, ledger=None)
    files = [records(benchmark, fhir_demo.GOOD.read_bytes(), references)] * 3
    seen: list[Progress] = []

    def watch(progress):
        seen.append(progress)
        return progress.read <= len(references)

    scored = score_runs(benchmark, files, references, runs=3, judge=judge, watch=watch)
    assert len(scored.cards) == 2
    assert scored.undecided
    assert {progress.total for progress in seen} == {3 * len(references)}
    assert [progress.read for progress in seen] == sorted(progress.read for progress in seen)
    assert max(progress.read for progress in seen) == 2 * len(references)


def run_of(reading, answers=b"a"):
    return RunReading(reading=reading, answers=answers)


def timed(*times):
    """Return runs with the same answers, of which each began and ended at its times; None for no times."""
    facts = [LogFacts(first=first, last=last) for first, last in (each or (None, None) for each in times)]
    readings = [replace(READING, warnings=Remarks(), log_facts=each) for each in facts]
    names = [f"{letter}.json" for letter in "abcdefghij"[: len(times)]]
    return read_runs(names, lambda index: run_of(readings[index]))


READING = Reading(version="v2", format="result-json", count=3, warnings=Remarks(), seconds=1)


def problem(code):
    return Problem(code=code, pointer="/results/0", message="m", hint="h")


def test_the_problems_of_every_run_are_reported_with_its_number_and_file():
    def read(index):
        problems, warnings = Remarks(keep=1), Remarks()
        problems.extend([problem("a.first"), problem("a.second")])
        warnings.add(problem("a.warning"))
        if index == 1:
            return run_of(replace(READING, warnings=warnings))
        raise SubmissionInvalid(problems, warnings)

    with pytest.raises(SubmissionInvalid) as caught:
        read_runs(["x.json", "y.json", "z.json"], read)
    problems, warnings = caught.value.problems, caught.value.warnings
    assert [(p.code, p.run, p.file) for p in problems.listed] == [
        ("a.first", 1, "x.json"),
        ("a.first", 3, "z.json"),
    ]
    assert problems.total == 4, "those that a file did not list count too"
    assert [(w.run, w.file) for w in warnings.listed] == [(1, "x.json"), (2, "y.json"), (3, "z.json")]


def test_what_runs_hold_is_added_up_and_different_formats_are_refused():
    reading = read_runs(["x", "y"], lambda index: run_of(READING, bytes([index])))
    assert (reading.count, reading.counts, reading.seconds) == (6, (3, 3), 2)
    assert reading.format == "result-json"
    readings = [READING, READING, replace(READING, format="runs-jsonl")]
    runs = [run_of(reading, bytes([number])) for number, reading in enumerate(readings)]
    (found,) = refused(read_runs, ["x", "y", "z"], lambda index: runs[index])
    assert (found.code, found.run) == ("runs.formats-differ", 3)
    stated = [replace(READING, log_facts=LogFacts(names={"model": [model]})) for model in "aab"]
    (found,) = refused(read_runs, ["x", "y", "z"], lambda index: run_of(stated[index], bytes([index])))
    assert (found.code, found.run) == ("runs.several-systems", 3)


def repeats(reading):
    return [(each.run, each.same_as, each.is_copy) for each in reading.repeats]


def test_a_run_that_repeats_an_earlier_one_is_warned_of_unless_times_tell_them_apart():
    for times, repeated, message in (
        ((None, None), (2, 1, False), "the answers are the same as those of run 1 (“a.json”)"),
        (((1, 5), (2, 6), (1, 5)), (3, 1, True), "the answers are the same as those of run 1"),
    ):
        reading = timed(*times)
        assert repeats(reading) == [repeated]
        (found,) = reading.warnings.listed
        assert (found.code, found.run) == ("runs.identical", len(times))
        assert found.message.startswith(message)
    reading = timed((1, 5), (2, 5), (1, 6))
    assert (repeats(reading), reading.warnings.total) == ([], 0)


def test_a_deterministic_system_may_repeat_its_answers_but_not_its_times():
    reading = timed(None, None, None)
    accept_repeats(reading)
    assert (reading.warnings.total, reading.warnings.listed) == (0, [])
    copied = timed(None, (1, 5), (1, 5))
    accept_repeats(copied)
    assert [(each.code, each.run) for each in copied.warnings.listed] == [("runs.identical", 3)]
    assert copied.warnings.counts == {"runs.identical": 1}


def test_the_digest_of_answers_is_that_of_what_is_graded(medagentbench, references):
    document = json.loads(demo.PERFECT.read_bytes())
    first, *others = records(medagentbench, demo.PERFECT.read_bytes(), references)
    digest = digest_answers(medagentbench, [first, *others])
    assert digest_answers(medagentbench, [*others, first]) == digest
    document["results"][0]["task_id"], document["results"][1]["task_id"] = (
        document["results"][1]["task_id"],
        document["results"][0]["task_id"],
    )
    swapped = records(medagentbench, json.dumps(document).encode(), references)
    assert digest_answers(medagentbench, swapped) != digest, "the same answers to other tasks are others"
    document["results"][0]["answer"] = None
    empty = records(medagentbench, json.dumps(document).encode(), references)
    lacking = [record for record in empty if record.task_id != document["results"][0]["task_id"]]
    assert digest_answers(medagentbench, empty) == digest_answers(medagentbench, lacking)


PUBLIC = (
    "wardboard.scoring",
    "wardboard.scoring.medagentbench",
    "wardboard.scoring.fhir_agentbench",
    "wardboard.scoring.fhir_agentbench.judge",
    "wardboard.scoring.fhir",
)


@pytest.mark.parametrize("benchmark", ["medagentbench", "fhir-agentbench"])
def test_a_file_has_the_result_of_the_command(references, benchmark):
    known, path, *options = {
        "medagentbench": (references, demo.FOLDER / "middling.json", "--references", str(demo.FOLDER)),
        "fhir-agentbench": (fhir_references(), fhir_demo.GOOD, "--questions", str(fhir_demo.QUESTIONS)),
    }[benchmark]
    with path.open("rb") as file:
        card = grade_all(benchmark, read_answers(benchmark, file, known), known)
    printed = json.loads(wardboard("grade", path, *options, "--json", "--by-task")[1])
    assert card.overall.right == printed["overall"]["right"] > 0
    assert {task_id: verdict.reason for task_id, verdict in card.verdicts.items()} == {
        task_id: verdict["reason"] for task_id, (verdict,) in printed["verdicts"].items()
    }


def test_two_answers_to_one_task_and_a_file_with_errors_are_refused(references):
    answer = TaskResult(task_id="task1_1", answer='["S9100001"]', post_history=[])
    with pytest.raises(ValueError, match="two answers to task1_1: keep one for each task"):
        grade_all("medagentbench", [answer, answer], references)
    problems = refused(read_answers, "medagentbench", BytesIO(demo.MALFORMED.read_bytes()), references)
    assert len(problems) > 5
    assert all(problem.code and problem.message and problem.hint for problem in problems)


@pytest.mark.parametrize("function", [read_answers, grade_all])
def test_a_benchmark_that_does_not_exist_is_refused_with_those_that_do(function):
    with pytest.raises(LookupError, match="no benchmark is called med; there are: medagentbench"):
        function("med", b"", {})


@pytest.mark.parametrize("name", PUBLIC)
def test_stable_names_exist_and_are_described(name):
    package = import_module(name)
    assert package.__doc__
    assert package.__all__ == sorted(package.__all__, key=lambda each: (not each.isupper(), each))
    for public in package.__all__:
        value = getattr(package, public)
        assert public.isupper() or value.__doc__, public
    with pytest.raises(AttributeError):
        package.no_such_name  # noqa: B018


TASKS = ["task1_1", "task3_1"]


def answer(task_id: str, *, run: int = 1, text: str = 'FINISH(["S1"])') -> Attempt:
    messages = (Message(role="user", text="Which?"), Message(role="agent", text=text))
    return Attempt(task_id=task_id, run=run, messages=messages, facts=Facts(rounds=1))


def lines(*attempts: Attempt) -> bytes:
    return b"".join(map(encode_attempt, attempts))


def read(raw: bytes) -> list:
    return list(read_submission(raw, task_ids=TASKS, version="v1").records)


def test_attempts_of_several_runs_are_split_and_each_run_reads_like_a_file():
    raw = lines(answer("task1_1", run=2), answer("task1_1"), answer("task3_1", run=2, text="FINISH([])"))
    for packed in (raw, gzip.compress(raw)):
        ids = [[record.task_id for record in read(run)] for run in runs_of_log(packed)]
        assert ids == [["task1_1"], ["task1_1", "task3_1"]]
    for other in (lines(answer("task1_1"), answer("task3_1")), b'{"version": "v1"}', b"\x1f\x8bdamaged"):
        assert runs_of_log(other) == []
    with pytest.raises(SubmissionInvalid) as caught:
        read(lines(answer("task1_1"), answer("task1_1", run=2)))
    assert [problem.code for problem in caught.value.problems.listed] == ["log.several-runs"]
    # What follows the second attempt is not read, so no task is said to be missing.
    assert not caught.value.warnings.listed


def test_a_remark_on_a_part_of_a_log_quotes_no_line_of_that_part():
    benchmark = registry.get("medagentbench")
    raw = lines(answer("task1_1", text="no list", run=2), answer("task3_1", run=2))
    reading = read_with_places(benchmark, BytesIO(raw), task_ids=TASKS, version="v1", limits=benchmark.limits)
    [warning] = [each for each in reading.warnings.listed if each.code == "log.answer-form"]
    assert warning.quoted == ()
