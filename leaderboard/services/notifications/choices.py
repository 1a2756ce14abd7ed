"""Who wants which emails, and the links that switch them off."""

from collections.abc import Collection, Mapping

from allauth.account.models import EmailAddress
from django.core import signing
from django.db import transaction

from leaderboard.models import Board, EmailKind, Team, User, Watch
from leaderboard.models.boards import BoardQuerySet
from leaderboard.services.access import Reader

FOR_TEAMS = (
    EmailKind.SUBMISSION,
    EmailKind.DECISION,
    EmailKind.APPROVAL,
    EmailKind.ANNOUNCEMENT,
    EmailKind.TOKEN,
    EmailKind.TEAM,
)
_SALT = "leaderboard.emails-off"


def wants(user: User, kind: str) -> bool:
    """Return whether a person wants a kind of email; DESK is off at first for staff of all boards."""
    chosen = (user.email_choices or {}).get(kind)
    if chosen is None:
        return kind != EmailKind.DESK or not Reader(user=user).organises_all
    return bool(chosen)


def kinds_for(user: User) -> list[EmailKind]:
    """Return the kinds of email that a person can get; about teams of several people in such a team only."""
    is_in_team = Team.objects.of_member(user).filter(owner_alone=None).exists()
    for_teams = [kind for kind in FOR_TEAMS if is_in_team or kind != EmailKind.TEAM]
    return [*for_teams, EmailKind.DESK] if Reader(user=user).is_organiser else for_teams


@transaction.atomic
def choose(user: User, choices: Mapping[str, bool]) -> None:
    """Store which kinds of email a person wants; others stay as they were."""
    row = User.objects.select_for_update().get(pk=user.pk)
    row.email_choices = {**(row.email_choices or {}), **choices}
    row.save(update_fields=["email_choices"])
    user.email_choices = row.email_choices


@transaction.atomic
def watch(user: User, board: Board) -> None:
    """Email a person when the ranking of a board changed, even where announcements were switched off."""
    Watch.objects.get_or_create(user=user, board=board)
    choose(user, {EmailKind.ANNOUNCEMENT: True})


def stop_watching(user: User, board: Board) -> None:
    Watch.objects.filter(user=user, board=board).delete()


def watched_boards(user: User) -> BoardQuerySet:
    """Select the boards that a person watches, without references."""
    watched = Watch.objects.filter(user=user).values("board")
    return Board.objects.without_references().filter(pk__in=watched).order_by("title")


def make_token(user: User, kind: str) -> str:
    """Return what a link needs to switch off a kind of email without signing in. It does not expire."""
    return signing.dumps([user.pk, kind], salt=_SALT)


def read_token(token: str) -> tuple[User, EmailKind] | None:
    """Return whose emails of which kind a link switches off; None for a link that we did not make."""
    try:
        pk, kind = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    return (user, EmailKind(kind)) if user else None


def addresses_of(users: Collection[int]) -> dict[int, str]:
    """Return user -> verified email address, the primary one where it is verified."""
    rows = EmailAddress.objects.filter(user__in=users, user__is_active=True, verified=True)
    return dict(rows.order_by("primary", "pk").values_list("user", "email"))


def organisers_of(board: int) -> frozenset[int]:
    """Return the people who may organise a board."""
    granted = User.objects.filter(is_active=True, organises__board=board).values_list("pk", flat=True)
    staff = User.objects.filter(is_active=True, is_staff=True)
    return frozenset({*granted, *(user.pk for user in staff if Reader(user=user).organises_all)})
