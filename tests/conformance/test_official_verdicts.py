"""The official verdicts on both corpora, case by case, and every quirk on cases of our own."""

import gzip
import json
from collections import Counter

import pytest

from tests.support.quirks.cases import QUIRKS
from tests.support.shared_data import MEDAGENTBENCH as DATA
from tests.support.shared_data import needs_shared
from wardboard.scoring.fhir import RecordedFhir
from wardboard.scoring.medagentbench import Reason, build_references, dump_references, grade, load_references

CORPORA = {
    "real patients": ("train_tasks.json", "fhir_snapshot.ndjson.gz", "conformance.ndjson.gz", 7004),
    "invented patients": (
        "synthetic/tasks.json",
        "synthetic/fhir.ndjson.gz",
        "synthetic/conformance.ndjson.gz",
        7130,
    ),
}


@needs_shared
@pytest.mark.parametrize(("tasks", "recording", "cases", "count"), CORPORA.values(), ids=CORPORA)
def test_every_official_verdict_is_given(tasks, recording, cases, count):
    built = build_references(json.loads((DATA / tasks).read_bytes()), RecordedFhir(DATA / recording))
    # As in production, where references are graded against only after having been stored.
    references = load_references(dump_references(built))
    differing, seen = [], Counter()
    with gzip.open(DATA / cases, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            case = json.loads(line)
            verdict = grade(
                references[case["task_id"]], answer=case["answer"], post_history=case["post_history"]
            )
            seen[verdict.reason] += 1
            # Of usable references, exactly those are errors on which the official grader raised.
            raised = verdict.reason == Reason.REFERENCE_UNUSABLE or case["raised"] == (
                verdict.reason == Reason.GRADER_ERROR
            )
            if verdict.correct != case["correct"] or not raised:
                differing.append((number, case["task_id"], case["class"], str(verdict.reason)))
    assert seen.total() == count
    assert differing[:10] == []


def test_every_quirk_is_kept():
    assert len(QUIRKS) > 200
    for name, reference, answer, history, reason in QUIRKS:
        verdict = grade(reference, answer=answer, post_history=history)
        assert (verdict.reason, verdict.correct) == (reason, reason == "correct"), name
