"""Close seasons and reveal them, each in one transaction that a killed worker repeats."""

import hashlib
import logging
from copy import copy
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from cryptography.fernet import InvalidToken
from django.db import transaction
from django.utils import timezone

from leaderboard.models import (
    AuditEvent,
    Board,
    BoardAction,
    ProvenanceLevel,
    ReviewLink,
    SealedFile,
    Season,
    Standing,
    Status,
    Submission,
    System,
    Team,
    User,
)
from leaderboard.models.seasons import Phase, entries_of
from leaderboard.models.systems import RELEASE
from leaderboard.services import audit
from leaderboard.services.judging.public_verdicts import publish_verdicts
from leaderboard.services.publishing import standings, system_facts
from leaderboard.services.record import events
from leaderboard.services.record.events import Change
from leaderboard.services.seasons import score
from leaderboard.services.seasons.score import Result, grader_of, open_result, score_next
from leaderboard.services.seasons.seal import sealed_lines
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.submissions.grade import OUR_FAULT
from wardboard.scoring.facts import CONDITIONS, Kind

logger = logging.getLogger(__name__)

# For so long the reveal waits for what passes, such as a provider that is down; then it names the files.
GRACE = timedelta(hours=24)
_A_DAY = timedelta(days=1)


def work_on_next() -> bool:
    """Do what is due in seasons: close, score a file, reveal, name; return whether there was anything."""
    now = timezone.now()
    current = Season.objects.filter(revealed_at=None, opens_at__lte=now)
    for season in current.select_related("board"):
        try:
            if _work_on(season, now):
                return True
        except Exception:
            # A fault in one season holds up no other one.
            logger.exception("season %s could not go on", season.board.slug)
    return name_next(now)


def _work_on(season: Season, now: datetime) -> bool:
    if season.closed_at is None and season.phase(now) == Phase.CLOSED:
        return close(season=season, now=now)
    return score_next(season, now) or (now >= season.reveals_at and reveal(season=season, now=now))


@transaction.atomic
def close(*, season: Season, now: datetime) -> bool:
    """Log the close of a season with the digest of all entries; return whether it was not logged yet.

    It waits for the check of what came before: each of these files may be an entry.
    """
    locked = Season.objects.select_for_update().filter(pk=season.pk, closed_at=None)
    season_now = locked.first()
    if season_now is None or season_now.phase(now) != Phase.CLOSED or _has_unchecked(season_now):
        return False
    season_now.closed_at = now
    season_now.save(update_fields=["closed_at"])
    lines = sealed_lines(season_now)
    digest = hashlib.sha256("".join(f"{file} {text}\n" for file, text in lines).encode()).hexdigest()
    data = {"kind": "season-closed", "entries": len(lines), "digest": digest, "files": lines}
    events.record(Change(action=BoardAction.SEASON, data=data), board=season.board)
    return True


@transaction.atomic
def reveal(*, season: Season, now: datetime) -> bool:
    """Open all entries: results, rows, tests of all pairs and events in one transaction.

    Returns False where another process did so, and while files are checked or scored still. What passes may
    hold it up for GRACE; a file that has no result then, or by a fault of ours, is named.
    """
    locked = Season.objects.select_for_update().filter(
        pk=season.pk, revealed_at=None, closed_at__isnull=False, reveals_at__lte=now
    )
    if (season_now := locked.first()) is None:
        return False
    board = Board.objects.with_task_ids().get(pk=season.board_id)
    grader, entries = grader_of(board), _lock_entries(season_now)
    sealed = SealedFile.objects.in_bulk([entry.pk for entry in entries])
    ready = [entry for entry in entries if entry.pk in sealed and sealed[entry.pk].scored_by == grader]
    lost = [entry for entry in entries if entry not in ready]
    assert season_now.closed_at is not None
    is_late = now >= max(season_now.reveals_at, season_now.closed_at) + GRACE
    if _has_unchecked(season_now) or any(_may_pass(sealed.get(one.pk), is_late) for one in lost):
        return False
    try:
        results = {entry.pk: open_result(sealed[entry.pk]) for entry in ready}
    except InvalidToken:
        # SECRET_KEY was changed without a fallback: what it encrypted is scored again.
        SealedFile.objects.filter(submission__in=ready).update(scored_by="")
        return True
    others = Submission.objects.filter(board=board, status=Status.SEALED)
    others.exclude(pk__in=[entry.pk for entry in entries]).become(Status.CANCELLED, was=Status.SEALED)
    Submission.objects.filter(pk__in=[entry.pk for entry in lost]).become(
        Status.FAILED, was=Status.SEALED, failure=OUR_FAULT
    )
    failed = Submission.objects.filter(board=board, status=Status.FAILED)
    named = sorted(
        failed.exclude(system__in=[one.system_id for one in ready]).values_list("sha256", flat=True)
    )
    _publish(ready, sealed, results, now)
    SealedFile.objects.filter(submission__board=board).update(result="")
    data = {"kind": "season-revealed", "entries": len(ready), "named": named}
    [event] = events.record(Change(action=BoardAction.SEASON, data=data), board=board)
    compute_statistics(board_id=board.pk)
    season_now.revealed_at, season_now.table_number = now, event.number
    season_now.save(update_fields=["revealed_at", "table_number"])
    logger.info("season %s is revealed", board.slug)
    return True


def _has_unchecked(season: Season) -> bool:
    return Submission.objects.filter(board=season.board_id, status=Status.RECEIVED).exists()


def _may_pass(row: SealedFile | None, is_late: bool) -> bool:
    """Return whether a file may still get a result: it is scored now or next, or its fault passes."""
    if row is None or row.claim or not row.fault:
        return True
    return not is_late and row.fault not in (score.OUR_FAULT, score.INTERRUPTED)


def _lock_entries(season: Season) -> list[Submission]:
    """Lock the entries with their people and teams, in the order of locks that holds everywhere."""
    keys = list(entries_of(season).values_list("pk", flat=True))
    for rows in (User.objects, Team.objects):
        locked = rows.select_for_update(of=("self",), no_key=True).filter(submissions__in=keys)
        list(locked.order_by("pk").values_list("pk"))
    return list(Submission.objects.locked().filter(pk__in=keys).order_by("received_at", "pk"))


def _publish(
    entries: list[Submission], sealed: dict[Any, SealedFile], results: dict[Any, Result], now: datetime
) -> None:
    """Make the results of sealed files rows of their season, each chosen before its score was known."""
    for number, entry in enumerate(entries, 1):
        row = sealed[entry.pk]
        of_system = Submission.objects.filter(board=entry.board_id, system=entry.system_id)
        # Links for reviewers lead to what is in the table, whichever file they were made of.
        ReviewLink.objects.filter(submission__in=of_system).update(submission=entry)
        if row.embargo_until and row.embargo_until > entry.board.season.day(now):
            _hide(entry, row, number)
        else:
            system_facts.apply_waiting_facts(entry, by=entry.submitted_by)
        evaluation, digests, entry.trace = results[entry.pk]
        evaluation.save()
        digests.save()
        entry.evaluation, entry.scored_at = evaluation, evaluation.created_at
        entry.status, entry.moved_at = Status.SCORED, now
        entry.published_at, entry.sent_for_publication = now, True
        entry.save()
        audit.record(AuditEvent.Action.SCORED, submission=entry, revision=evaluation.revision.number)
        audit.record(AuditEvent.Action.PUBLISHED, actor=entry.submitted_by, submission=entry)
    if entries:
        standings.refresh_standings(entries, action=BoardAction.PUBLISHED)
        publish_verdicts(*entries)


def _hide(entry: Submission, row: SealedFile, number: int) -> None:
    """Put an entry under a system without a name; what names it is kept until its date."""
    named = {**{name: getattr(entry, name) for name in RELEASE}, "system": entry.system_id}
    named |= {"ci_job": entry.ci_job_id, "provenance": entry.provenance, "retries": entry.retries}
    row.identity = named
    row.save(update_fields=["identity"])
    # A free text could name the system or its team.
    plain = [fact.field for fact in CONDITIONS if fact.kind in (Kind.CHOICE, Kind.YES_NO, Kind.NUMBER)]
    facts = {name: getattr(entry.system, name) for name in (*plain, "model_names")}
    entry.system = System.objects.create(name=f"System {number}", source=entry.board.slug, **facts)
    for name in (*RELEASE, "retries"):
        setattr(entry, name, "")
    entry.ci_job, entry.provenance = None, ProvenanceLevel.ACCOUNT


def name_next(now: datetime) -> bool:
    """Name a system whose embargo has ended in the zone of its season; return whether there was one."""
    hidden = SealedFile.objects.filter(identity__isnull=False, embargo_until__lte=now.date() + _A_DAY)
    for row in hidden.select_related("submission__board__season"):
        if row.embargo_until and row.embargo_until <= row.submission.board.season.day(now):
            try:
                if _name(row.pk):
                    return True
            except Exception:
                # A fault with one system holds up no other one.
                logger.exception("a system of season %s could not be named", row.submission.board.slug)
    return False


@transaction.atomic
def _name(key: UUID) -> bool:
    row = (
        SealedFile.objects.select_for_update(skip_locked=True).filter(pk=key, identity__isnull=False).first()
    )
    if row is None:
        return False
    entry = Submission.objects.locked().get(pk=row.submission_id)
    named: dict[str, Any] = dict(row.identity or {})
    hidden, system_id = entry.system, named.pop("system")
    systems = {one.pk: one for one in standings.lock_systems(pk__in=[hidden.pk, system_id])}
    system = entry.system = systems[system_id]
    entry.ci_job_id = named.pop("ci_job")
    for name, value in named.items():
        setattr(entry, name, value)
    entry.save()
    system_facts.apply_waiting_facts(entry, by=entry.submitted_by)
    row.identity = None
    row.save(update_fields=["identity"])
    if (standing := Standing.objects.filter(board=entry.board, system=hidden).first()) is not None:
        was = copy(standing)
        standings.save_changes(standing, {"system": system, **standings.facts_for_standing(system)})
        data = {"kind": "renamed", "from": hidden.name, "changed": [], "by_organiser": False}
        change = Change(
            action=BoardAction.FACTS,
            system=system,
            data=data,
            rows=[standing],
            removed=[was],
            # The tests name systems, too.
            is_reranked=True,
        )
        events.record(change, board=entry.board)
        compute_statistics(board_id=entry.board_id)
    return True
