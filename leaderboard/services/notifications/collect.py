"""Find events of the last hours that concern people, and write an email for each person who wants it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, Max, OuterRef, Q
from django.utils import translation

from leaderboard.models import (
    Announcement,
    ApiToken,
    ApprovalStatus,
    AuditEvent,
    BoardAction,
    BoardEvent,
    EmailKind,
    Membership,
    Notification,
    RescoringOrder,
    Role,
    Status,
    Submission,
    Team,
    TeamApproval,
    User,
    Watch,
)
from leaderboard.services.notifications.choices import addresses_of, organisers_of, wants
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.text import remove_hidden_characters

# Older events are not emailed: they date from before an upgrade, or no sweep has run for long.
_LOOKS_BACK = timedelta(hours=6)
# A score that comes sooner is not emailed: the sender is still looking at the page.
_SOON = timedelta(minutes=1)
_EXPIRES_SOON = timedelta(days=7)
# After so long without another result a board without an order counts as rescored.
_DONE_AFTER = timedelta(minutes=5)
_A = AuditEvent.Action
_DECISIONS = (_A.DISQUALIFIED, _A.REINSTATED)
_NEED_ORGANISERS = (_A.FAILED, _A.APPROVAL_REQUESTED, _A.DOUBT_REPORTED)
_B = BoardAction
# What changes a ranking, in the order in which an email names it.
_RERANKING = (_B.PUBLISHED, _B.WITHDRAWN, _B.DISQUALIFIED, _B.REINSTATED, _B.ACTIVATED)
_MOST_NAMED = 50
_APPROVALS = {_A.TEAM_APPROVED: ApprovalStatus.APPROVED, _A.TEAM_REFUSED: ApprovalStatus.REFUSED}


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamEvent:
    """Something that concerns all members of teams, or people. event, data: as in Notification."""

    event: str
    kind: EmailKind
    board: int | None = None
    teams: frozenset[int] = frozenset()
    people: frozenset[int] = frozenset()
    submission: UUID | None = None
    data: dict[str, Any] = field(default_factory=dict)


def write(events: Iterable[TeamEvent], now: datetime) -> None:
    """Write the emails about events that none is about yet, to who wants them and has a verified address."""
    by_name = {event.event: event for event in events}
    stored = set(Notification.objects.filter(event__in=by_name).values_list("event", flat=True))
    events = [event for name, event in by_name.items() if name not in stored]
    members = defaultdict(set)
    for team, user in Membership.objects.filter(
        team__in={team for event in events for team in event.teams}
    ).values_list("team", "user"):
        members[team].add(user)
    concerned = {
        event.event: event.people.union(*(members[team] for team in event.teams)) for event in events
    }
    users = User.objects.in_bulk(addresses_of({pk for people in concerned.values() for pk in people}))
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
        for pk in sorted(concerned[event.event] & users.keys())
        if wants(users[pk], event.kind)
    ]
    # Another process may collect the same events: the constraint keeps the first row.
    Notification.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)


def _of_submissions(now: datetime) -> Iterator[TeamEvent]:
    earlier = AuditEvent.objects.filter(
        submission=OuterRef("submission"), action=_A.SCORED, pk__lt=OuterRef("pk")
    )
    took_long = Q(at__gte=F("submission__received_at") + _SOON)
    # Of a result that is scored again, _of_rescored writes.
    outcome = Q(action=_A.FAILED) | (took_long & (Q(action=_A.REJECTED) | Q(action=_A.SCORED)))
    events = AuditEvent.objects.filter(outcome | Q(action__in=_DECISIONS), at__gt=now - _LOOKS_BACK)
    events = events.exclude(Q(action=_A.SCORED) & Exists(earlier))
    for event in events.select_related("submission").order_by("pk"):
        submission = event.submission
        if submission is None:
            continue
        # "submission.scored" and the like.
        data = {"what": event.action.rpartition(".")[2]}
        if event.action == _A.DISQUALIFIED:
            data["reason"] = event.data["reason"]
        yield TeamEvent(
            event=f"audit:{event.pk}",
            kind=EmailKind.DECISION if event.action in _DECISIONS else EmailKind.SUBMISSION,
            board=submission.board_id,
            teams=frozenset({submission.team_id}),
            submission=submission.pk,
            data=data,
        )


def _of_approvals(now: datetime) -> Iterator[TeamEvent]:
    for event in AuditEvent.objects.filter(action__in=_APPROVALS, at__gt=now - _LOOKS_BACK).order_by("pk"):
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


def _announcements(now: datetime) -> Iterator[TeamEvent]:
    for announcement in Announcement.objects.filter(
        announced_at__gt=now - _LOOKS_BACK, ended_at=None
    ).order_by("pk"):
        published = Submission.objects.filter(board=announcement.board_id).published()
        yield TeamEvent(
            event=f"announcement:{announcement.pk}",
            kind=EmailKind.ANNOUNCEMENT,
            board=announcement.board_id,
            teams=frozenset(published.values_list("team", flat=True)),
            data={"text": announcement.text, "text_zh": announcement.text_zh},
        )


def _of_members(now: datetime) -> Iterator[TeamEvent]:
    """Yield who joined a team by a link, for its owners."""
    for event in AuditEvent.objects.filter(action=_A.MEMBER_JOINED, at__gt=now - _LOOKS_BACK).order_by("pk"):
        team = Team.objects.filter(pk=event.data["team"], handle__isnull=False).first()
        # Staff name the person.
        person: Any = event.data.get("user", event.actor_id)
        named = User.objects.filter(pk=person, is_active=True).first()
        if team is None or named is None:
            continue
        owners = Membership.objects.filter(team=team, role=Role.OWNER).exclude(user=named)
        yield TeamEvent(
            event=f"audit:{event.pk}",
            kind=EmailKind.TEAM,
            people=frozenset(owners.values_list("user", flat=True)),
            data={
                "team": remove_hidden_characters(team.name),
                "handle": team.handle,
                "name": remove_hidden_characters(named.get_full_name() or named.email),
            },
        )


def _of_tokens(now: datetime) -> Iterator[TeamEvent]:
    """Yield which tokens expire within a week, for their owners, or all owners of their teams."""
    # Of a CI job no token lives so long.
    soon = ApiToken.objects.filter(expiry__gt=now, expiry__lte=now + _EXPIRES_SOON)
    for token in soon.select_related("team"):
        # Whoever made one for some days knows when it ends.
        if token.expiry - token.created < 2 * _EXPIRES_SOON:
            continue
        owners = Membership.objects.filter(team=token.team_id, role=Role.OWNER).values_list("user", flat=True)
        yield TeamEvent(
            event=f"token:{token.token_key}:{token.expiry:%Y%m%d%H%M}",
            kind=EmailKind.TOKEN,
            people=frozenset(owners if token.team_id else [token.user_id]),
            data={
                "name": remove_hidden_characters(token.name),
                "key": token.token_key,
                "at": f"{token.expiry:%Y-%m-%d %H:%M}",
                "team": remove_hidden_characters(token.team.name) if token.team else "",
            },
        )


def _for_organisers(now: datetime) -> Iterator[TeamEvent]:
    """Yield which boards newly need their organisers, once an hour at most."""
    emails = Notification.objects.filter(kind=EmailKind.DESK).order_by().values_list("board")
    sent = dict(emails.annotate(at=Max("created_at")))
    needs = AuditEvent.objects.filter(action__in=_NEED_ORGANISERS, at__gt=now - _LOOKS_BACK).order_by()
    for pk, at, last in needs.values_list("board").annotate(at=Max("at"), last=Max("pk")):
        if pk not in sent or sent[pk] < min(at, now - timedelta(hours=1)):
            yield TeamEvent(
                event=f"desk:{pk}:{last}", kind=EmailKind.DESK, board=pk, people=organisers_of(pk)
            )


def _of_rescored(now: datetime) -> Iterator[TeamEvent]:
    """Yield which published results were scored again, one email a team once their board is done."""
    events = BoardEvent.objects.filter(
        action=BoardAction.RESCORED, at__gt=now - _LOOKS_BACK, submission__isnull=False
    )
    for pk, last, at in events.order_by().values_list("board").annotate(last=Max("number"), at=Max("at")):
        if at > now - _DONE_AFTER or RescoringOrder.objects.filter(board=pk).exists():
            continue
        systems = defaultdict[int, set[str]](set)
        prefix = f"rescored:{pk}:"
        names = Notification.objects.filter(event__startswith=prefix).values_list("event", flat=True)
        last_sent = max((int(name.split(":")[2]) for name in names.distinct()), default=0)
        rescored = events.filter(board=pk, number__gt=last_sent)
        for team, system in rescored.values_list("submission__team", "system_name"):
            systems[team].add(system)
        for team, of_team in systems.items():
            yield TeamEvent(
                event=f"{prefix}{last}:{team}",
                kind=EmailKind.DECISION,
                board=pk,
                teams=frozenset({team}),
                data={"what": "rescored", "systems": sorted(of_team)},
            )


def _of_watched(now: datetime) -> Iterator[TeamEvent]:
    """Yield the boards whose ranking changed yesterday, in UTC, for who watched them then."""
    end = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    events = BoardEvent.objects.filter(
        board__in=Watch.objects.values("board"),
        action__in=_RERANKING,
        at__range=(end - timedelta(days=1), end - timedelta.resolution),
    )
    by_board = defaultdict[int | None, list[BoardEvent]](list)
    for event in events.order_by("number"):
        by_board[event.board_id].append(event)
    for pk, changes in by_board.items():
        watching = Watch.objects.filter(board=pk, since__lte=changes[-1].at)
        # The log is public, and so are its names.
        sorted_changes = sorted(changes, key=lambda event: _RERANKING.index(_B(event.action)))
        named = [(event.action, remove_hidden_characters(event.system_name)) for event in sorted_changes]
        yield TeamEvent(
            event=f"watch:{pk}:{end:%Y%m%d}",
            kind=EmailKind.ANNOUNCEMENT,
            board=pk,
            people=frozenset(watching.values_list("user", flat=True)),
            data={
                "changes": named[:_MOST_NAMED],
                "count": len(named),
                "day": f"{changes[-1].at:%Y-%m-%d}",
            },
        )


def _of_seasons(now: datetime) -> Iterator[TeamEvent]:
    """Yield what happened to seasons, for the teams that sent files to them."""
    # What a season is about may be changed on other pages of the desk.
    is_concerned = Q(action=_B.SEASON) | Q(action__in=(_B.SETTINGS, _B.ACTIVATED), board__season_of__gt=0)
    rows = BoardEvent.objects.filter(is_concerned, at__gt=now - _LOOKS_BACK)
    for event in rows.order_by("pk"):
        teams = Submission.objects.filter(board=event.board_id).exclude(status=Status.REJECTED)
        texts = {}
        for key, language in (("text", "en"), ("text_zh", "zh-hant")):
            with translation.override(language):
                texts[key] = words_of(event)
        yield TeamEvent(
            event=f"season:{event.pk}",
            kind=EmailKind.ANNOUNCEMENT,
            board=event.board_id,
            teams=frozenset(teams.values_list("team", flat=True)),
            data=texts,
        )


# Each finds one kind of events.
FINDERS = (
    _of_seasons,
    _of_submissions,
    _of_approvals,
    _announcements,
    _of_members,
    _of_tokens,
    _for_organisers,
    _of_rescored,
    _of_watched,
)
