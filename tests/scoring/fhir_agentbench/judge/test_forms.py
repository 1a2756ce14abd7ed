"""How many answers have a form that the rules can read, without any reference."""

import io
import json
from itertools import count
from types import SimpleNamespace

from wardboard.scoring import registry
from wardboard.scoring.fhir_agentbench.judge.rules import form
from wardboard.scoring.fhir_agentbench.judge.rules.form import count_forms, has_readable_form
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord
from wardboard.scoring.runs import read_with_places

UNREAD = "The potassium was 4.1. The sodium was 139."


def test_an_answer_in_one_place_has_a_readable_form_and_one_in_several_or_none_has_not():
    for answer in [
        "5",
        "Yes.",
        f"{UNREAD} Final answer: 4.1",
        f"{UNREAD}\n\n**Answer:** 4.1",
        'Here it is.\n```json\n{"answer": 5}\n```',
        "I read two tables.\n\n| Answer |\n| --- |\n| 5 |",
        "The value is **5** mmol. It was high.",
        "<answer>5</answer>",
        "Aspirin, Heparin, Warfarin",
    ]:
        assert has_readable_form(answer), answer
    resources = '[{"resourceType": "Observation", "id": "1"}, {"resourceType": "Observation", "id": "2"}]'
    for answer in [UNREAD, "Answer: 5\nAnswer: 6", "Is it 5?", resources, "value " * 2000]:
        assert not has_readable_form(answer), answer


def records(*answers, **more):
    return [AnswerRecord(task_id=f"{n:024x}", answer=answer, **more) for n, answer in enumerate(answers)]


def test_only_answers_that_a_judge_gets_are_counted():
    forms = count_forms(records("5", UNREAD, None, 7, " ", "Input tokens exceeded", ["a", "b"]), seconds=60)
    assert (forms.answers, forms.readable) == (2, 1)
    (unread,) = forms.unread
    assert (unread.task, unread.answer) == (f"{1:024x}", UNREAD)
    assert count_forms(records("5", failed=True), seconds=60).answers == 0


def test_after_the_time_the_rest_is_left_out_and_that_is_said(monkeypatch):
    monkeypatch.setattr(form, "time", SimpleNamespace(monotonic=count().__next__))
    forms = count_forms(records(*["5"] * 9), seconds=4)
    assert forms.is_part
    assert 0 < forms.answers < 9


def test_reading_a_file_that_is_not_quoted_names_the_tasks_alone():
    benchmark = registry.get("fhir-agentbench")
    raw = json.dumps([{"question_id": f"{1:024x}", "agent_answer": UNREAD, "agent_fhir_resources": {}}])

    def forms_of(**options):
        known = {"task_ids": (), "version": "", "limits": benchmark.limits, "has_forms": True, **options}
        return read_with_places(benchmark, io.BytesIO(raw.encode()), **known).forms

    assert [one.answer for one in forms_of().unread] == [UNREAD]
    assert [(one.task, one.answer) for one in forms_of(quotes=False).unread] == [(f"{1:024x}", "")]
    assert forms_of(has_forms=False) is None
