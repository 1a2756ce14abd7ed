"""Grant a team other limits on its files than those of the leaderboard."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from leaderboard.models import AuditEvent, Board, Team, TeamQuota, User
from leaderboard.services import audit


@transaction.atomic
def grant_quota(
    *,
    board: Board,
    team: Team,
    limits: Mapping[str, int | None],
    reason: str,
    expires_at: datetime,
    by: User,
) -> str:
    """Set the team's own limits until a date; return the reason of those that they replace, "" for none.

    limits: daily_limit, monthly_limit and revision_limit, each None for that of the leaderboard
    """
    earlier = TeamQuota.objects.select_for_update().filter(board=board, team=team)
    replaced = earlier.valid_at(timezone.now()).values_list("reason", flat=True).first() or ""
    TeamQuota.objects.update_or_create(
        board=board,
        team=team,
        defaults={**limits, "reason": reason, "expires_at": expires_at, "granted_by": by},
    )
    audit.record(
        AuditEvent.Action.QUOTA_GRANTED,
        actor=by,
        board=board,
        team=team.pk,
        name=team.name,
        limits=dict(limits),
        reason=reason,
        expires_at=expires_at.isoformat(),
    )
    return replaced


@transaction.atomic
def end_quota(*, quota: TeamQuota, by: User) -> None:
    """Let the limits of the leaderboard apply to the team again; ending them twice is harmless."""
    team, board = quota.team, quota.board
    if TeamQuota.objects.filter(pk=quota.pk).delete()[0]:
        audit.record(AuditEvent.Action.QUOTA_ENDED, actor=by, board=board, team=team.pk, name=team.name)
