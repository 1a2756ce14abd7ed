"""The tasks of a submission by the API: the same parts at each feedback level as on the page."""

import pytest

from leaderboard.models import Board, Feedback
from tests.support.factories import make_facts, with_answers
from wardboard.scoring.fhir_agentbench import demo as fhir_files

pytestmark = pytest.mark.both_databases


@pytest.fixture
def address(api, demo, good_file):
    return f"{api.send(with_answers(good_file, task2_1='[-7]'), make_facts()).json()['url']}tasks/"


def first_task(api, address, level):
    Board.objects.update(feedback=level)
    answer = api.get(address, {"outcome": "wrong", "group": "task2"}).json()
    assert (answer["count"], answer["pages"], answer["next"], answer["answers_away"]) == (1, 1, None, False)
    (task,) = answer["results"]
    (attempt,) = task["attempts"]
    assert (task["task_id"], task["group"], task["outcome"]) == ("task2_1", "task2", "wrong")
    assert (attempt["runs"], attempt["outcome"], attempt["answer"]) == ([1], "wrong", "[-7]")
    return attempt["code"], attempt["why"], task["expected"]


def test_each_level_adds_its_part(api, address):
    assert first_task(api, address, Feedback.BY_TASK) == ("", "", None)
    assert first_task(api, address, Feedback.BY_CHECK) == ("answer-mismatch", "The answer is wrong.", None)
    code, why, expected = first_task(api, address, Feedback.ANSWERS)
    assert (code, bool(why), len(expected["answers"])) == ("answer-mismatch", True, 1)


def test_below_the_level_of_answers_no_code_says_more_than_the_words(api, fhir_demo):
    # Which judge decided reveals whether the rules can read the reference.
    sent = api.send(fhir_files.NOISY.read_bytes(), make_facts(), benchmark=fhir_demo.slug).json()
    found = {}
    for level in (Feedback.BY_CHECK, Feedback.ANSWERS):
        Board.objects.update(feedback=level)
        tasks = api.get(f"{sent['url']}tasks/", {"outcome": "wrong", "per_page": "200"}).json()["results"]
        found[level] = {attempt["code"] for task in tasks for attempt in task["attempts"]}
    assert "wrong-by-rules" in found[Feedback.ANSWERS]
    assert not any("by" in code for code in found[Feedback.BY_CHECK])
