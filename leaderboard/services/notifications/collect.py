"""Find events of the last hours that concern teams, and write an email for each member who wants it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from leaderboard.models import (
    Announcement,
    ApprovalStatus,
    AuditEvent,
    Board,
    EmailKind,
    Membership,
    Notification,
    Role,
    Submission,
    Team,
    TeamApproval,
    User,
)
from leaderboard.services.notifications.choices import addresses_of, wants
from leaderboard.services.text import remove_hidden_characters

# Older events are not emailed: they date from before an upgrade, or no sweep has run for long.
LOOKS_BACK = timedelta(hours=6)
# A score that comes sooner is not emailed: the sender is still looking at the page.
_SOON = timedelta(minutes=1)
_A = AuditEvent.Action
_DECISIONS = {_A.DISQUALIFIED: "disqualified", _A.REINSTATED: "reinstated"}
_OUTCOMES = {_A.SCORED: "scored", _A.REJECTED: "rejected", _A.FAILED: "failed"}
_APPROVALS = {_A.TEAM_APPROVED: ApprovalStatus.APPROVED, _A.TEAM_REFUSED: ApprovalStatus.REFUSED}

_MEMBERS = {_A.MEMBER_JOINED: "joined", _A.MEMBER_LEFT: "removed", _A.ROLE_CHANGED: "owner"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamEvent:
    """Something that concerns teams. event, data: as in Notification.

    teams: all their members get the email; people: others who get it
    """

    event: str
    kind: EmailKind
    board: int | None = None
    teams: frozenset[int] = frozenset()
    people: frozenset[int] = frozenset()
    submission: UUID | None = None
    data: dict[str, Any] = field(default_factory=dict)


def collect_team_events(now: datetime) -> int:
    """Write the emails about what happened to teams lately; return how many are new."""
    since = now - LOOKS_BACK
    finders = (_of_submissions, _of_approvals, _announcements, _of_members)
    return write_new([event for find in finders for event in find(since)], now)


def write_new(events: Iterable[TeamEvent], now: datetime) -> int:
    """Write the emails about events that no email is about yet, as `write` does."""
    events = list(events)
    names = {event.event for event in events}
    stored = set(Notification.objects.filter(event__in=names).values_list("event", flat=True))
    return write([event for event in events if event.event not in stored], now)


def write(events: Iterable[TeamEvent], now: datetime) -> int:
    """Write an email for each of the people who wants it and has a verified address."""
    events = list(events)
    teams = {team for event in events for team in event.teams}
    members = defaultdict(list)
    for row in Membership.objects.filter(team__in=teams).select_related("user"):
        members[row.team_id].append(row.user)
    people = User.objects.in_bulk({pk for event in events for pk in event.people})
    concerned = {
        event.event: [user for team in event.teams for user in members[team]]
        + [people[pk] for pk in event.people if pk in people]
        for event in events
    }
    verified = addresses_of({user.pk for users in concerned.values() for user in users})
    rows = [
        Notification(
            user_id=pk,
            event=event.event,
            kind=event.kind,
            board_id=event.board,
            submission_id=event.submission,
            data=event.data,
            created_at=now,
            due_at=now,
        )
        for event in events
        for pk in sorted(
            {user.pk for user in concerned[event.event] if wants(user, event.kind)} & set(verified)
        )
    ]
    # Another process may collect the same events: the constraint keeps the first row.
    Notification.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    return len(rows)


def count_teams_to_email(board: Board) -> int:
    """Return how many teams an announcement on a board is emailed to: those where someone wants it."""
    teams = Submission.objects.filter(board=board).published().values("team")
    members = Membership.objects.filter(team__in=teams).select_related("user")
    rows = [(row.user_id, row.team_id) for row in members if wants(row.user, EmailKind.ANNOUNCEMENT)]
    verified = addresses_of([user for user, _ in rows])
    return len({team for user, team in rows if user in verified})


def _of_submissions(since: datetime) -> Iterator[TeamEvent]:
    earlier = AuditEvent.objects.filter(
        submission=OuterRef("submission"), action=_A.SCORED, pk__lt=OuterRef("pk")
    )
    took_long = Q(at__gte=F("submission__received_at") + _SOON)
    # Of a result that is scored again, services.notifications.rescored writes.
    outcome = Q(action=_A.FAILED) | (took_long & (Q(action=_A.REJECTED) | Q(action=_A.SCORED)))
    events = AuditEvent.objects.filter(outcome | Q(action__in=_DECISIONS), at__gt=since)
    events = events.exclude(Q(action=_A.SCORED) & Exists(earlier))
    for event in events.select_related("submission").order_by("pk"):
        submission = event.submission
        if submission is None:
            continue
        is_decision = event.action in _DECISIONS
        data = {"what": {**_DECISIONS, **_OUTCOMES}[AuditEvent.Action(event.action)]}
        if event.action == _A.DISQUALIFIED:
            data["reason"] = event.data["reason"]
        yield TeamEvent(
            event=f"audit:{event.pk}",
            kind=EmailKind.DECISION if is_decision else EmailKind.SUBMISSION,
            board=submission.board_id,
            teams=frozenset({submission.team_id}),
            submission=submission.pk,
            data=data,
        )


def _of_approvals(since: datetime) -> Iterator[TeamEvent]:
    for event in AuditEvent.objects.filter(action__in=_APPROVALS, at__gt=since).order_by("pk"):
        team, status = event.data["team"], _APPROVALS[AuditEvent.Action(event.action)]
        # One that was decided otherwise since has an event of its own.
        decided = TeamApproval.objects.filter(board=event.board_id, team=team, status=status).first()
        if decided is not None:
            yield TeamEvent(
                event=f"audit:{event.pk}",
                kind=EmailKind.APPROVAL,
                board=decided.board_id,
                teams=frozenset({team}),
                data={"what": status.value, "answer": decided.answer},
            )


def _announcements(since: datetime) -> Iterator[TeamEvent]:
    for announcement in Announcement.objects.filter(announced_at__gt=since, ended_at=None).order_by("pk"):
        published = Submission.objects.filter(board=announcement.board_id).published()
        yield TeamEvent(
            event=f"announcement:{announcement.pk}",
            kind=EmailKind.ANNOUNCEMENT,
            board=announcement.board_id,
            teams=frozenset(published.values_list("team", flat=True)),
            data={"text": announcement.text, "text_zh": announcement.text_zh},
        )


def _of_members(since: datetime) -> Iterator[TeamEvent]:
    """Yield who joined a team, for its owners, and who was removed or made an owner, for that person."""
    for event in AuditEvent.objects.filter(action__in=_MEMBERS, at__gt=since).order_by("pk"):
        team = Team.objects.filter(pk=event.data["team"]).first()
        # Who joins by a link does so themselves; staff and owners name the person.
        person = event.data.get("user", event.actor_id)
        named = User.objects.filter(pk=person, is_active=True).first()
        if team is None or named is None or (event.action != _A.MEMBER_JOINED and person == event.actor_id):
            continue
        if event.action == _A.ROLE_CHANGED and event.data["role"] != Role.OWNER:
            continue
        change, people = _MEMBERS[AuditEvent.Action(event.action)], {person}
        if event.action == _A.MEMBER_JOINED:
            owners = Membership.objects.filter(team=team, role=Role.OWNER).exclude(user=person)
            people = set(owners.values_list("user", flat=True))
        yield TeamEvent(
            event=f"audit:{event.pk}",
            kind=EmailKind.TEAM,
            people=frozenset(people),
            data={
                "what": change,
                "team": remove_hidden_characters(team.name),
                "handle": team.handle or "",
                "name": remove_hidden_characters(named.get_full_name() or named.email),
            },
        )
