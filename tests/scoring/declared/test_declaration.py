"""A declaration is read, or every problem of it is reported; nothing in it runs or takes long."""

import json
import re
import time

import pytest
import yaml

from tests.support.paths import ROOT
from tests.support.scoring.declared_samples import HEAD
from wardboard.scoring.declared import Declared
from wardboard.scoring.declared.matching import Matcher, extract
from wardboard.scoring.reading.problems import SubmissionInvalid

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
    started = time.monotonic()
    with pytest.raises(SubmissionInvalid) as caught:
        Declared(data.encode())
    assert time.monotonic() - started < 5
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
    started = time.monotonic()
    assert extract("(?:x+x+)+(y)", "x" * 1_000_000) is None
    assert extract("(a)(?:.*b)?", "a" * 1_000_000) == "a"
    assert time.monotonic() - started < 2
