"""A declaration is read, or every problem of it is reported; nothing in it runs or takes long."""

import json
import time

import pytest
import yaml

from tests.support.scoring.declared_samples import HEAD
from wardboard.scoring.declared import Declared
from wardboard.scoring.reading.problems import SubmissionInvalid

WHOLE = {**HEAD, "match": {"kind": "normalised"}}
TEXT = yaml.safe_dump(WHOLE)
MEAN = "metrics: [{kind: exact-match}, {kind: mean, key: token_f1, label: A}]"
LAUGHS = "a: &a [x, x]\n" + "".join(f"{n}: &{n} [*{o}, *{o}]\n" for o, n in ("ab", "bc", "cd", "de"))
YAML, TYPE = "json.syntax", "field.type"


def test_yaml_and_json_and_the_document_are_the_same_benchmark_whatever_their_form():
    read = Declared(TEXT.encode())
    windows = "\ufeff# x\n" + TEXT.replace("\n", "\r\n")
    for again in (json.dumps(WHOLE, indent=9), json.dumps(read.document), windows):
        assert Declared(again.encode()).digest == read.digest, again
    assert (read.slug, read.rules["feedback"], len(read.digest)) == ("small-set", "overall", 64)
    assert Declared(TEXT.replace("Small", "Other").encode()).digest != read.digest
    texts = ["no", "2024-01-31", "12:30"]
    assert Declared(f"{TEXT}caveats: [{', '.join(texts)}]".encode()).rules["caveats"] == texts


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ("a: !!python/object/apply:os.system [ls]", {YAML: ""}),
        (LAUGHS, {YAML: ""}),
        (TEXT + "slug: b", {YAML: ""}),
        ('{"a": 1, "a": 2}', {"json.duplicate-key": "", TYPE: "/a"}),
        ("[" * 200_000, {YAML: ""}),
        ("- " * 100_000, {YAML: ""}),
        ("x" * 10_000_000, {"file.too-large": ""}),
        ("a: \0", {YAML: ""}),
        (TEXT.replace("Small", "Sm\u202eall"), {TYPE: "/title"}),
        (TEXT.replace("small-set", "тест"), {TYPE: "/slug"}),
        (TEXT + "x: 1\nextract: {pattern: []}", {TYPE: "/extract/pattern"}),
        (TEXT + "extract: {pattern: '(a)(b)'}\nanswers: {id: a, answer: a}", {TYPE: "/extract/pattern"}),
        (TEXT + "extract: {pattern: '((a{900}){900})'}", {TYPE: "/extract/pattern"}),
        (
            TEXT + "metrics: [{kind: token-f1}, {kind: mean}]",
            {TYPE: "/metrics/0/kind", "field.missing": "/metrics/1"},
        ),
        (TEXT + MEAN, {TYPE: "/metrics/1"}),
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
