"""Uploads, failures, sign-ins and resets leave no answer, reference, token or link in the log."""

import json
import logging
import re
from io import StringIO
from uuid import uuid4

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client

from leaderboard.models import EmailKind, Status, Submission
from leaderboard.monitoring.log_format import FORMATS, LogFormatter
from leaderboard.services.accounts import create_token
from leaderboard.services.notifications.choices import make_token
from leaderboard.services.notifications.send import notify
from leaderboard.services.submissions import admit, grade
from leaderboard.web.boards import page
from tests.support.api_client import Api
from tests.support.factories import with_answers

# Parts of what must not be logged, and no word of ours.
ANSWER, REFERENCE, PASSWORD = "zebra-answer-4711", "quagga-reference-4711", "okapi-password-4711"


@pytest.fixture
def logs(monkeypatch):
    """Write every record, debug lines included, in both formats as the service would."""
    outputs = {name: StringIO() for name in FORMATS}
    handlers = []
    for name, output in outputs.items():
        handler = logging.StreamHandler(output)
        monkeypatch.setenv("LOG_FORMAT", name)
        handler.setFormatter(LogFormatter())
        handlers.append(handler)
    # As LOG_LEVEL=DEBUG would.
    root, changed = logging.getLogger(), settings.LOGGING["loggers"]
    levels = {name: logging.getLogger(name).level for name in ("", *changed)}
    root.setLevel(logging.DEBUG)
    for name, values in changed.items():
        logging.getLogger(name).setLevel(values["level"])
    root.handlers += handlers
    yield outputs
    for handler in handlers:
        root.removeHandler(handler)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def fail_with(error):
    def fail(*_, **__):
        raise error

    return fail


def play_uploads(api, good_file, system_facts, monkeypatch):
    """Send a file that is scored, one that is rejected, and two that fail through a fault of ours."""
    answered = with_answers(good_file, task1_1=f'["{ANSWER}"]')
    assert api.send(answered, system_facts).status_code == 201
    assert (
        api.send(b'{"results": [{"task_id": "' + ANSWER.encode() + b'"}]}', system_facts).status_code == 422
    )
    with monkeypatch.context() as broken:
        broken.setattr(grade, "references_of", fail_with(KeyError(REFERENCE)))
        assert api.send(with_answers(good_file, task1_2='["1"]'), system_facts).status_code == 500
    with monkeypatch.context() as broken:
        broken.setattr(admit, "extract_records", fail_with(ValueError(f"not a number: {ANSWER}")))
        assert api.send(with_answers(good_file, task1_3='["2"]'), system_facts).status_code == 500
    assert Submission.objects.filter(status=Status.FAILED).count() == 2
    with monkeypatch.context() as broken:
        broken.setattr(page, "read_divided", fail_with(LookupError(REFERENCE)))
        visitor = Client(raise_request_exception=False)
        assert visitor.get("/benchmarks/medagentbench-demo/").status_code == 500


def play_accounts(user, token) -> list[str]:
    """Sign in with a wrong password, use a wrong token, and reset a password; return what must be secret."""
    visitor = Client(enforce_csrf_checks=True, raise_request_exception=False)
    visitor.get("/accounts/login/")
    form = {"csrfmiddlewaretoken": visitor.cookies["csrftoken"].value}
    visitor.post("/accounts/login/", {**form, "login": user.email, "password": PASSWORD})
    assert Api(f"{token}x").get("/api/v1/submissions/").status_code == 401
    visitor.post("/accounts/password/reset/", {**form, "email": user.email})
    notify()
    (link,) = re.findall(r"http://testserver(/\S+/reset/key/\S+)", mail.outbox[-1].body)
    # A link for reviewers that is gone, or mistyped, is a warning with its address.
    review = f"{uuid4().hex}.quokka-link-4711{'x' * 27}"
    assert visitor.get(f"/review/{review}/").status_code == 404
    # A request without the form's token is refused, and the log names its address.
    assert Client(enforce_csrf_checks=True).post(link).status_code == 403
    off = make_token(user, EmailKind.DECISION)
    assert Client().put(f"/account/emails/off/{off}/").status_code == 405
    reset = link.split("/key/")[1].strip("/")
    return [off, review.split(".")[1], PASSWORD, token, form["csrfmiddlewaretoken"], reset]


def test_no_format_has_an_answer_a_reference_a_token_or_a_link(
    logs, demo, user, good_file, system_facts, monkeypatch
):
    monkeypatch.setattr(settings, "NOTIFIES", True)
    _, token = create_token(user=user, name="ci", days=1)
    play_uploads(Api(token), good_file, system_facts, monkeypatch)
    secrets = [ANSWER, REFERENCE, *play_accounts(user, token)]
    for name, output in logs.items():
        text = output.getvalue()
        for expected in (
            "scoring of submission",
            "could not be checked",
            "LookupError",
            "/reset/key/[hidden]",
            "/review/[hidden]",
        ):
            assert expected in text, name
        assert [secret for secret in secrets if secret in text] == [], name
    lines = [json.loads(line) for line in logs["json"].getvalue().splitlines()]
    (failure,) = [line for line in lines if line["message"].startswith("scoring of submission")]
    failed = Submission.objects.get(failure=grade.OUR_FAULT, count__isnull=False)
    assert failure["submission_id"] == str(failed.pk)
    assert re.fullmatch(r"[0-9a-f]{32}", failure["request_id"])
