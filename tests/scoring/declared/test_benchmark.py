"""Files of answers and of references of declared benchmarks, and the judge that a declaration describes."""

import json
from io import BytesIO

import pytest

from tests.support.llm_server import LlmReply, LlmServer
from tests.support.scoring.declared_samples import GOLD, ROWS, TOPICS, declared, graded, read, truth
from wardboard.scoring.fhir_agentbench.judge import MemoryLedger
from wardboard.scoring.ground_truth import GroundTruthInvalid
from wardboard.scoring.judging import JudgeUnavailable
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.verdicts import Rate

CHAT = {
    "object": "chat.completion",
    "choices": [{"message": {"role": "assistant", "content": "Left atrium."}}],
}
BATCH = json.dumps({"custom_id": "1", "response": {"status_code": 200, "body": CHAT}}).encode()


def test_a_file_is_graded_by_topic_and_with_several_metrics():
    benchmark = declared(**TOPICS)
    gold = truth(benchmark, GOLD)
    card = graded(benchmark, ROWS, gold.references)
    reasons = [verdict.reason for verdict in card.verdicts.values()]
    assert reasons == ["right-by-rules", "wrong-by-rules", "wrong-null"]
    assert card.breakdowns == {"topic": {"h": Rate(right=1, total=2), "k": Rate(right=0, total=1)}}
    third = {"exact_match": 1 / 3, "token_f1": 1 / 3, "cost_share": 1 / 3}
    assert card.metrics == pytest.approx({**third, "cost": 0.5})
    assert benchmark.figures(card.details, 3) == {"token_f1": [1, 0, 0], "cost": [0.5, None, None]}
    assert benchmark.cluster_labels(gold.references) == {"patient": {"1": "p1", "2": "p1"}}
    assert (gold.texts["2"], gold.board.slug, gold.board.question) == ("Q2", "small-set", "Answer it.")
    assert benchmark.scorer_version.endswith(benchmark.digest[:12])


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\xef\xbb\xbfid,answer,cost_usd\n1,left atrium,0.5\n2,,NaN\n", "csv"),
        (b'[{"id": "1", "answer": ["left atrium"]}, {"id": 2, "answer": null}]', "json"),
        (
            b'{"id": 1, "error": "x"}\n{"id": 1, "answer": "left atrium"}\n{"id": 1, "error": "y"}',
            "json-lines",
        ),
        (BATCH, "openai-batch"),
    ],
)
def test_each_format_has_the_same_answer_and_a_late_error_undoes_none(data, name):
    benchmark = declared(**TOPICS)
    references = truth(benchmark, GOLD).references
    reading, records = read(benchmark, data, tuple(references))
    assert (reading.format, reading.tasks) == (name, 3)
    assert benchmark.score(records, references).verdicts["1"].reason == "right-by-rules"
    assert benchmark.cli().recognises(BytesIO(data)) == (data != BATCH)


def test_every_problem_of_a_file_has_its_place():
    rows = [{"id": 1, "answer": "a", "cost_usd": -1}, {"id": 9, "answer": "a"}, {"id": 2}, [2]]
    rows += [{"id": 3, "answer": "b"}, {"id": 3, "answer": "c"}, {"id": True, "answer": 1}]
    with pytest.raises(SubmissionInvalid) as caught:
        read(declared(**TOPICS), "\n".join(map(json.dumps, rows)).encode(), ("1", "2", "3"))
    found = [f"{each.code} {each.line} {each.pointer}" for each in caught.value.problems.listed]
    assert found[:3] == ["field.type 1 /cost_usd", "question-id.unknown 2 /id", "field.missing 3 "]
    assert found[3:] == ["field.type 4 ", "question-id.repeated 6 /id", "field.type 7 /id"]


def test_references_of_another_declaration_are_graded_as_far_as_they_fit():
    references = truth(declared(**TOPICS), GOLD).references
    other = declared(**TOPICS | {"match": {"kind": "number"}, "breakdowns": []})
    assert graded(other, b'{"id": 1, "answer": 5}', references).verdicts["1"].reason == "wrong-by-rules"


@pytest.mark.parametrize(
    ("gold", "codes"),
    [
        (b"nr,truth,area,patient\n1,...,h,\n2,Secret,lung,\n", ["references.leaderboard"] * 2),
        (b"nr,truth,area,patient\n1,Secret,h,\n1,Secret 2,h,\n", ["question-id.repeated"]),
        (b"1,Secret,h,\n2,Secret,h,\n", ["table.columns-missing"]),
        (b"```json\nSecret", ["json.text-around"]),
        (b'["Secret", ["Secret"]]', ["field.type"] * 2),
        (b'[{"nr": 1, "truth": "Secret" "Secret"}]', ["json.syntax"]),
        (b"", ["file.empty"]),
    ],
)
def test_problems_of_references_quote_none(gold, codes):
    with pytest.raises(GroundTruthInvalid) as caught:
        truth(declared(**TOPICS), gold)
    assert [problem.code for problem in caught.value.problems] == codes
    assert "Secret" not in str(caught.value)


def test_the_declared_prompt_is_sent_for_what_does_not_match_and_its_last_verdict_counts():
    prompt, pattern = "{question} Is {answer} the same as {gold}?", r"(?i)verdict: (\w+)"
    benchmark = declared(**TOPICS, judge={"prompt": prompt, "verdict": pattern, "right": ["Same"]})
    references, data = truth(benchmark, GOLD).references, ROWS.replace(b"a neuron", b"{gold}")
    asked = []

    def reply(request):
        asked.append(request.body["messages"])
        return LlmReply(text="<think>verdict: no</think>Verdict: no? VERDICT: same")

    with LlmServer(reply) as server:
        options = {"model": "m", "base_url": server.url}
        judge = benchmark.judge("llm", options=options, ledger=MemoryLedger())
        card, again = (graded(benchmark, data, references, judge) for _ in range(2))
    content = "Q2 Is {gold} the same as nephron?"
    assert asked == [[{"role": "user", "content": content}]], "a verdict is paid for once"
    assert card == again
    assert (card.verdicts["2"].reason, card.overall.right) == ("right-by-llm", 2)
    rules = benchmark.judge("rules", options={}, ledger=None)
    assert graded(benchmark, data, references, rules).metrics["exact_match_upper"] == pytest.approx(2 / 3)
    with pytest.raises(JudgeUnavailable):
        benchmark.judge("official", options=options, ledger=None)
