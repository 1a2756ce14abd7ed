"""Let people organise a leaderboard beside the staff, and use its desk."""

from django.db import transaction
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Board, BoardOrganiser, User
from leaderboard.services import audit
from leaderboard.services.errors import WrongState


@transaction.atomic
def add_organiser(*, board: Board, email: str, by: User) -> None:
    """Make a person an organiser of a leaderboard. Raises WrongState where nobody has the address."""
    person = User.objects.filter(email=email.lower()).first()
    if person is None:
        raise WrongState(_("No account has this email address."))
    if BoardOrganiser.objects.get_or_create(board=board, user=person)[1]:
        audit.record(AuditEvent.Action.ORGANISER_ADDED, actor=by, board=board, person=person.email)


@transaction.atomic
def remove_organiser(*, organiser: BoardOrganiser, by: User) -> None:
    """Close the desk of a leaderboard to one of its organisers."""
    audit.record(
        AuditEvent.Action.ORGANISER_REMOVED,
        actor=by,
        board=organiser.board,
        person=organiser.user.email,
    )
    organiser.delete()
