import os
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import requests
from django.db import connection
from django.db.models.functions import Now

from leaderboard import gunicorn
from leaderboard.database import patience
from leaderboard.database.sqlite.write_queue import queue_of
from leaderboard.models import AccountEmail, AuditEvent, Evaluation, Status, Submission, Work
from leaderboard.services import background
from leaderboard.services.accounts import create_token
from leaderboard.services.processes import heartbeat
from tests.support.factories import send
from tests.support.processes import overriding, wait_for
from tests.support.wire import send_form

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def test_a_file_is_scored_in_the_answer_and_no_header_chooses_the_folder_of_the_application(
    demo, user, good_file, serve
):
    _, token = create_token(user=user, name="ci", days=1)
    base = serve(WEB_WORKERS="1")
    response = send_form(base, token, good_file)
    assert response.status_code == 201, response.text
    assert Submission.objects.get().status == Status.SCORED
    for _ in range(2):
        pages = [
            requests.get(f"{base}/zh-hant/benchmarks/{demo.slug}/", headers=headers, timeout=60)
            for headers in ({"SCRIPT_NAME": "/zh-hant"}, {"PATH_INFO": f"/benchmarks/{demo.slug}/"}, {})
        ]
        assert {page.headers["Content-Language"] for page in pages} == {"zh-Hant"}


def test_the_replacement_of_a_killed_worker_scores_its_submission(demo, user, good_file, serve, tmp_path):
    _, token = create_token(user=user, name="ci", days=1)
    mark = tmp_path / "pid"
    base = serve(
        "tests.support.programs.endless_scoring_wsgi",
        MARK=str(mark),
        WEB_WORKERS="1",
        **overriding(LEASE_SECONDS=2),
    )
    outcome = []

    def upload():
        try:
            outcome.append(send_form(base, token, good_file).status_code)
        except requests.ConnectionError:
            outcome.append("cut off")

    client = threading.Thread(target=upload)
    client.start()
    pid = int(wait_for(lambda: mark.exists() and mark.read_text()))
    assert Submission.objects.get().status == Status.SCORING
    os.kill(pid, signal.SIGKILL)
    client.join(timeout=120)
    assert outcome == ["cut off"]
    wait_for(lambda: Submission.objects.get().status == Status.SCORED)
    assert Submission.objects.get().evaluation == Evaluation.objects.get()
    assert AuditEvent.objects.filter(action=AuditEvent.Action.SCORED).count() == 1


def test_every_process_beats_and_sweeps_and_only_without_workers_one_works(settings, monkeypatch):
    served, started = [], []
    monkeypatch.setattr(background, "serve", lambda **_: served.append(1))
    monkeypatch.setattr(heartbeat, "start", lambda **options: started.append(options["lanes"]))
    monkeypatch.setattr(patience, "limit_locks", lambda: None)
    # It replaces the handler of the signal that ends a worker.
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    settings.WORKERS = True
    gunicorn.post_worker_init(worker=None)
    assert (served, started) == ([], [[]])
    settings.WORKERS = False
    gunicorn.post_worker_init(worker=None)
    wait_for(lambda: served)
    assert started[1:] == [["short", "long", "statistics"]]


def test_only_a_proxy_is_believed_that_a_request_came_by_https(demo, serve):
    base = serve(HTTPS="1", WEB_WORKERS="1")
    answer = requests.get(
        f"{base}/about/", headers={"X-Forwarded-Proto": "https"}, timeout=60, allow_redirects=False
    )
    assert answer.status_code == 301


def test_who_waits_for_a_score_gets_an_answer_when_the_server_stops(
    demo, user, good_file, serve, monkeypatch
):
    monkeypatch.setattr(background, "is_for_request", lambda **_: False)
    monkeypatch.setattr(background, "enqueue", lambda *_, **__: None)
    queued = send(user, demo, good_file).submission
    _, token = create_token(user=user, name="ci", days=1)
    # Another process works on it, and takes its time.
    Submission.objects.filter(pk=queued.pk).update(status=Status.SCORING, claim=uuid4())
    Work.objects.update(attempts=1, leased_until=Now() + timedelta(minutes=1))
    url = f"{serve(WEB_WORKERS='1')}/api/v1/submissions/{queued.pk}/?wait=50"
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(requests.get, url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        time.sleep(1)
        assert not waiting.done(), waiting.result().text
        began = time.monotonic()
        serve.process.terminate()
        assert waiting.result().json()["status"] == "scoring"
        assert time.monotonic() - began < 10


# With PostgreSQL a proxy keeps pages and files apart.
@pytest.mark.skipif(connection.vendor != "sqlite", reason="this is about SQLite")
def test_no_page_waits_behind_files_that_wait(demo, user, good_file, serve):
    _, token = create_token(user=user, name="ci", days=1)
    base = serve(WEB_WORKERS="1")
    turn = queue_of(str(Path(connection.settings_dict["NAME"]).absolute())).take(30)
    with ThreadPoolExecutor(20) as clients:
        sent = [clients.submit(send_form, base, token, good_file + b" " * number) for number in range(20)]
        # Each has reached the service, which waits for the database.
        time.sleep(2)
        page = requests.get(f"{base}/benchmarks/{demo.slug}/", timeout=15)
        assert (page.status_code, [each for each in sent if each.done()]) == (200, [])
        turn.end()
        assert {each.result().status_code for each in sent} <= {200, 201}


def post_form(base, path, **fields):
    with requests.Session() as browser:
        page = browser.get(base + path, timeout=60)
        (token,) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[:1]
        fields["csrfmiddlewaretoken"] = token
        return browser.post(base + path, data=fields, timeout=60, allow_redirects=False)


def test_a_mail_server_that_is_silent_holds_up_no_request_and_loses_no_email(user, serve, silent_port):
    base = serve(WEB_WORKERS="1", WEB_THREADS="1", EMAIL_HOST=f"127.0.0.1:{silent_port}", EMAIL_TLS="0")
    # Each would take its 10 seconds from the only thread.
    for _ in range(4):
        assert post_form(base, "/accounts/password/reset/", email=user.email).status_code == 302
    answer = post_form(
        base, "/accounts/signup/", email="new@example.org", password1="long-enough-4711", name="New"
    )
    assert answer.status_code == 302
    assert AccountEmail.objects.filter(sent_at=None).exclude(encrypted="").count() == 5
    wait_for(lambda: AccountEmail.objects.filter(attempts__gt=0).exists())
    assert "and some wait" in requests.get(f"{base}/readyz", timeout=60).json()["mail"]
