"""Erase a name from the public record, which is otherwise written once.

The chain has digests of names alone (`wardboard.scoring.receipts.entries`), so it stays whole: the log
withholds an erased text, and nobody can find it by guessing. Triggers refuse changes of the record; erasing
lifts them for its transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import Model, Q, QuerySet

from leaderboard.models import (
    Announcement,
    AuditEvent,
    Board,
    BoardEvent,
    PastStanding,
    Standing,
    Submission,
    System,
    Team,
)
from leaderboard.services import audit
from leaderboard.services.record.chain import ERASED
from leaderboard.services.record.events import touch
from leaderboard.services.text import build_models_text, fold_case
from wardboard.scoring.facts import IN_ROWS, Kind

# Texts of people within the data of an event; the whole data go with them.
_DATA_TEXTS = ("data__from", "data__to", "data__reason")
_EVENT_TEXTS = ("system_name", "reason", *_DATA_TEXTS)
_SYSTEM_TEXTS = tuple(fact.field for fact in IN_ROWS if fact.kind is Kind.TEXT)
_ROW_TEXTS = (*_SYSTEM_TEXTS, "team_name")
_SEARCHED_TEXTS = (*_ROW_TEXTS, "models_text")
_NEWS_TEXTS = ("text", "text_zh")
# Pages show these reasons beside the events that they were given for.
_RESULT_TEXTS = ("disqualification_reason", "withdrawal_reason")
_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What holds a name: events of the log, past rows, results by their reasons, and slugs of the boards."""

    events: int
    rows: int
    results: int
    boards: tuple[str, ...]


def shown_today(text: str) -> list[str]:
    """Return where a text is shown today, at most 20 places; to be changed before it is erased."""
    places: tuple[tuple[str, QuerySet[Any], tuple[str, ...], tuple[str, ...]], ...] = (
        ("team {}: {}", Team.objects.all(), ("name",), ("pk", "name")),
        ("system {}: {}", System.objects.all(), _SYSTEM_TEXTS, ("pk", "name")),
        ("row of system {} on {}", Standing.objects.all(), _SEARCHED_TEXTS, ("system", "board__slug")),
        ("announcement on {}", Announcement.objects.filter(ended_at=None), _NEWS_TEXTS, ("board__slug",)),
    )
    shown = [
        words.format(*values)
        for words, rows, texts, columns in places
        for values in rows.filter(_holds(texts, text)).values_list(*columns)
    ]
    return shown[:_MOST_SHOWN]


def find(text: str) -> Erasure:
    """Return what `erase` would erase."""
    events, rows = _events(text), _rows(text)
    results = Submission.objects.filter(_holds(_RESULT_TEXTS, text))
    boards = Board.objects.filter(
        Q(pk__in=events.values("board")) | Q(pk__in=rows.values("board")) | Q(pk__in=results.values("board"))
    )
    slugs = boards.order_by("slug").values_list("slug", flat=True)
    return Erasure(events=events.count(), rows=rows.count(), results=results.count(), boards=tuple(slugs))


@transaction.atomic
def erase(text: str) -> Erasure:
    """Erase every text of the record that holds `text`, in any case of ASCII letters; return what held it."""
    erasure = find(text)
    for name in _RESULT_TEXTS:
        Submission.objects.filter(_holds((name,), text)).update(**{name: ERASED})
    with _lifted(BoardEvent, PastStanding):
        _events(text, "system_name").update(system_name=ERASED)
        _events(text, "reason", *_DATA_TEXTS).update(reason=ERASED, data=None)
        # Erase the text of the search first: its rows are selected by the names.
        _rows(text).update(search=fold_case(ERASED))
        models = {"model_names": [ERASED], "models_text": build_models_text([ERASED])}
        QuerySet(PastStanding).filter(_holds(("models_text",), text)).update(**models)
        for name in _ROW_TEXTS:
            QuerySet(PastStanding).filter(_holds((name,), text)).update(**{name: ERASED})
    for board in Board.objects.without_references().filter(slug__in=erasure.boards):
        touch(board=board)
    audit.record(AuditEvent.Action.NAME_ERASED, **asdict(erasure))
    return erasure


def _events(text: str, *names: str) -> QuerySet[BoardEvent]:
    # Use a plain QuerySet, which has private events too: that of the model refuses changes.
    return QuerySet(BoardEvent).filter(_holds(names or _EVENT_TEXTS, text), number__isnull=False)


def _rows(text: str) -> QuerySet[PastStanding]:
    return QuerySet(PastStanding).filter(_holds(_SEARCHED_TEXTS, text))


def _holds(names: tuple[str, ...], text: str) -> Q:
    return Q(*((f"{name}__icontains", text) for name in names), _connector=Q.OR)


@contextmanager
def _lifted(*models: type[Model]) -> Iterator[None]:
    """Lift the triggers that refuse changes of rows until the end of the block; a rollback restores them.

    On PostgreSQL, the user who runs this must own the tables, as for migrations.
    """
    tables = [model._meta.db_table for model in models]
    is_postgresql = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        if is_postgresql:
            # PostgreSQL does not alter a table whose checks wait for the end of the transaction.
            connection.check_constraints()
            lift = [f"ALTER TABLE {table} DISABLE TRIGGER {table}_once" for table in tables]
            restore = [f"ALTER TABLE {table} ENABLE TRIGGER {table}_once" for table in tables]
        else:
            lift = [f"DROP TRIGGER {table}_once" for table in tables]
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            statements = dict(cursor.fetchall())
            restore = [statements[f"{table}_once"] for table in tables]
        for statement in lift:
            cursor.execute(statement)
        yield
        if is_postgresql:
            connection.check_constraints()
        for statement in restore:
            cursor.execute(statement)
