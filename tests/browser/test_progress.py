"""The page of a submission on its way to its score, in a browser."""

import threading

import pytest
from django.db import connections

from leaderboard.models import JudgeMode
from leaderboard.services.submissions import grade
from tests.support import factories
from tests.support.llm_server import LlmReply, LlmServer

ALL = 10_000


@pytest.fixture
def ada(transactional_db):
    return factories.make_user("ada@example.org", first_name="Ada Lab")


@pytest.fixture
def queued(ada, good_answers, monkeypatch):
    """Make a submission for a language model to judge, and leave it queued."""
    board = factories.make_fhir_demo(judge_mode=JudgeMode.LLM, daily_limit=20)
    with monkeypatch.context() as busy:
        busy.setattr(grade, "score", lambda **_: None)
        return factories.send(ada, board, good_answers).submission


@pytest.fixture
def score(settings):
    """Return a function that scores a submission in a thread.

    The model answers the first `score.answers` requests and holds the others.
    """
    workers = []

    def work(pk):
        grade.score(submission_id=pk)
        connections.close_all()

    def reply(request):
        return LlmReply(until=lambda: request.number < start.answers)

    with LlmServer(reply) as server:
        settings.JUDGE = {**settings.JUDGE, "base_url": server.url, "model": "stub", "concurrency": 1}

        def start(pk):
            start.answers = 0
            workers.append(threading.Thread(target=work, args=[pk]))
            workers[-1].start()

        yield start
        start.answers = ALL
        for worker in workers:
            worker.join()


def test_the_progress_bar_moves_and_the_result_appears_without_a_reload(open_page, queued, sign_in, score):
    page = open_page()
    sign_in(page)
    page.goto(f"/submissions/{queued.pk}/")
    page.get_by_text("waiting to be scored.").wait_for()
    urls = []
    page.on("request", lambda request: urls.append(request.url))
    with page.expect_response(lambda response: "/progress/" in response.url):
        pass
    page.evaluate("window.mark = 'the same page'")
    score(queued.pk)
    page.get_by_role("progressbar", name="Answers judged").wait_for()
    for count in (10, 20):
        score.answers = count
        # Some answers need two requests.
        script = "least => document.querySelector('progress')?.value >= least"
        page.wait_for_function(script, arg=count - 5)
    score.answers = ALL
    page.get_by_text("Answer correctness").first.wait_for()
    assert page.locator("#announcement").text_content().strip().startswith("Scored. ")
    assert page.evaluate("window.mark") == "the same page"
    # Polling has ended.
    assert urls
    urls.clear()
    page.wait_for_timeout(3000)
    assert urls == []
    page.get_by_role("button", name="Publish").click()
    page.locator(".messages").get_by_text("Published on").wait_for()
    page.get_by_role("link", name="See its row").click()
    assert page.url.endswith(f"#system-{queued.system_id}")
