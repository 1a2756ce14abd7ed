"""What people of a team do at the same moment, each with a connection of their own."""

import threading
import time

import pytest
from django.core.exceptions import ValidationError
from django.db import connections

from leaderboard.models import ApiToken, AuditEvent, Membership, Role, TeamInvitation
from leaderboard.services import audit
from leaderboard.services.delete_account import delete_account
from leaderboard.services.errors import NotFound, QuotaSpent, WrongState
from leaderboard.services.teams import invitations, members
from leaderboard.services.trusted_publishing import issuer_keys
from leaderboard.services.trusted_publishing.exchange import exchange
from tests.support.ci_issuer import CiIssuer, make_publisher
from tests.support.factories import make_demo, make_published, make_user
from tests.support.processes import run_at_once

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
_A = AuditEvent.Action


@pytest.fixture
def while_it_waits(monkeypatch):
    """Run a job, and another one from when the first writes to the audit log; return both results."""
    write = audit.record

    def run(action, first, second):
        reached = threading.Event()

        def slow(done, **fields):
            if done == action and not reached.is_set():
                reached.set()
                # Time for the other job to reach the lock that this one holds.
                time.sleep(0.5)
            return write(done, **fields)

        def after():
            reached.wait(timeout=30)
            return _outcome(second)

        monkeypatch.setattr(audit, "record", slow)
        return run_at_once(lambda: _outcome(first), after)

    return run


def _outcome(job):
    try:
        job()
    except (NotFound, QuotaSpent, WrongState) as error:
        return error.code
    except ValidationError:
        return "invalid"
    finally:
        connections.close_all()
    return "done"


def test_an_account_is_deleted_while_its_owner_renames_a_team(lab, user, while_it_waits):
    renamed, deleted = while_it_waits(
        _A.TEAM_RENAMED,
        lambda: members.rename(team=lab, by=user, name="New Lab"),
        lambda: delete_account(user),
    )
    assert (renamed, deleted) == ("done", "done")
    lab.refresh_from_db()
    assert (lab.name, lab.handle) == ("", None)


def test_the_short_name_of_a_team_is_not_taken_while_the_team_is_closed(
    lab, user, other_user, good_file, while_it_waits
):
    make_published(user, make_demo(), good_file, team=lab)
    closed, taken = while_it_waits(
        _A.TEAM_CLOSED,
        lambda: members.close(team=lab, by=user),
        lambda: members.create_team(user=other_user, name="Ward Lab", handle="ward-lab"),
    )
    assert (closed, taken) == ("done", "invalid")


def test_an_account_that_is_being_deleted_joins_no_team(lab, user, other_user, while_it_waits):
    invitation = invitations.invite(team=lab, by=user, email="x@example.org", role=Role.OWNER)
    token = invitations.token_for(invitation)
    deleted, joined = while_it_waits(
        _A.ACCOUNT_DELETED,
        lambda: delete_account(other_user),
        lambda: invitations.accept(token=token, user=other_user),
    )
    assert (deleted, joined) == ("done", "not-found")
    assert Membership.objects.filter(team=lab).count() == 1


def test_invitations_to_two_teams_at_once_stay_within_the_limit_of_their_sender(
    lab, user, while_it_waits, monkeypatch
):
    monkeypatch.setattr(invitations, "MOST_A_DAY", 1)
    other_lab = members.create_team(user=user, name="Bed Lab", handle="bed-lab")
    inviting = [
        lambda team=team: invitations.invite(team=team, by=user, email="x@example.org", role=Role.MEMBER)
        for team in (lab, other_lab)
    ]
    assert while_it_waits(_A.MEMBER_INVITED, *inviting) == ["done", QuotaSpent.code]
    assert TeamInvitation.objects.count() == 1


def test_a_team_is_closed_while_a_job_of_its_publisher_exchanges_its_token(
    lab, user, while_it_waits, settings
):
    issuer_keys.keys_of.cache_clear()
    with CiIssuer() as issuer:
        settings.TRUSTED_ISSUERS = {issuer.origin: "github"}
        publisher = make_publisher(user, team=lab, issuer=issuer.origin)
        exchanged, closed = while_it_waits(
            _A.PUBLISHER_BOUND,
            lambda: exchange(id_token=issuer.token(), publisher_id=publisher.pk),
            lambda: members.close(team=lab, by=user),
        )
    assert (exchanged, closed) == ("done", "done")
    assert not ApiToken.objects.exists()


def test_of_two_owners_who_leave_at_once_one_stays(lab, user, colleague):
    members.change_role(team=lab, by=user, member=colleague.pk, role=Role.OWNER)
    leaving = [
        lambda person=person: _outcome(lambda: members.remove(team=lab, by=person, member=person.pk))
        for person in (user, colleague)
    ]
    assert sorted(run_at_once(*leaving)) == ["done", "wrong-state"]
    assert Membership.objects.get(team=lab).role == Role.OWNER


def test_of_several_people_with_one_link_one_joins(lab, user):
    invitation = invitations.invite(team=lab, by=user, email="x@example.org", role=Role.MEMBER)
    token = invitations.token_for(invitation)
    people = [make_user(f"p{number}@example.org") for number in range(4)]
    joining = [
        lambda person=person: _outcome(lambda: invitations.accept(token=token, user=person))
        for person in people
    ]
    assert sorted(run_at_once(*joining)) == ["done", "not-found", "not-found", "not-found"]
    assert Membership.objects.filter(team=lab).count() == 2
