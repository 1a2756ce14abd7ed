"""Who may do what: each right, for each kind of reader, in each state of a submission."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Permission

from leaderboard.models import BoardOrganiser, Feedback, Membership, Role, Scope, Status, Submission
from leaderboard.models.tokens import OF_SENDERS
from leaderboard.services import access
from leaderboard.services.access import VISITOR, Reader
from leaderboard.services.accounts import personal_team
from leaderboard.services.teams.members import create_team
from tests.support.factories import make_hidden, make_scored, make_user

RIGHTS = {
    "read": access.may_read,
    "report": access.may_read_report,
    "traces": access.may_read_traces,
    "verdicts": access.may_read_verdicts,
    "private": access.may_read_as_team,
    "publish": access.may_publish,
    "change": access.may_change,
    "oversee": access.may_oversee,
    "manage": lambda reader, submission: access.may_manage(reader, submission.board),
    "correct": lambda reader, submission: access.may_correct(reader, submission.system),
    "manage all": lambda reader, submission: access.may_manage_all(reader),
    "admin": lambda reader, submission: access.may_use_admin(reader),
}

# What everyone may do, by state.
NOW = datetime(2026, 11, 28, tzinfo=UTC)
STATES = {
    "in progress": ({"status": Status.QUEUED, "evaluation": None}, ""),
    "scored": ({}, ""),
    "published": ({"published_at": NOW}, "read"),
    "with public traces": ({"published_at": NOW, "public_traces": True}, "read, traces"),
    "withdrawn": ({"published_at": NOW, "withdrawn_at": NOW, "public_traces": True}, ""),
    "disqualified": ({"published_at": NOW, "disqualified_at": NOW, "public_traces": True}, ""),
}
# A team sees the exact verdicts of what it has published once.
WITH_VERDICTS = {"published", "with public traces", "withdrawn", "disqualified"}

_READS = "read, report, traces"
_TEAM = f"{_READS}, verdicts, private, publish, change"
_ORGANISER = f"{_READS}, oversee, manage"
# What each kind of reader may do in every state; "verdicts" in some.
MAY = {
    "a visitor": "",
    "a stranger": "",
    "a member of the team": f"{_TEAM}, correct",
    "an owner of the team": f"{_TEAM}, correct",
    "a former member of the team": "",
    "an organiser": f"{_ORGANISER}, correct",
    "an organiser without a second factor": "",
    "an organiser whose account is closed": "",
    "an organiser of another board": "",
    "staff who organise": f"{_ORGANISER}, correct, manage all",
    "staff who organise, without a second factor": "",
    "staff who view": f"{_READS}, oversee",
    "staff who view, without a second factor": "",
    "staff without rights": "",
    "a member of the staff without its flag": "",
    "a superuser": f"{_ORGANISER}, correct, manage all, admin",
    "a superuser without a second factor": "",
    "a member's token for all of a sender's work": _TEAM,
    "a member's token to read": f"{_READS}, verdicts, private",
    "a member's token to submit": "change",
    "a member's token to publish": "publish",
    "a member's token to check files": "",
    "a member's token for another board": "",
    "a member's token of another team": "",
    "a token of the team": _TEAM,
    "an organiser's token for all of a sender's work": "",
    "an organiser's token to organise and read": _ORGANISER,
    "an organiser's token to organise": "manage",
    "an organiser's token to organise another board": "",
    "a superuser's token for all of a sender's work": "",
}


@pytest.fixture
def submission(db, good_file) -> Submission:
    """Return a result on a board that shows its team each verdict, and others none."""
    lab = create_team(user=make_user("owner@example.org"), name="Ward Lab", handle="ward-lab")
    owner = make_user("sender@example.org")
    scored = make_scored(
        owner, make_hidden(public_traces=True, feedback=Feedback.BY_TASK, rounding=5), good_file
    )
    Submission.objects.filter(pk=scored.pk).update(team=lab)
    type(scored.system).objects.filter(pk=scored.system_id).update(team=lab)
    return Submission.objects.with_result().get(pk=scored.pk)


@pytest.fixture
def readers(submission) -> dict[str, Reader]:
    board, elsewhere = submission.board, make_hidden("elsewhere", title="Elsewhere")

    def person(name: str, *rights: str, **fields):
        made = make_user(f"{name}@example.org", **fields)
        made.user_permissions.set(Permission.objects.filter(codename__in=rights))
        return made

    member, former = person("member"), person("former")
    Membership.objects.create(team=submission.team, user=member, role=Role.MEMBER)
    organiser, closed, other = person("organiser"), person("closed", is_active=False), person("other")
    for user, of in ((organiser, board), (closed, board), (other, elsewhere)):
        BoardOrganiser.objects.create(user=user, board=of)
    changing = ("change_board", "change_submission", "change_teamapproval")
    staff = person("staff", *changing, is_staff=True)
    viewer = person("viewer", "view_submission", is_staff=True)
    boss = person("boss", is_staff=True, is_superuser=True)

    def session(user) -> Reader:
        return Reader(user=user, gave_second_factor=lambda: True)

    def token(user, *scopes: Scope, **limits) -> Reader:
        # What a token of someone who gave a second factor elsewhere has of it: nothing.
        return Reader(user=user, scopes=scopes, **limits)

    return {
        "a visitor": VISITOR,
        "a stranger": session(person("stranger")),
        "a member of the team": Reader(user=member),
        "an owner of the team": Reader(user=submission.team.memberships.get(role=Role.OWNER).user),
        "a former member of the team": session(former),
        "an organiser": session(organiser),
        "an organiser without a second factor": Reader(user=organiser),
        "an organiser whose account is closed": session(closed),
        "an organiser of another board": session(other),
        "staff who organise": session(staff),
        "staff who organise, without a second factor": Reader(user=staff),
        "staff who view": session(viewer),
        "staff who view, without a second factor": Reader(user=viewer),
        "staff without rights": session(person("helper", is_staff=True)),
        "a member of the staff without its flag": session(person("past", "view_submission", *changing)),
        "a superuser": session(boss),
        "a superuser without a second factor": Reader(user=boss),
        "a member's token for all of a sender's work": token(member, *OF_SENDERS),
        "a member's token to read": token(member, Scope.READ),
        "a member's token to submit": token(member, Scope.SUBMIT),
        "a member's token to publish": token(member, Scope.PUBLISH),
        "a member's token to check files": token(member, Scope.VALIDATE),
        "a member's token for another board": token(member, *OF_SENDERS, board=elsewhere.pk),
        "a member's token of another team": token(member, *OF_SENDERS, team=personal_team(member)),
        "a token of the team": token(former, *OF_SENDERS, team=submission.team),
        "an organiser's token for all of a sender's work": token(organiser, *OF_SENDERS),
        "an organiser's token to organise and read": token(organiser, Scope.READ, Scope.ORGANISE),
        "an organiser's token to organise": token(organiser, Scope.ORGANISE),
        "an organiser's token to organise another board": token(organiser, *Scope, board=elsewhere.pk),
        "a superuser's token for all of a sender's work": token(boss, *OF_SENDERS),
    }


def rights_of(reader: Reader, submission: Submission) -> set[str]:
    return {name for name, may in RIGHTS.items() if may(reader, submission)}


def rights(text: str) -> set[str]:
    return set(filter(None, text.split(", ")))


@pytest.fixture
def required(settings):
    settings.STAFF_SECOND_FACTOR = True


@pytest.mark.parametrize("state", STATES)
def test_each_reader_has_the_rights_of_the_table_and_no_others(state, submission, readers, required):
    fields, for_all = STATES[state]
    for field, value in fields.items():
        setattr(submission, field, value)
    assert set(readers) == set(MAY)
    for name, reader in readers.items():
        hidden = set() if state in WITH_VERDICTS else {"verdicts"}
        assert (name, rights_of(reader, submission)) == (name, (rights(MAY[name]) - hidden) | rights(for_all))


def test_where_the_board_shows_answers_everyone_reads_the_verdicts_of_what_is_published(submission, readers):
    submission.board.feedback = Feedback.ANSWERS
    assert not access.may_read_verdicts(VISITOR, submission)
    submission.published_at = submission.scored_at
    assert all(access.may_read_verdicts(reader, submission) for reader in readers.values())


def test_where_staff_need_no_second_factor_nobody_is_asked_for_one(submission, readers, settings):
    settings.STAFF_SECOND_FACTOR = False
    for name in ("an organiser", "a superuser", "staff who view"):
        without = next(each for each in readers if each.startswith(name) and each.endswith("second factor"))
        assert (name, rights_of(readers[without], submission)) == (name, rights(MAY[name]) - {"verdicts"})


def test_the_session_is_asked_for_the_second_factor_of_nobody_but_those_with_rights_over_others(
    submission, required
):
    def asked() -> bool:
        raise AssertionError("asked for a second factor")

    assert rights_of(Reader(user=make_user(), gave_second_factor=asked), submission) == set()


def test_a_system_of_no_team_is_corrected_by_nobody_here(submission, readers):
    submission.system.team = None
    assert not any(access.may_correct(reader, submission.system) for reader in readers.values())
