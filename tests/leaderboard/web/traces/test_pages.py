"""Pages of traces: who reads them, and that nothing in a trace is trusted."""

import json

import pytest

from leaderboard.models import Feedback, TaskTexts
from tests.support.factories import make_published, make_scored, with_history, with_wrong


@pytest.fixture
def scored(demo, user, good_file):
    raw = with_history(good_file, "task1_1", "GET Patient?name=A", '{"total": 0}', "FINISH([1])", "")
    return make_scored(user, demo, raw)


def test_the_team_reads_what_its_agent_did_and_the_desk_leads_to_it(ada, admin_client, scored):
    page = ada.get(f"/submissions/{scored.pk}/").content.decode()
    assert f"/submissions/{scored.pk}/traces/" in page
    assert (
        f"/submissions/{scored.pk}/traces/task1_1/"
        in ada.get(f"/submissions/{scored.pk}/traces/").content.decode()
    )
    page = ada.get(f"/submissions/{scored.pk}/traces/task1_1/").content.decode()
    assert "GET Patient?name=A" in page
    assert "{\n  &quot;total&quot;: 0\n}" in page, "the JSON of a body is indented"
    assert "Only the team and the organisers can read these traces." in page
    desk = admin_client.get(f"/organise/submissions/{scored.pk}/").content.decode()
    assert f"/submissions/{scored.pk}/traces/" in desk


def test_what_is_not_there_is_not_found_nor_traces_of_files_that_are_not_kept_any_more(ada, demo, scored):
    for path in ("nothing/", "task1_1/?run=7", "../../x/"):
        assert ada.get(f"/submissions/{scored.pk}/traces/{path}").status_code == 404, path
    assert ada.get(f"/submissions/{scored.pk}/traces/task1_1/?run=x").status_code == 200
    type(demo).objects.update(keep_originals=False)
    assert ada.get(f"/submissions/{scored.pk}/traces/task1_1/").status_code == 404
    assert "/traces/" not in ada.get(f"/submissions/{scored.pk}/").content.decode()


def test_the_head_of_a_trace_says_what_was_asked_and_why_it_is_wrong_and_leads_on(
    ada, demo, user, noisy_file
):
    type(demo).objects.update(feedback=Feedback.ANSWERS, rounding=0)
    TaskTexts.objects.create(revision=demo.active_revision, texts={"task9_2": "Look it up."})
    submission = make_scored(user, demo, noisy_file)
    at, listed = f"/submissions/{submission.pk}/traces/%s/?outcome=wrong", "tasks/?outcome=wrong"
    page = ada.get(f"/submissions/{submission.pk}/{listed}").content.decode()
    assert f'href="{at % "task9_2"}"' in page
    assert 'href="#task9_1" rel="prev" aria-keyshortcuts="k"' in page
    for level in (Feedback.ANSWERS, Feedback.OVERALL):
        type(demo).objects.update(feedback=level)
        head = ada.get(at % "task9_2").content.decode().partition('<ol class="conversation">')[0]
        shown = ["Look it up.", f"{listed}&amp;page=1#task9_2", "(MedicationRequest): wrong dosage"]
        shown += [f'href="{at % task}" rel=' for task in ("task9_1", "task10_5")]
        assert [text in head for text in shown] == [level == Feedback.ANSWERS] * len(shown)


def test_the_page_shows_no_verdict(ada, demo, user, good_file):
    type(demo).objects.update(feedback=Feedback.OVERALL)
    pages = []
    for wrong in (0, 5):
        submission = make_scored(user, demo, with_wrong(good_file, wrong))
        page = ada.get(f"/submissions/{submission.pk}/traces/task3_1/").content.decode()
        pages.append(page.partition('<ol class="conversation">')[2].partition("</ol>")[0])
    assert pages[0] == pages[1] != ""


def test_nothing_in_a_trace_is_markup_or_a_link_and_a_long_text_is_folded(ada, demo, user, good_file):
    attack = "GET <script>alert(1)</script> https://evil.example/ </pre><a href='x'>"
    raw = with_history(good_file, "task1_1", attack, '"><img src=x onerror=alert(1)>', "long " * 400)
    submission = make_scored(user, demo, raw)
    page = ada.get(f"/submissions/{submission.pk}/traces/task1_1/").content.decode()
    shown = page.partition('<ol class="conversation">')[2].partition("</ol>")[0]
    assert "&lt;script&gt;" in shown
    assert not any(tag in shown for tag in ("<script", "<img", "<a ", "</a>"))
    assert "<summary>" in shown
    assert "2,000 characters" in page


def test_tasks_lead_to_traces_where_the_reader_may_read_these(ada, visitor, demo, user, good_file):
    type(demo).objects.update(feedback=Feedback.ANSWERS, rounding=0, public_traces=True)
    submission = make_published(user, demo, good_file)
    path = f"/submissions/{submission.pk}/tasks/?outcome=all"
    link = f'href="/submissions/{submission.pk}/traces/%s/?outcome=all"'
    page = ada.get(path).content.decode()
    assert link % "task3_1" in page
    assert link % "task1_1" not in page, "it has no history"
    assert link % "task3_1" not in visitor.get(path).content.decode()
    type(submission).objects.update(public_traces=True)
    assert link % "task3_1" in visitor.get(path).content.decode()


# Turns a line, is invisible, ends a line in some programs, hides in a tag.
UNSEEN = "\u202e\u2066\u200f\u061c\u200b\u2028\U000e0041"


def test_no_page_shows_what_nobody_sees_or_what_turns_a_line_as_it_is(ada, demo, user, good_file):
    type(demo).objects.update(feedback=Feedback.ANSWERS, rounding=0)
    document = json.loads(good_file)
    for result in document["results"]:
        result["answer"] = f"{UNSEEN}{result['answer']}"
        for message in result["post_history"] or ():
            message["content"] = message["content"].replace("/fhir/", f"/fhir/{UNSEEN}", 1)
    submission = make_scored(user, demo, json.dumps(document).encode())
    texts = []
    for path in ("", "tasks/?outcome=all", "traces/", "traces/task3_1/"):
        texts.append(ada.get(f"/submissions/{submission.pk}/{path}").content.decode())
        assert not set(UNSEEN) & set(texts[-1]), path
    assert f"<code>POST {ascii(UNSEEN)[1:-1]}" in texts[1]
