"""A board at one point of its log: its rows, its settings, and a cache of derived values.

A past board is shown at today's feedback level: a level that was lowered since must not be evaded by a date.
Whether different judges were ranked together is as it was at the time.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar, cast

from django.core.cache import caches
from django.db.models import Max, QuerySet

from leaderboard.models import Board, BoardAction, BoardEvent, PastStanding, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services.record import past
from leaderboard.services.record.as_of import AsOf
from leaderboard.services.record.past import Removal
from leaderboard.services.rows.lead_rules import LeadRules
from leaderboard.services.rows.model_names import ModelNames, name_models

_TIMEOUT = 24 * 60 * 60  # seconds
_PATIENCE = 10  # seconds for which a thread waits for a value that another computes
_computed: dict[str, threading.Lock] = {}
_MISSING = object()
T = TypeVar("T")


@dataclass(frozen=True)
class RecordedBoard:
    """A board as it is now or, with `as_of`, as it was then.

    board: as it was read for this request, with its `state`. An object that is held longer keeps the
    revision of the time when it was read, and with it the cached values of that time.
    """

    board: Board
    as_of: AsOf | None = None

    @property
    def number(self) -> int:
        """The number of the last event up to the point that is shown, 0 before the first."""
        return self.as_of.number if self.as_of else self.board.state.number

    @property
    def is_past(self) -> bool:
        """Whether the board changed after the point that is shown."""
        return self.as_of is not None and self.as_of.is_past

    @property
    def is_one_look(self) -> bool:
        """Whether it is a season as it was revealed: each pair of its rows was tested once."""
        return self.board.is_season and self.number == self.board.season.table_number

    @property
    def is_first_table(self) -> bool:
        """Whether it is a season as it was revealed, with its tests, while corrections came later."""
        return self.is_past and self.is_one_look

    @property
    def mixes_judges(self) -> bool:
        """Whether rows of different judges are ranked together."""
        return self.as_of.event.mixes_judges if self.as_of else self.board.mixes_judges

    @cached_property
    def lead_rules(self) -> LeadRules:
        """What a result needs for a rank. Past rules are those of the last event that set any.

        Before the first, they are what it says they were: none where it is of an earlier release.
        """
        if self.as_of is None:
            return LeadRules.of(self.board)
        number = self.as_of.number

        def read() -> LeadRules:
            events = BoardEvent.objects.filter(board=self.board, data__kind="rules").order_by("number")
            data = events.filter(action=BoardAction.SETTINGS).values_list("data", flat=True)
            if last := data.filter(number__lte=number).last():
                return LeadRules.of(self.board, last["rules"])
            following = data.first()
            return LeadRules.of(self.board, following.get("was", {}) if following else None)

        return self.remember("lead-rules", read)

    @property
    def ranked_rows(self) -> StandingQuerySet[Standing]:
        """The rows of the board that have a rank, unordered."""
        return self.rows.ranked().filter(self.lead_rules.condition)

    @cached_property
    def model_names(self) -> ModelNames:
        """The names of the models that its rows state, as organisers had joined them."""

        def read() -> ModelNames:
            texts = self.rows.order_by().values_list("models_text", flat=True).distinct()
            decisions = BoardEvent.objects.filter(
                board=self.board, number__lte=self.number, action=BoardAction.SETTINGS, data__kind="model"
            )
            # SQLite would return a name of digits alone as a number, were it read by its key.
            decided = decisions.order_by("number").values_list("data", flat=True)
            aliases = {data["from"]: data["to"] for data in decided if data}
            return name_models({name for text in texts for name in text.split("\n") if name}, aliases)

        return self.remember("model-names", read)

    @property
    def revision_id(self) -> int | None:
        """The primary key of the ground truth, None where the board had none."""
        return self.as_of.event.revision_id if self.as_of else self.board.active_revision_id

    @property
    def rows(self) -> StandingQuerySet[Standing]:
        """The rows of the board, unordered. Past ones have all fields of `Standing`."""
        if self.as_of is None:
            return Standing.objects.filter(board=self.board)
        return cast("StandingQuerySet[Standing]", self._past_rows(self.as_of.number))

    def _past_rows(self, number: int) -> QuerySet[PastStanding]:
        versions = PastStanding.objects.filter(board=self.board, number__lte=number)
        # Take the last version of each system by key: events of a board are written one after another, so
        # keys grow with numbers. An index covers this query.
        last = versions.order_by().values("system").annotate(last=Max("pk"))
        return PastStanding.objects.filter(pk__in=last.values("last"), is_gone=False)

    @cached_property
    def removals(self) -> Mapping[int, Removal]:
        """System -> later removal of its row; empty for the current board."""
        if self.as_of is None or not self.as_of.is_past:
            return {}
        rows = self._past_rows(self.as_of.number)
        return self.remember("removals", lambda: past.removals_of(board=self.board, rows=rows))

    def remember(self, name: str, make: Callable[[], T]) -> T:
        """Return the result of `make`, which is called once for each name and revision of the board."""
        key = self.key_of(name)
        cache = caches["boards"]
        value = cache.get(key, _MISSING)
        if value is _MISSING:
            # After a change all readers want the same values: if each computed them, each would wait for all.
            with _computed_by_one(key):
                value = cache.get(key, _MISSING)
                if value is _MISSING:
                    value = make()
                    cache.set(key, value, _TIMEOUT)
        return cast("T", value)

    def key_of(self, name: str) -> str:
        """Return the cache key of a value; each revision of the board has another one."""
        state = self.board.state
        at = self.as_of.number if self.as_of else "now"
        # The number of a revision that was rolled back is used again, so the time is part of the key.
        parts = f"{self.board.pk}:{state.revision}:{state.changed_at.timestamp():f}:{at}:{name}"
        # Hash the parts: names of judges and models have spaces, which a key must not have.
        return f"board:{hashlib.sha256(parts.encode()).hexdigest()}"


@contextmanager
def _computed_by_one(key: str) -> Iterator[None]:
    """Wait while another thread of this process computes the value of `key`, for _PATIENCE at most."""
    lock = _computed.setdefault(key, threading.Lock())
    is_mine = lock.acquire(timeout=_PATIENCE)
    try:
        yield
    finally:
        _computed.pop(key, None)
        if is_mine:
            lock.release()
