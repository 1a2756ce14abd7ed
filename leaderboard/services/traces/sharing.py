"""Make the traces of a result public, or private again."""

from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Submission, User
from leaderboard.services import audit
from leaderboard.services.errors import WrongState


def choose(submission: Submission, *, is_public: bool, by: User) -> None:
    """Store the choice of the team in the caller's transaction, which has the submission locked.

    Raises WrongState where the leaderboard does not offer public traces.
    """
    if is_public and not submission.board.offers_public_traces:
        raise WrongState(_("This leaderboard does not offer public traces."))
    if submission.public_traces != is_public:
        submission.public_traces = is_public
        submission.save(update_fields=["public_traces"])
        audit.record(AuditEvent.Action.TRACES_CHANGED, actor=by, submission=submission, is_public=is_public)
