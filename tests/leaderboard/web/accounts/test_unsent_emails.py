"""Without a mail server, the log says that emails were not sent, and holds no link."""

import logging

import pytest

from tests.support import processes
from tests.support.processes import environment

# Settings alone: no application is loaded for them.
BACKEND = "from django.conf import settings; print(settings.EMAIL_BACKEND.split('.')[-2])"


def test_the_log_has_the_subject_of_an_email_and_no_link(visitor, user, settings, caplog, capsys):
    settings.EMAIL_BACKEND = "leaderboard.web.accounts.unsent.UnsentEmailBackend"
    with caplog.at_level(logging.INFO):
        visitor.post("/accounts/password/reset/", {"email": user.email})
    (line,) = [record for record in caplog.records if record.name.startswith("leaderboard")]
    assert line.levelname == "WARNING"
    assert "EMAIL_HOST is not set: Wardboard: Choose a new password" in line.getMessage()
    written = caplog.text + "".join(capsys.readouterr())
    assert "http" not in written
    assert user.email not in written


@pytest.mark.django_db
@pytest.mark.parametrize("has_mail", [True, False])
def test_a_sign_up_says_that_an_email_was_sent_only_where_one_can_be(visitor, settings, has_mail):
    settings.NOTIFIES = has_mail
    form = {"email": "ada@example.org", "name": "Ada", "password1": "a-long-password-1"}
    page = visitor.post("/accounts/signup/", form, follow=True)
    assert page.redirect_chain
    assert ("Confirmation email sent to ada@example.org." in page.text) == has_mail


@pytest.mark.parametrize(
    ("variables", "backend"),
    [
        ({}, "unsent"),
        ({"DEBUG": "1"}, "console"),
        ({"DEBUG": "1", "EMAIL_HOST": "mail.example.org"}, "smtp"),
    ],
)
def test_emails_are_printed_for_developers_only(variables, backend):
    process = processes.run("-c", BACKEND, env=environment(**variables), timeout=120)
    assert (process.returncode, process.stdout.split()) == (0, [backend]), process.stderr
