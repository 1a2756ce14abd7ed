"""Announce something on the page of a leaderboard."""

from django.db import transaction
from django.utils import timezone

from leaderboard.models import Announcement, AuditEvent, Board, User
from leaderboard.services import audit
from leaderboard.services.record import events


@transaction.atomic
def announce(*, board: Board, text: str, text_zh: str, by: User) -> Announcement:
    """Show a notice on the page of a leaderboard; showing the same one twice is harmless."""
    # Lock the board, so that a second press of the button waits for the first.
    Board.objects.select_for_update(no_key=True).get(pk=board.pk)
    announcement, is_new = Announcement.objects.get_or_create(
        board=board, text=text, text_zh=text_zh, ended_at=None, defaults={"announced_by": by}
    )
    if is_new:
        audit.record(AuditEvent.Action.ANNOUNCED, actor=by, board=board, reason=text)
        events.touch(board=board)
    return announcement


@transaction.atomic
def end_announcement(*, announcement: Announcement, by: User) -> None:
    """End an announcement, so that no page shows it. Repeatable."""
    if Announcement.objects.filter(pk=announcement.pk, ended_at=None).update(ended_at=timezone.now()):
        board, text = announcement.board, announcement.text
        audit.record(AuditEvent.Action.ANNOUNCEMENT_ENDED, actor=by, board=board, reason=text)
        events.touch(board=board)
