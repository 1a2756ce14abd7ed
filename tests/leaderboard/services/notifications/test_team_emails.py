"""Emails to teams: each about one event, once, to members who want it, with nothing that is hidden."""

import re
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.utils import timezone

from leaderboard.models import Membership, Notification, Submission, Team, TeamApproval
from leaderboard.services.notifications import choices
from leaderboard.services.publishing import announcements, approvals
from leaderboard.services.publishing.disqualify import disqualify, reinstate
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.submissions import grade
from leaderboard.services.submissions.rescore import rescore
from tests.support.factories import (
    make_hidden,
    make_published,
    make_scored,
    make_user,
    other_references,
    send,
    verify,
    with_answers,
    with_wrong,
)


def sent_earlier(submission, **ago):
    Submission.objects.filter(pk=submission.pk).update(received_at=timezone.now() - timedelta(**ago))


def test_a_score_that_came_at_once_is_no_news(ada, board, good_file, deliver):
    make_scored(ada, board, good_file)
    assert deliver() == []


def test_a_score_that_took_more_than_a_minute_is_emailed_once_and_without_figures(
    ada, board, good_file, deliver
):
    submission = make_scored(ada, board, good_file)
    sent_earlier(submission, minutes=2)
    (letter,) = deliver()
    assert letter.to == [ada.email]
    assert letter.subject == "[MedAgentBench demo] Your submission is scored"
    assert f"https://board.example.org/submissions/{submission.pk}/" in letter.body
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC|https://\S+", "", letter.body)
    assert not re.search(r"\d", text)
    assert deliver() == [] == deliver(hours=5)


def test_a_file_with_errors_is_emailed_when_its_check_took_more_than_a_minute(
    ada, board, malformed_file, deliver
):
    sent_earlier(send(ada, board, malformed_file).submission, minutes=2)
    (letter,) = deliver()
    assert letter.subject.endswith("Your file has errors")


def test_a_failure_is_emailed_however_soon_it_came(ada, board, good_file, deliver, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(grade, "grade", fail)
    assert send(ada, board, good_file).submission.status == "failed"
    (letter,) = deliver()
    assert letter.subject.endswith("Your submission failed")
    assert "a fault of ours" not in letter.body


def test_a_disqualification_is_emailed_with_its_reason_and_so_is_its_end(
    ada, board, good_file, boss, deliver
):
    result = make_published(ada, board, good_file)
    disqualify(submission_id=result.pk, by=boss, reason="trained on the tasks")
    (letter,) = deliver()
    assert letter.subject == "[MedAgentBench demo] Your submission was disqualified"
    assert "Reason: trained on the tasks" in letter.body
    assert boss.email not in str(letter.message())
    reinstate(submission_id=result.pk, by=boss)
    (letter,) = deliver()
    assert letter.subject.endswith("Your submission was reinstated")


def test_a_rescored_result_is_emailed_with_old_and_new_score_and_rank_once_the_board_is_done(
    ada, board, good_file, deliver
):
    make_published(ada, board, good_file, system="Alpha")
    make_published(verify(make_user("grace@example.org")), board, with_wrong(good_file, 1), system="Beta")
    import_references(board=board, references=other_references(), origin="corrected")
    board.refresh_from_db()
    rescore(board=board)
    assert deliver() == []
    letters = deliver(minutes=6)
    alpha = next(letter for letter in letters if letter.to == [ada.email])
    assert "- Alpha: score 94.0% before, 92.0% now" in alpha.body
    assert "Beta" not in alpha.body
    assert "https://board.example.org/benchmarks/hidden/changes/" in alpha.body
    assert deliver(minutes=12) == []


def test_a_rescored_result_whose_rank_alone_changed_is_emailed(ada, board, good_file, deliver):
    # Its answer to the task whose reference changes was wrong before, so only the other result loses it.
    beta = with_answers(good_file, task2_1='["certainly not this"]')
    make_published(ada, board, beta, system="Beta")
    make_published(make_user("grace@example.org"), board, good_file, system="Alpha")
    import_references(board=board, references=other_references(), origin="corrected")
    board.refresh_from_db()
    rescore(board=board)
    (letter,) = deliver(minutes=6)
    assert "- Beta: score 92.0% before, 92.0% now, rank 2 before, 1 now" in letter.body


def test_a_result_that_was_rescored_and_stayed_the_same_is_no_news(ada, board, good_file, deliver):
    make_published(ada, board, with_wrong(good_file, 50))
    import_references(board=board, references=other_references(), origin="corrected")
    board.refresh_from_db()
    rescore(board=board)
    assert deliver(minutes=6) == []


def test_a_rescored_result_that_is_not_published_is_emailed_to_nobody(ada, board, good_file, deliver):
    make_scored(ada, board, good_file)
    import_references(board=board, references=other_references(), origin="corrected")
    board.refresh_from_db()
    rescore(board=board)
    assert deliver(minutes=6) == []


def test_a_team_hears_whether_it_is_approved_with_the_answer(ada, team, boss, deliver):
    board = make_hidden("approving")
    approval = approvals.request_approval(board=board, team=team, by=ada, message="We are a lab.")
    approvals.refuse(approval=approval, by=boss, answer="Tell us who you are.")
    (letter,) = deliver()
    assert letter.subject.endswith("Your team was not approved")
    assert "Their answer: Tell us who you are." in letter.body
    approvals.approve(approval=TeamApproval.objects.get(), by=boss)
    (letter,) = deliver()
    assert letter.subject.endswith("Your team is approved")


def test_an_announcement_goes_to_teams_with_a_published_result_in_their_language(
    ada, board, good_file, boss, deliver
):
    make_published(ada, board, good_file)
    reader = verify(make_user("reader@example.org"))
    reader.language = "zh-hant"
    reader.save()
    make_published(reader, board, with_wrong(good_file, 1), system="Beta")
    make_scored(verify(make_user("quiet@example.org")), board, with_wrong(good_file, 2), system="Gamma")
    announcements.announce(board=board, text="Maintenance on Monday.", text_zh="星期一維護。", by=boss)
    letters = {letter.to[0]: letter for letter in deliver()}
    assert letters.keys() == {ada.email, reader.email}
    assert "Maintenance on Monday." in letters[ada.email].body
    assert "星期一維護。" in letters[reader.email].body
    assert "https://board.example.org/zh-hant/benchmarks/hidden/" in letters[reader.email].body


def test_every_member_of_a_team_hears_of_it_but_who_has_no_verified_address(
    ada, team, board, good_file, boss, deliver
):
    colleague, guest = verify(make_user("colleague@example.org")), make_user("guest@example.org")
    EmailAddress.objects.create(user=guest, email=guest.email, primary=True, verified=False)
    for member in (colleague, guest):
        Membership.objects.create(team=team, user=member)
    disqualify(submission_id=make_published(ada, board, good_file).pk, by=boss, reason="a slip")
    assert {letter.to[0] for letter in deliver()} == {ada.email, colleague.email}


def test_a_kind_that_was_switched_off_is_not_sent_and_others_are(ada, board, good_file, boss, deliver):
    choices.choose(ada, {"decision": False})
    result = make_published(ada, board, good_file)
    disqualify(submission_id=result.pk, by=boss, reason="a slip")
    announcements.announce(board=board, text="Maintenance.", text_zh="", by=boss)
    reinstate(submission_id=result.pk, by=boss)
    (letter,) = deliver()
    assert letter.subject.endswith("Announcement of the organisers")


def test_what_happened_many_hours_ago_is_no_news(ada, board, good_file, boss, deliver):
    disqualify(submission_id=make_published(ada, board, good_file).pk, by=boss, reason="a slip")
    assert deliver(hours=7) == []


def test_where_no_email_goes_anywhere_nothing_is_written(ada, board, good_file, boss, deliver, settings):
    settings.NOTIFIES = False
    disqualify(submission_id=make_published(ada, board, good_file).pk, by=boss, reason="a slip")
    assert deliver() == []
    assert not Notification.objects.exists()


def test_names_cannot_add_lines_to_a_subject(ada, board, good_file, boss, deliver):
    board.title = "Board\nBcc: everyone@example.org"
    board.save()
    disqualify(submission_id=make_published(ada, board, good_file).pk, by=boss, reason="a slip")
    (letter,) = deliver()
    assert "\n" not in letter.subject
    # Mail programs look for the URL itself, not for an encoded word.
    assert b"=?" not in letter.message().as_bytes()
    assert letter.message()["Bcc"] is None
    assert Team.objects.count() == 1
