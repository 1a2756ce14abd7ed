"""The limits of a board with hidden references: files of a team, of new teams, and of a network address."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone

from leaderboard.models import UNLIMITED, Access, ApprovalStatus, Status, Submission, TeamApproval, Work
from leaderboard.networks import address_digest
from leaderboard.services.accounts import clear_expired, personal_team
from leaderboard.services.errors import ApprovalNeeded, EmailUnverified, QuotaSpent, WrongState
from leaderboard.services.publishing import approvals, publish
from leaderboard.services.submissions import grade, quotas
from leaderboard.services.submissions.quotas import LimitKind
from tests.support.factories import correct_references, make_demo, make_hidden, make_user, send, with_wrong
from tests.support.processes import run_at_once

pytestmark = pytest.mark.both_databases

HOME, WORK = "192.0.2.7", "2001:db8:1::17"


@pytest.fixture
def hidden(db):
    """A board on which the organisers approve teams, with no limits but those that a test sets."""
    return make_hidden()


def limit(board, **fields):
    type(board).objects.filter(pk=board.pk).update(**fields)
    board.refresh_from_db()


def approve(board, user) -> tuple[int, list[str]]:
    approval = approvals.request_approval(
        board=board, team=personal_team(user), by=user, message="We are a lab."
    )
    return approvals.approve(approval=approval, by=make_user("organiser@example.org", is_staff=True))


def left(board, user, address="") -> dict[LimitKind, int]:
    allowance = quotas.allowance(
        board, personal_team(user), user, timezone.now(), digest=address_digest(address)
    )
    return {limit.kind: limit.left for limit in allowance.limits if not limit.kind.counts_bytes}


def test_a_board_with_hidden_references_has_every_limit_by_default(db, user):
    board = make_demo(slug="hidden", is_demo=False)
    fields = {name: board._meta.get_field(name).default for name in UNLIMITED}
    limit(board, **fields)
    assert left(board, user, HOME) == {
        LimitKind.DAY: 3,
        LimitKind.MONTH: 10,
        LimitKind.REVISION: 60,
        LimitKind.BEFORE_APPROVAL: 3,
        # One, and as many more as all addresses share.
        LimitKind.ADDRESS: 4,
    }


@pytest.mark.parametrize(
    ("failure", "calls", "counted"),
    [(grade.OUR_FAULT, 0, 0), (grade.OUR_FAULT, 1, 1), (grade.NO_VERDICT, 60, 1), (grade.FILE_FAULT, 0, 1)],
)
def test_a_failed_file_counts_where_a_judge_was_paid_for_it_or_the_file_is_at_fault(
    hidden, user, good_file, failure, calls, counted
):
    limit(hidden, daily_limit=5, monthly_limit=5, revision_limit=5, newcomer_limit=5, address_limit=5)
    sent = send(user, hidden, good_file, address=HOME).submission
    failed = {"status": Status.FAILED, "failure": failure, "evaluation": None}
    Submission.objects.filter(pk=sent.pk).update(**failed, scored_at=None)
    Work.objects.update(judge_calls=calls)
    used = {5 - files for files in left(hidden, user, HOME).values()}
    assert used == {counted}


def test_the_limits_of_a_team_hold_for_approved_teams_too_and_all_that_are_exhausted_are_named(
    hidden, user, good_file
):
    limit(hidden, daily_limit=2, monthly_limit=2, revision_limit=3)
    approve(hidden, user)
    for wrong in (1, 2):
        send(user, hidden, with_wrong(good_file, wrong))
    with pytest.raises(QuotaSpent, match=r"24 hours.*30 days") as refused:
        send(user, hidden, with_wrong(good_file, 3))
    assert 30 * 86400 - 60 < refused.value.retry_after <= 30 * 86400
    Submission.objects.update(received_at=timezone.now() - timedelta(days=31))
    assert send(user, hidden, with_wrong(good_file, 3)).created
    with pytest.raises(QuotaSpent, match="these reference answers") as refused:
        send(user, hidden, with_wrong(good_file, 4))
    assert refused.value.retry_after is None


def test_a_file_rescored_against_a_new_ground_truth_counts_for_that_one(hidden, user, good_file):
    limit(hidden, revision_limit=2)
    send(user, hidden, good_file)
    from leaderboard.services.submissions.rescore import rescore

    correct_references(hidden)
    assert left(hidden, user) == {LimitKind.REVISION: 2}
    rescore(board=hidden)
    assert left(hidden, user) == {LimitKind.REVISION: 1}


def test_new_teams_at_one_network_address_share_a_limit(hidden, user, other_user, good_file):
    limit(hidden, address_limit=1)
    send(user, hidden, good_file, address=HOME)
    with pytest.raises(QuotaSpent, match="network address"):
        send(other_user, hidden, good_file, address=HOME)
    assert send(other_user, hidden, good_file, address=WORK).created
    with pytest.raises(QuotaSpent, match="network address"):
        send(user, hidden, with_wrong(good_file, 1), address="2001:db8:1::99")
    # The limit binds no approved team, and the files of one no longer count.
    approve(hidden, user)
    assert send(user, hidden, with_wrong(good_file, 2), address=HOME).created
    assert send(make_user("third@example.org"), hidden, good_file, address=HOME).created


def test_new_teams_share_further_files_and_none_takes_the_first_one_of_another_address(hidden, good_file):
    limit(hidden, newcomer_limit=2, address_limit=6)
    people = [make_user(f"u{number}@example.org") for number in range(5)]
    for number, person in enumerate(people[:2]):
        for wrong in (1, 2):
            send(person, hidden, with_wrong(good_file, wrong), address=f"{11 + number}.0.2.1")
    # All further files are taken, by two addresses: a third one has its first.
    assert left(hidden, people[2], "13.0.2.1")[LimitKind.ADDRESS] == 1
    send(people[2], hidden, good_file, address="13.0.2.1")
    for person, address in ((people[2], "13.0.2.1"), (people[3], "11.0.2.1")):
        with pytest.raises(QuotaSpent, match="network address"):
            send(person, hidden, with_wrong(good_file, 3), address=address)
    approve(hidden, people[0])
    assert send(people[3], hidden, with_wrong(good_file, 3), address="11.0.2.1").created


def test_addresses_of_one_network_count_as_one_and_what_is_no_address_has_no_limit(
    hidden, user, other_user, good_file
):
    for one, other, is_same in (
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("192.0.2.7", "::ffff:192.0.2.7", True),
        ("2001:db8:1::1", "2001:db8:1:0:ffff::2", True),
        ("2001:db8:1::1", "2001:db8:1:1::1", False),
    ):
        assert (address_digest(one) == address_digest(other)) is is_same, (one, other)
        assert one not in address_digest(one)
    for text in ("", "unix:", "not an address", "1.2.3.4\0"):
        assert address_digest(text) == "", text
    limit(hidden, address_limit=1)
    for person in (user, other_user):
        assert send(person, hidden, good_file, address="unix:").created


def test_a_network_address_is_forgotten_when_it_counts_no_longer(hidden, user, good_file):
    submission = send(user, hidden, good_file, address=HOME).submission
    rows = Submission.objects.filter(pk=submission.pk)
    for days, is_kept in ((29, True), (32, False)):
        rows.update(received_at=timezone.now() - timedelta(days=days))
        clear_expired()
        assert bool(rows.get().address_digest) is is_kept


def test_only_people_with_a_verified_email_or_of_an_approved_team_submit_where_mail_is_sent(
    hidden, user, other_user, good_file, settings
):
    settings.VERIFIES_EMAIL = True
    with pytest.raises(EmailUnverified):
        send(user, hidden, good_file)
    assert not Submission.objects.exists()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    assert send(user, hidden, good_file).created
    # Such as the account of a CI job, which an organiser created.
    approve(hidden, other_user)
    assert send(other_user, hidden, good_file).created


class TestPublication:
    def test_a_new_team_publishes_once_it_is_approved(self, hidden, user, good_file):
        submission = send(user, hidden, good_file).submission
        to_be_published = send(user, hidden, with_wrong(good_file, 1), publish=True).submission
        assert (to_be_published.status, to_be_published.is_published) == ("scored", False)
        team = submission.team
        with pytest.raises(ApprovalNeeded):
            publish.publish(submission_id=submission.pk, team=team, by=user)
        approvals.publish_once_approved(submission_id=submission.pk, team=team, by=user)
        assert not Submission.objects.published().exists()
        approval = TeamApproval.objects.get()
        assert (approval.status, approval.requested_by) == (ApprovalStatus.REQUESTED, user)
        limit(hidden, publication_limit=1)
        published, (refusal,) = approvals.approve(approval=approval, by=user)
        assert (published, "30 days" in refusal) == (1, True)
        assert Submission.objects.published().count() == 1

    def test_a_team_publishes_so_many_results_in_thirty_days(self, hidden, user, good_file):
        limit(hidden, publication_limit=1)
        approve(hidden, user)
        first = send(user, hidden, with_wrong(good_file, 1), publish=True).submission
        second = send(user, hidden, with_wrong(good_file, 2), publish=True).submission
        assert (first.is_published, second.is_published) == (True, False)
        with pytest.raises(QuotaSpent, match="30 days") as refused:
            publish.publish(submission_id=second.pk, team=second.team, by=user)
        assert 30 * 86400 - 60 < refused.value.retry_after <= 30 * 86400
        # The same result again shows nothing new.
        publish.withdraw(submission_id=first.pk, team=first.team, by=user)
        assert publish.publish(submission_id=first.pk, team=first.team, by=user).is_published

    def test_only_people_with_a_verified_email_publish_where_mail_is_sent(
        self, hidden, user, good_file, settings
    ):
        limit(hidden, access=Access.VERIFIED)
        submission = send(user, hidden, good_file).submission
        settings.VERIFIES_EMAIL = True
        with pytest.raises(EmailUnverified, match="verified email address"):
            publish.publish(submission_id=submission.pk, team=submission.team, by=user)
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        assert publish.publish(submission_id=submission.pk, team=submission.team, by=user).is_published

    def test_a_team_whose_approval_is_taken_back_sees_why_and_has_the_limits_again(
        self, hidden, user, good_file
    ):
        limit(hidden, newcomer_limit=0)
        approve(hidden, user)
        send(user, hidden, good_file)
        approval = TeamApproval.objects.get()
        approvals.refuse(approval=approval, by=user, answer="One person, one team.")
        approval.refresh_from_db()
        assert (approval.status, approval.answer) == (ApprovalStatus.REFUSED, "One person, one team.")
        with pytest.raises(ApprovalNeeded):
            send(user, hidden, with_wrong(good_file, 1))
        with pytest.raises(WrongState):
            approvals.request_approval(board=hidden, team=approval.team, by=user, message="please")


@pytest.mark.django_db(transaction=True)
def test_files_of_several_new_teams_at_once_are_counted_one_by_one(hidden, good_file):
    limit(hidden, address_limit=2)
    users = [make_user(f"u{n}@example.org") for n in range(5)]
    results = run_at_once(*(lambda user=user: send(user, hidden, good_file, address=HOME) for user in users))
    assert sum(isinstance(result, QuotaSpent) for result in results) == 3
    assert Submission.objects.count() == 2
