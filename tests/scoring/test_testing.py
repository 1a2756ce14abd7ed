"""The kit for authors: it passes our own benchmarks, and finds each promise that a benchmark breaks."""

from dataclasses import replace

import pytest

from tests.support.scoring.declared_samples import GOLD, ROWS, TOPICS, declared, truth
from wardboard.scoring import registry
from wardboard.scoring.testing import check_benchmark
from wardboard.scoring.verdicts import Rate

# Verdicts are stored as positions in these lists: nothing is moved or removed, and what is new comes last.
OF_FHIR = ["right-by-rules", "right-by-llm", "right-no-answer", "wrong-error", "wrong-token-limit"]
OF_FHIR += ["wrong-null", "wrong-not-text", "wrong-by-rules", "wrong-by-llm", "wrong-suspect", "missing"]
OF_FHIR += ["undecided", "left-open", "right-by-official-llm-judge", "wrong-by-official-llm-judge"]
OF_MED = ["correct", "answer-mismatch", "answer-not-json", "unexpected-post", "post-count", "post-url"]
OF_MED += ["post-payload", "grader-error", "reference-unusable", "no-answer", "missing"]
JUDGED = {"judge": {"prompt": "{gold} {answer}", "verdict": "(yes|no)"}}


CORRECT = [True] * 3 + [False] * 8 + [None] * 2 + [True, False]


@pytest.mark.parametrize(
    ("slug", "reasons", "correct"),
    [("medagentbench", OF_MED, [True] + [False] * 10), ("fhir-agentbench", OF_FHIR, CORRECT)],
)
def test_our_benchmarks_keep_what_the_service_relies_on(slug, reasons, correct):
    benchmark = registry.get(slug)
    (board,) = benchmark.demonstrations
    files = [path.read_bytes() for path, _ in board.examples[:2]]
    check_benchmark(benchmark, board.references(), files, reasons=reasons)
    assert list(benchmark.reasons) == reasons
    assert [benchmark.is_correct(reason) for reason in reasons] == correct


@pytest.mark.parametrize("parts", [{}, JUDGED, {"extract": {"pattern": "(?i)(.*)"}}])
def test_declared_benchmarks_keep_it_too(parts):
    benchmark = declared(**TOPICS, **parts)
    references = truth(benchmark, GOLD).references
    files = [ROWS, b"id,answer\n1,Left atrium\n2,aorta\n", b'[{"id": 1, "answer": [1e999, {}]}]']
    check_benchmark(benchmark, references, files, reasons=OF_FHIR)


def replaced(**parts):
    return lambda card: replace(card, **parts)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("reasons", tuple(reversed(OF_FHIR))),
        ("read", lambda file, **options: {}["no other error"]),
        ("score", replaced(overall=Rate(right=2, total=3))),
        ("score", replaced(breakdowns={"topic": {"h": Rate(right=0, total=2)}})),
        ("score", replaced(metrics={"exact_match": 0.1})),
        ("is_correct", lambda reason: True),
        ("figures", lambda details, count: {"cost": [1.0]}),
        ("dump_references", lambda references: b"{}"),
        ("plain_file", lambda records, version: "[]"),
    ],
)
def test_a_broken_promise_is_found(name, value, monkeypatch):
    benchmark = declared(**TOPICS)
    references, score = truth(benchmark, GOLD).references, benchmark.score
    changed = (lambda *args, **options: value(score(*args, **options))) if name == "score" else value
    monkeypatch.setattr(benchmark, name, changed)
    with pytest.raises((AssertionError, KeyError, ValueError)):
        check_benchmark(benchmark, references, [ROWS], reasons=OF_FHIR)
