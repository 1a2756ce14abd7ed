"""Twice the text of a stranger takes at most twice the time: of the judge, of graders, of pages and exports.

The readers of files are tried elsewhere. A judge sees 20,000 characters at most, and most rules see 4,000.
"""

import re
import sys
import time
from functools import partial
from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from leaderboard.services.exports.csv_json import neutralise
from leaderboard.services.exports.tables import escape_latex, escape_markdown
from leaderboard.services.pictures.card import card_svg
from leaderboard.web.templatetags.figures import ticked
from leaderboard.web.traces.rendering import block
from tests.support.examples import examples, given
from wardboard.scoring import registry
from wardboard.scoring.declared.matching import Matcher
from wardboard.scoring.fhir_agentbench.judge import RulesJudge
from wardboard.scoring.fhir_agentbench.judge.rules.form import has_readable_form
from wardboard.scoring.fhir_agentbench.judge.rules.text.questions import QuestionKind, read_question
from wardboard.scoring.fhir_agentbench.judge.rules.text.references import ReferenceKind, read_reference
from wardboard.scoring.medagentbench.grading.graders import grade
from wardboard.scoring.medagentbench.grading.references import Reference, TaskType
from wardboard.scoring.medagentbench.reading.records import TaskResult
from wardboard.scoring.reading.reports.fixes import Fix, in_json
from wardboard.scoring.runs import encode_answer
from wardboard.scoring.traces.conversation import parsed_json
from wardboard.scoring.traces.redaction import redacted

MOST = 2.6  # times as long
ENOUGH = 5e-6  # seconds for a character; an honest answer takes the judge twice as much


class Shape(NamedTuple):
    """A text of any size: `unit` as often as it fits, with its number for "\\0", then as many `closing`."""

    before: str
    unit: str
    closing: str = ""
    after: str = ""

    def text(self, size: int) -> str:
        count = size // len(self.unit + self.closing) + 1
        units = "".join(self.unit.replace("\0", str(number)) for number in range(count))
        return f"{self.before}{units}{self.closing * count}{self.after}"


JUDGED = {  # reference -> question
    "no answer": "How many times was aspirin given since 2150?",
    "[]": "Which drugs did the patient receive?",
    "[[None]]": "What was the maximum sodium?",
    "[[1]]": "Was the patient given aspirin?",
    "[[3.5]]": "What was the maximum sodium?",
    "[['2151-03-02 10:00:00']]": "When was the first dose?",
    "[['aspirin']]": "Which drug did the patient receive?",
    "[['aspirin'], ['heparin sodium'], [3]]": "Which drugs did the patient receive?",
}
RULES, MEDAGENTBENCH = RulesJudge(), registry.get("medagentbench")
MATCH = {"any_of": False, "absolute": 0.1, "relative": 0, "separators": ",;", "letters": "AB"}


def judge(truth, text):
    RULES.judge(question=JUDGED[truth], assumption=None, true_answer=truth, agent_answer=text)


def grade_task(kind, text):
    """Grade, show and digest a text that is the answer, a payload and the number of messages."""
    reference = Reference(task_id=f"{kind}_1", value=1.5, mrn="S1", time="2023", order_due=True, referral="x")
    post, reply = {"role": "agent", "content": f"POST a\n{text}"}, {"role": "user", "content": "accepted"}
    history = [post, {**reply, "content": "POST request accepted"}, *[reply] * (len(text) // 9)]
    result = TaskResult(task_id=reference.task_id, answer=text, post_history=history)
    verdict = grade(reference, answer=text, post_history=history)
    MEDAGENTBENCH.failed_check(result, verdict.reason, reference)
    MEDAGENTBENCH.own_work(result)
    encode_answer(MEDAGENTBENCH, result)


SUBJECTS = [
    *(partial(judge, truth) for truth in JUDGED),
    *(partial(grade_task, kind) for kind in TaskType),
    *(Matcher({"match": {**MATCH, "kind": kind}}).form for kind in ("normalised", "set", "number", "choice")),
    *(has_readable_form, ticked, escape_latex, escape_markdown, neutralise),
    lambda text: block(redacted(parsed_json(text))),
    lambda text: in_json(Fix(before="1", after="2"), text, "1"),
    lambda text: card_svg(small=text, title=text, text=text, figures=[(text, text)], foot=[text]),
]


def patterns_in(value):
    if isinstance(value, re.Pattern):
        return [value]
    return [found for one in value for found in patterns_in(one)] if isinstance(value, tuple) else []


# What the code looks for in an answer.
JUDGES = ("wardboard.scoring.fhir_agentbench.judge.", "wardboard.scoring.reading.no_answers")
MODULES = [vars(module) for name, module in sorted(sys.modules.items()) if name.startswith(JUDGES)]
PATTERNS = [
    *dict.fromkeys(pattern for names in MODULES for one in names.values() for pattern in patterns_in(one))
]
MARKS = st.one_of(st.sampled_from(PATTERNS).flatmap(st.from_regex), st.characters())
NESTED = [("[", "]"), ('{"a":', "}"), ("<answer>", "</answer>"), ("\\boxed{", "}"), ("(", ")"), ("**", "**")]
SHAPES = st.one_of(
    st.builds(
        Shape,
        st.sampled_from(["", "x ", "[", "Answer: ", "request failed "]),
        st.tuples(MARKS, st.sampled_from(["", " ", "\n", ". ", "\0 "]), MARKS | st.just("")).map("".join),
        after=st.sampled_from(["", "x", "\n", '"', "}"]),
    ).filter(lambda shape: len(shape.unit) < 200),
    st.sampled_from(NESTED).map(lambda pair: Shape("", *pair)),
)


def assert_no_faster_growth(do, size, shape):
    texts, best = [shape.text(size), shape.text(2 * size)], [float("inf")] * 2
    for _ in range(6):  # a busy machine makes one look slow, and hardly each
        for which, text in enumerate(texts):
            began = time.process_time()
            do(text)
            best[which] = min(best[which], time.process_time() - began)
        if best[1] <= max(MOST * best[0], ENOUGH * len(texts[1])):
            return
    raise AssertionError(f"{do} takes {best[0]:.3f} and {best[1]:.3f} s on {shape}")


KNOWN = [
    Shape("", "so, my answer*: \0 x\n"),
    Shape("The sodium is 9. The request failed", " ", after="x"),
    *(Shape("", unit) for unit in ("answer: ", "eyJ-", "(1 request failed) ", "\n", "a b c d e ")),
    *(Shape("a", unit) for unit in ("\u05b1\u05b0", "\u0301\u0327", "\ufdfa", "\nuser: x", "mark this x ")),
    *(Shape("x", "\n-\n", after="x"), Shape("", "[", "]"), Shape('"', '\\"')),
]


@pytest.mark.parametrize("shape", KNOWN, ids=repr)
def test_twice_a_text_that_once_took_long_takes_twice_the_time(shape):
    for do in SUBJECTS:
        assert_no_faster_growth(do, 6_000, shape)


@settings(max_examples=examples(1_200))
@given(st.sampled_from(SUBJECTS), st.sampled_from([1_900, 9_000]), SHAPES)
def test_twice_any_text_takes_twice_the_time(do, size, shape):
    assert_no_faster_growth(do, size, shape)


def test_every_kind_of_reference_and_question_is_judged():
    assert {read_reference(truth).kind for truth in JUDGED} == {*ReferenceKind} - {ReferenceKind.ODD}
    assert {read_question(question, None).kind for question in JUDGED.values()} == {*QuestionKind}
