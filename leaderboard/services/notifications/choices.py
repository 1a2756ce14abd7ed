"""Who wants which emails, and the links that switch them off."""

from collections.abc import Collection, Iterable, Mapping

from allauth.account.models import EmailAddress
from django.core import signing
from django.db import transaction

from leaderboard.models import Board, EmailKind, Team, User

FOR_TEAMS = (
    EmailKind.SUBMISSION,
    EmailKind.DECISION,
    EmailKind.RESCORED,
    EmailKind.APPROVAL,
    EmailKind.ANNOUNCEMENT,
    EmailKind.TOKEN,
    EmailKind.TEAM,
)
FOR_ORGANISERS = (EmailKind.ASKED, EmailKind.FAILURES, EmailKind.SUSPECTS, EmailKind.LIMITS)
# Staff choose it to hear of boards that others organise.
EVERY_BOARD = "every-board"
_SALT = "leaderboard.emails-off"


def wants(user: User, kind: str) -> bool:
    """Return whether a person wants a kind of email; all but EVERY_BOARD unless it was switched off."""
    return bool((user.email_choices or {}).get(kind, kind != EVERY_BOARD))


def kinds_for(user: User) -> list[EmailKind]:
    """Return the kinds of email that a person can get; about teams of several people in such a team only."""
    is_in_team = Team.objects.of_member(user).filter(owner_alone=None).exists()
    for_teams = [kind for kind in FOR_TEAMS if is_in_team or kind != EmailKind.TEAM]
    return [*for_teams, *(FOR_ORGANISERS if user.may_organise else ())]


@transaction.atomic
def choose(user: User, choices: Mapping[str, bool]) -> None:
    """Store which kinds of email a person wants; others stay as they were."""
    row = User.objects.select_for_update().get(pk=user.pk)
    row.email_choices = {**(row.email_choices or {}), **choices}
    row.save(update_fields=["email_choices"])
    user.email_choices = row.email_choices


def make_token(user: User, kinds: Iterable[EmailKind]) -> str:
    """Return what a link needs to switch off kinds of email without signing in. It does not expire."""
    return signing.dumps([user.pk, *kinds], salt=_SALT)


def read_token(token: str) -> tuple[User, list[EmailKind]] | None:
    """Return whose emails of which kinds a link switches off; None for a link that we did not make."""
    try:
        pk, *kinds = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    return (user, [EmailKind(kind) for kind in kinds if kind in EmailKind.values]) if user else None


def addresses_of(users: Collection[int]) -> dict[int, str]:
    """Return user -> verified email address, the primary one where it is verified."""
    rows = EmailAddress.objects.filter(user__in=users, user__is_active=True, verified=True)
    return dict(rows.order_by("primary", "pk").values_list("user", "email"))


def organisers_of(board: Board | None) -> list[User]:
    """Return who wants emails about a board, or with None about what all boards share."""
    granted = User.objects.filter(is_active=True, organises__isnull=False)
    if board is not None:
        granted = granted.filter(organises__board=board)
    staff = [user for user in User.objects.filter(is_active=True, is_staff=True) if wants(user, EVERY_BOARD)]
    others = [user for user in staff if user.organises_all_boards]
    organisers = {user.pk: user for user in (*granted.distinct(), *others)}
    verified = addresses_of(organisers)
    return [
        user
        for pk, user in organisers.items()
        if pk in verified and any(wants(user, k) for k in FOR_ORGANISERS)
    ]
