"""Declarations are read, or every problem of them is reported; their files, references and judge."""

import json
import re
import time
from io import BytesIO

import pytest
import yaml

from tests.support.llm_server import LlmReply, LlmServer
from tests.support.paths import ROOT
from tests.support.scoring.declared_samples import GOLD, HEAD, ROWS, TOPICS, declared, graded, truth
from wardboard.scoring.declared import Declared
from wardboard.scoring.declared.matching import Matcher, extract
from wardboard.scoring.fhir_agentbench.judge import MemoryLedger
from wardboard.scoring.grade import read_answers
from wardboard.scoring.ground_truth import GroundTruthInvalid
from wardboard.scoring.judging import JudgeUnavailable
from wardboard.scoring.reading.problems import SubmissionInvalid
from wardboard.scoring.verdicts import Rate

SAID = b'{"role": "assistant", "content": "Left atrium."}'
CHAT = b'{"object": "chat.completion", "choices": [{"message": %b}]}' % SAID
BATCH = b'{"custom_id": "1", "response": {"status_code": 200, "body": %b}}' % CHAT
WITHIN, CHOICE = {"kind": "number", "relative": 0.05, "absolute": 0.1}, {"kind": "choice", "letters": "ABCDE"}
ANY, EXACT = {"kind": "normalised", "any_of": True}, {"kind": "exact"}
OPTIONS = ["B", "(b)", "**B**", "B) aspirin", "B."]


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


FILES = {
    "csv": b"\xef\xbb\xbfid;answer;cost_usd\n1;left atrium;0.5\n2;;NaN\n",
    "json": b'[{"id": "1", "answer": ["left atrium"]}, {"id": 2, "answer": null}]',
    "json-lines": b'{"id": 1, "error": "x"}\n{"id": 1, "answer": "left atrium"}\n{"id": 1, "error": "y"}',
    "openai-batch": BATCH,
}


@pytest.mark.parametrize("name", FILES)
def test_each_format_has_the_same_answer_and_a_late_error_undoes_none(name):
    benchmark, file = declared(**TOPICS), BytesIO(FILES[name])
    references = truth(benchmark, GOLD).references
    assert benchmark.cli().recognises(file) == (name != "openai-batch")
    reading = benchmark.read(file, task_ids=tuple(references), version="", limits=benchmark.limits)
    assert (reading.format, reading.tasks) == (name, 3)
    assert graded(benchmark, FILES[name], references).verdicts["1"].reason == "right-by-rules"


def test_every_problem_of_a_file_has_its_place():
    rows = [{"id": 1, "answer": "a", "cost_usd": -1}, {"id": 9, "answer": "a"}, {"id": 2}, [2]]
    rows += [{"id": 3, "answer": "b"}, {"id": 3, "answer": "c"}, {"id": True, "answer": 1}]
    with pytest.raises(SubmissionInvalid) as caught:
        read_answers(declared(**TOPICS), "\n".join(map(json.dumps, rows)).encode(), dict.fromkeys("123"))
    found = [f"{each.code} {each.line} {each.pointer}" for each in caught.value.problems.listed]
    assert found[:3] == ["field.type 1 /cost_usd", "question-id.unknown 2 /id", "field.missing 3 "]
    assert found[3:] == ["field.type 4 ", "question-id.repeated 6 /id", "field.type 7 /id"]


@pytest.mark.parametrize(
    ("match", "gold", "right", "wrong", "unread"),
    [
        (EXACT, "Heart", [" Heart\n", ["Heart"]], ["heart"], [{}, ["a", "b"]]),
        ({"kind": "normalised"}, "the heart", ["A HEART.", "\uff28eart"], ["hearts"], ["...", []]),
        (WITHIN, "1,000.5", [1000.5, "= 1,000.50 mg"], ["-1,000.5"], ["5 of 6", "12,34", "v2", "1e9999"]),
        (WITHIN, 0.3, ["0.4", 0.2, "3e-1"], ["0.41"], [True, "1.2.3"]),
        (WITHIN, "100", ["105", "95 mL"], ["105.1"], ["120/80"]),
        (CHOICE, "b", OPTIONS, ["A"], ["A patient", "F", "answer: B", "BC"]),
        ({"kind": "set"}, ["Aspirin", "Iron"], ["iron, the aspirin", ["Iron", "Aspirin"]], ["iron"], [" , "]),
        (ANY, ["New York", "NYC"], ["nyc!", "the New York"], ["York"], []),
        (ANY, "NYC|LA", ["la"], ["NYC|LA"], []),
    ],
)
def test_an_answer_is_right_or_wrong_or_has_not_the_form(match, gold, right, wrong, unread):
    benchmark = declared(match=match)
    references = truth(benchmark, json.dumps({"id": 1, "gold": gold}).encode()).references
    reasons = {"right-by-rules": right, "wrong-by-rules": wrong, "wrong-not-text": unread}
    for reason, answer in ((reason, answer) for reason, answers in reasons.items() for answer in answers):
        card = graded(benchmark, json.dumps([{"id": "1", "answer": answer}]).encode(), references)
        assert card.verdicts["1"].reason == reason, answer


def test_the_f1_is_that_of_squad_and_of_the_nearest_reference():
    cases = {"The red car": (["a red car"], 1), "red red": (["red"], 2 / 3), "": (["red"], 0)}
    for answer, (gold, f1) in {**cases, "blue": (["red", "light blue"], 2 / 3)}.items():
        assert Matcher({"match": ANY}).token_f1(answer, gold) == pytest.approx(f1), answer


@pytest.mark.parametrize(
    ("gold", "codes"),
    [
        (b"nr,truth,area,patient\n1,...,h,\n2,Secret,lung,\n", ["references.leaderboard"] * 2),
        (b"nr,truth,area,patient\n1,Secret,h,\n1,Secret 2,h,\n", ["question-id.repeated"]),
        (b"1,Secret,h,\n2,Secret,h,\n", ["table.columns-missing"]),
        (b"```json\nSecret", ["json.text-around"]),
        (b'["Secret", ["Secret"]]', ["field.type"] * 2),
        (b'{"nr": "1\\n", "truth": "Secret", "area": "h", "patient": null}', ["field.type"]),
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


WHOLE = {**HEAD, "match": {"kind": "normalised"}}
TEXT = yaml.safe_dump(WHOLE)
MEAN = "metrics: [{kind: exact-match}, {kind: mean, key: token_f1, label: A}]"
LAUGHS = "a: &a [x, x]\n" + "".join(f"{n}: &{n} [*{o}, *{o}]\n" for o, n in ("ab", "bc", "cd", "de"))
BROKEN = ["a: !!python/object/apply:os.system [ls]", LAUGHS, TEXT + "slug: b", "a: \0"]
BROKEN += ["[" * 200_000, "- " * 100_000, "a:\n" + "".join(f"{' ' * n}b:\n" for n in range(1, 600))]
YAML, TYPE, MISSING = "json.syntax", "field.type", "field.missing"


def test_yaml_and_json_and_the_document_are_the_same_benchmark_whatever_their_form():
    read = Declared(TEXT.encode())
    windows = "\ufeff# x\n" + TEXT.replace("\n", "\r\n")
    for again in (json.dumps(WHOLE, indent=9), json.dumps(read.document), windows):
        assert Declared(again.encode()).digest == read.digest, again
    assert (read.slug, read.rules["feedback"], len(read.digest)) == ("small-set", "overall", 64)
    assert Declared(TEXT.replace("Small", "Other").encode()).digest != read.digest
    with pytest.raises(SubmissionInvalid) as caught:
        Declared(f"{TEXT}extract:\n  pattern: []".encode())
    assert [each.line for each in caught.value.problems.listed] == [TEXT.count("\n") + 2]
    texts = ["no", "2024-01-31", "12:30"]
    assert Declared(f"{TEXT}caveats: [{', '.join(texts)}]".encode()).rules["caveats"] == texts


@pytest.mark.parametrize(
    ("data", "found"),
    [
        *((text, {YAML: ""}) for text in BROKEN),
        ('{"a": 1, "a": 2}', {"json.duplicate-key": "", TYPE: "/a"}),
        ("x" * 10_000_000, {"file.too-large": ""}),
        (TEXT.replace("Small", "Sm\u202eall"), {TYPE: "/title"}),
        (TEXT.replace("small-set", "тест"), {TYPE: "/slug"}),
        (TEXT + "x: 1\nextract: {pattern: []}", {TYPE: "/extract/pattern"}),
        (TEXT + "extract: {pattern: '(a)(b)'}\nanswers: {id: a, answer: a}", {TYPE: "/extract/pattern"}),
        (TEXT + "extract: {pattern: '((a{900}){900})'}", {TYPE: "/extract/pattern"}),
        (
            TEXT + "metrics: [{kind: token-f1}, {kind: mean}]",
            {TYPE: "/metrics/0/kind", MISSING: "/metrics/1"},
        ),
        (TEXT + MEAN, {TYPE: "/metrics/1/key"}),
        (TEXT + "metrics: [{kind: exact-match}, {kind: token-f1}, {kind: token-f1}]", {TYPE: "/metrics"}),
        (TEXT + "metrics: [5]", {TYPE: "/metrics/0"}),
        (TEXT + "judge: {prompt: 'Is {gold}?', verdict: (a)}", {TYPE: "/judge/prompt"}),
        (TEXT.replace("kind: normalised", "{kind: exact, absolute: 1}"), {TYPE: "/match/kind"}),
        (TEXT + "answers: {id: a, answer: a}", {TYPE: "/answers"}),
        (TEXT + "clusters: [{key: gold, label: a, singular: b}]", {TYPE: "/references"}),
    ],
)
def test_every_problem_has_its_place_and_its_fix(data, found):
    started = time.process_time()
    with pytest.raises(SubmissionInvalid) as caught:
        Declared(data.encode())
    assert time.process_time() - started < 5
    problems = [(problem.code, problem.pointer) for problem in caught.value.problems.listed]
    assert set(found.items()) <= set(problems)
    assert all(problem.message and problem.hint for problem in caught.value.problems.listed)


def test_a_pattern_such_as_that_of_the_manual_takes_the_last_place_and_a_time_that_grows_with_the_text():
    assert extract(r"([\d.]+)", "1 and 22.5 \ud800") == "22.5"
    assert extract(r"(\d*)", "none") is None
    topics, doses = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/declared.md").read_text(), re.DOTALL)
    matcher, shown = Matcher(Declared(doses.encode()).rules), Declared(topics.encode()).rules["feedback"]
    for answer in "Answer: $42.", "**Answer:** 42", "The answer is **42** mg.", "answer = 42 answer explains":
        assert (matcher.form(matcher.extracted(answer)), shown) == (42, "by-type"), answer
    started = time.process_time()
    assert extract("(?:x+x+)+(y)", "x" * 1_000_000) is None
    assert extract("(a)(?:.*b)?", "a" * 1_000_000) == "a"
    assert time.process_time() - started < 2
