"""The page of a submission's tasks: each feedback level shows its part and nothing more."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest

from leaderboard.models import DataClass, Feedback, TaskTexts
from leaderboard.services.publishing.import_references import import_references
from tests.support import factories
from tests.support.factories import make_published, make_scored, send_runs, with_answers, with_history
from wardboard.scoring.fhir_agentbench import demo as fhir_files

MARK = "CANARYx7Qz"
CLASSES = ("wrong answer", "too few or too many POSTs", "The answer is wrong.", "another number was due")
TO_READERS = [Feedback.ANSWERS]


def address(submission, query=""):
    return f"/submissions/{submission.pk}/tasks/{query}"


def text_at(client, path):
    response = client.get(path)
    assert response.status_code == 200, response.status_code
    text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(unescape(text).split())


def shown_ids(client, path):
    return re.findall(r'<section class="task \w+" id="([^"]+)"', client.get(path).content.decode())


@pytest.fixture
def mixed(good_file):
    """Return a file with a wrong answer, too many POSTs, no answer, and a task that is missing."""
    raw = with_answers(good_file, task2_1='["certainly not this"]', task4_1=None)
    document = json.loads(raw)
    results = {result["task_id"]: result for result in document["results"]}
    results["task3_1"]["post_history"] *= 2
    document["results"] = [result for result in document["results"] if result["task_id"] != "task4_2"]
    return json.dumps(document).encode()


@pytest.fixture
def marked():
    """Return a board whose references of three tasks are marked, and the file that cannot be right there."""
    references = dict(factories.demo_references())
    references["task1_1"] = replace(references["task1_1"], value=[MARK])
    references["task8_1"] = replace(references["task8_1"], referral=MARK)
    references["task3_1"] = replace(references["task3_1"], mrn=MARK)
    board = factories.make_demo("marked", is_demo=False, rounding=0)
    import_references(board=board, references=references, origin="tests")
    return type(board).objects.get(pk=board.pk)


def at_level(submission, level):
    type(submission.board).objects.filter(pk=submission.board_id).update(feedback=level)


def test_each_level_adds_its_part_and_nothing_beyond(ada, demo, user, mixed):
    texts = {"task2_1": "How old is patient S9100001?"}
    TaskTexts.objects.create(revision=demo.active_revision, texts=texts)
    submission = make_scored(user, demo, mixed)
    at_level(submission, Feedback.BY_TASK)
    text = text_at(ada, address(submission, "?outcome=all"))
    assert "Careful agent: 7 of 50 wrong" in text
    for shown in ('["certainly not this"]', texts["task2_1"], "POST Observation accepted", "Not in the file"):
        assert shown.lower() in text.lower()
    assert [hidden for hidden in (*CLASSES, "Expected") if hidden in text] == []
    # What follows from the file alone is a filter at this level too, and no other failure.
    assert shown_ids(ada, address(submission, "?failure=not+in+the+file")) == ["task4_2"]
    assert len(shown_ids(ada, address(submission, "?failure=wrong+answer"))) == 7
    # Each bar by type leads to its wrong tasks.
    page = ada.get(f"/submissions/{submission.pk}/").content.decode()
    links = re.findall(rf'href="({address(submission)}\?outcome=wrong&amp;group=\w+)"', page)
    assert links
    ids = [task for link in links for task in shown_ids(ada, unescape(link))]
    assert sorted(ids) == sorted(shown_ids(ada, address(submission)))

    at_level(submission, Feedback.BY_CHECK)
    text = text_at(ada, address(submission))
    assert "2 POSTs were accepted; another number was due." in text
    assert "wrong answer" in text
    assert [hidden for hidden in ("Expected", "One POST was expected") if hidden in text] == []
    assert shown_ids(ada, address(submission, "?failure=too+few+or+too+many+POSTs")) == ["task3_1"]

    at_level(submission, Feedback.ANSWERS)
    text = text_at(ada, address(submission))
    assert "2 POSTs were accepted. One POST was expected." in text
    assert "POST Observation not due" in text
    assert f"Expected [{factories.demo_references()['task2_1'].value}]" in text


@pytest.mark.parametrize("level", Feedback.values)
def test_a_reference_is_shown_at_the_level_of_answers_alone(ada, visitor, marked, user, good_file, level):
    submission = make_published(user, marked, good_file)
    at_level(submission, level)
    found = []
    for client in (ada, visitor):
        page = f"/submissions/{submission.pk}/"
        paths = (address(submission, "?outcome=all"), address(submission), page, f"{page}traces/task3_1/")
        pages = [client.get(path).content.decode() for path in paths]
        pages.append(client.get(f"/api/v1/submissions/{submission.pk}/").content.decode())
        pages.append(client.get(f"/systems/{submission.system_id}/").content.decode())
        found.append(any(MARK in page for page in pages))
    assert found == [level in TO_READERS] * 2


@pytest.mark.parametrize("level", [Feedback.BY_CHECK, Feedback.ANSWERS])
def test_others_read_published_results_at_the_level_of_answers_alone(
    visitor, grace, demo, user, mixed, level
):
    submission = make_published(user, demo, mixed)
    at_level(submission, level)
    is_public = level in TO_READERS
    assert visitor.get(address(submission)).status_code == (200 if is_public else 302)
    assert grace.get(address(submission)).status_code == (200 if is_public else 404)
    link = f"{address(submission)}?outcome=wrong&amp;group=task3"
    for page in (f"/systems/{submission.system_id}/", f"/submissions/{submission.pk}/"):
        assert (link in visitor.get(page).content.decode()) == is_public
    if is_public:
        text = text_at(visitor, address(submission))
        assert "doubtful" not in text
        assert "Trace" not in text, "its team has not made them public"


def test_credentialed_data_keep_the_tasks_with_their_team(ada, visitor, demo, user, mixed):
    submission = make_published(user, demo, mixed)
    at_level(submission, Feedback.ANSWERS)
    type(demo).objects.update(data_class=DataClass.CREDENTIALED)
    assert ada.get(address(submission)).status_code == 200
    assert visitor.get(address(submission)).status_code == 302


def test_runs_that_differ_are_shown_one_by_one_and_a_common_failure_once(ada, demo, user, good_file):
    other = with_answers(good_file, task2_1='["another"]')
    third, fourth = with_answers(other, task2_2='["x"]'), with_answers(other, task2_1='["y"]')
    submission = send_runs(user, demo, [good_file, other, third, fourth]).submission
    at_level(submission, Feedback.BY_CHECK)
    text = text_at(ada, address(submission))
    assert "Wrong in at least one of 4 runs." in text
    assert "correct in 1 of 4 runs" in text
    assert 'Answer, run 2, 3 ["another"]' in text
    assert "Run 2, 3, 4: The answer is wrong." in text
    at_level(submission, Feedback.BY_TASK)
    text = text_at(ada, address(submission))
    assert 'Answer, run 2, 3 ["another"]' in text
    assert "Run 2, 3, 4:" not in text, "which run is wrong is not shown at this level"


def test_open_answers_are_undecided_and_groups_of_questions_are_hidden(ada, fhir_demo, user):
    submission = make_scored(user, fhir_demo, fhir_files.NOISY.read_bytes())
    open_tasks = submission.evaluation.verdicts
    assert open_tasks
    for level in (Feedback.BY_TASK, Feedback.BY_CHECK):
        at_level(submission, level)
        text = text_at(ada, address(submission))
        assert "Undecided" in text
        undecided = text_at(ada, address(submission, "?outcome=open"))
        assert "did not accept" not in undecided, "nothing has decided"
        # The resource type of a question follows from its reference.
        assert "Resource type" not in text
        assert "reference resource" not in text
        assert len(shown_ids(ada, address(submission, "?outcome=wrong&group=condition"))) == len(
            shown_ids(ada, address(submission))
        )
    at_level(submission, Feedback.ANSWERS)
    text = text_at(ada, address(submission))
    assert "Resource type Condition" in text
    assert "reference resources" in text
    assert "The rules did not accept the answer." in text
    assert "left the answer open" in text_at(ada, address(submission, "?outcome=open"))


def test_nothing_in_an_answer_is_markup_and_long_ones_are_folded(ada, demo, user, good_file):
    attack = "<script>alert(1)</script>"
    raw = with_answers(good_file, task2_1=json.dumps([attack]), task2_2=json.dumps(["long " * 400]))
    raw = with_history(raw, "task7_1", f"POST http://x/{attack}\n{attack}", "POST request accepted")
    submission = make_scored(user, demo, raw, system="x" * 120)
    at_level(submission, Feedback.ANSWERS)
    page = ada.get(address(submission)).content.decode()
    assert attack not in page
    assert "&lt;script&gt;" in page
    assert "2,004 characters" in page
    assert "x" * 120 + ": " in text_at(ada, address(submission))
