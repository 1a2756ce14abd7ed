"""Reading a board: filtered, sorted, a page of it."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max, Q, QuerySet

from leaderboard.models import Benchmark, Kind, ReferenceRevision, Standing, System
from leaderboard.services import visibility
from leaderboard.services.boards.lines import Line, lines
from leaderboard.services.boards.query import (  # noqa: F401 - what a reader asks, where readers look for it
    MOST_COMPARED,
    NEAR,
    SOURCES,
    WEIGHTS,
    Query,
    chosen,
    filtered,
    ordered,
    read_query,
    sort_keys,
)
from leaderboard.services.boards.ranks import Place, places, ranks
from leaderboard.services.record.cache import all_rows, gone_rows, remembered
from leaderboard.services.record.past import Gone, Moment, mixes_judges
from scoring import registry
from scoring.verdicts import Rate, Share

PAGE_SIZE = 50
_AT_ONCE = 1000  # rows of an export
_NOT_SHOWN = ("models_text", "search", "evaluation__verdicts", "evaluation__details", "evaluation__suspects")
_NOT_SHOWN += ("evaluation__metrics", "evaluation__spending")
# What no table of one page shows either.
_NOT_LISTED = ("group_metrics", "evaluation__group_metrics", "evaluation__right", "evaluation__total")
_NOT_LISTED += ("evaluation__judge", "evaluation__duration_ms", "evaluation__created_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row as it may be seen. rank: of the whole board (of its judge, unless the board mixes them); None
    without a score, and for a baseline. place: how sure that is; None where nobody can say.
    active: the primary key of the revision that the board then had. gone: of a row of the past, why it stands
    no longer; None where it does.
    """

    rank: int | None
    standing: Standing | Line
    overall: Rate | Share | None
    metrics: Mapping[str, float | None]
    place: Place
    benchmark: Benchmark
    active: int | None
    gone: Gone | None = None

    @property
    def system(self) -> System:
        """Its system with the facts that the row has of it, whatever they are by now; not for saving."""
        row = self.standing
        told = ("name", "model_names", "organisation", "interaction", "retrieval", "reasoning")
        told += ("open_weights", "source", "source_url")
        return System(pk=row.system_id, **{name: getattr(row, name) for name in told})

    @property
    def groups(self) -> dict[str, dict[str, Rate | Share]]:
        stored = self.standing.shown_breakdowns
        return visibility.visible_groups(self.benchmark, stored) if stored else {}

    def rates(self, breakdown: str) -> dict[str, Rate | Share]:
        """Return group -> rate by one breakdown that may be seen, where it is known."""
        stored = self.standing.shown_breakdowns.get(breakdown, {})
        return {group: visibility.rate_of(found) for group, found in stored.items()}

    @property
    def group_metrics(self) -> dict[str, dict[str, dict[str, float | None]]]:
        return visibility.visible_group_metrics(self.benchmark, self.standing.shown_group_metrics)

    @property
    def rank_low(self) -> int | None:
        return self.place.low

    @property
    def rank_high(self) -> int | None:
        return self.place.high

    @property
    def group(self) -> int | None:
        return self.place.group

    @property
    def is_reported(self) -> bool:
        return self.standing.is_reported

    @property
    def is_baseline(self) -> bool:
        return self.standing.is_baseline

    @property
    def is_outdated(self) -> bool:
        """Scored against a revision that is no longer the board's."""
        evaluation = self.standing.evaluation if self.standing.evaluation_id else None
        return evaluation is not None and evaluation.revision_id != self.active


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """Who is on the whole of a board: rows of each kind, and ranked rows of each judge, most first.

    gaps: rows without a score. newest: when the last rescored row came."""

    kinds: Mapping[str, int]
    judges: Mapping[str, int]
    gaps: int = 0
    newest: datetime | None = None

    @property
    def total(self) -> int:
        return sum(self.kinds.values())

    @property
    def systems(self) -> int:
        """Rows that are no baseline, as the front page counts them."""
        return self.total - self.kinds[Kind.BASELINE]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A page of a board. found: how many systems fit the query, on all its pages, without baselines."""

    benchmark: Benchmark
    query: Query
    rows: list[Row]
    page: Page
    census: Census
    found: int

    @property
    def counts(self) -> Mapping[str, int]:
        return self.census.kinds


class _Stretch:
    """The primary keys of rows in an order, and how many there are: what a paginator asks."""

    def __init__(self, rows: QuerySet[Standing], count: int) -> None:
        self._rows, self._count = rows, count

    def count(self) -> int:
        return self._count

    def __getitem__(self, wanted: slice) -> list[int]:
        # Keys alone: an index has them, and the rows that are passed over stay unread.
        return list(self._rows.values_list("pk", flat=True)[wanted])


def words_on_ranks(benchmark: Benchmark, moment: Moment | None = None) -> str:
    """Say what ranks are among, today or at `moment`, in a sentence."""
    if not registry.get(benchmark.family).needs_judge:
        return "A rank is among all ranked systems of the board."
    if mixes_judges(benchmark, moment):
        return "The organisers rank all systems together, though different judges decided: compare with care."
    return "A rank is among the systems that the same judge decided on, since judges differ."


def read_board(*, benchmark: Benchmark, query: Query, size: int | None = None, whole: bool = True) -> Board:
    """Return one page of the board for `query`. Sorted by anything, a row without the figure comes last.

    size: rows a page, PAGE_SIZE unless said. whole: as of `rows_by_key`.
    """
    census = take_census(benchmark=benchmark, moment=query.moment)
    rows = filtered(all_rows(benchmark, query.moment), query)
    count, systems = census.total, census.systems
    if query.is_filtered:
        count, systems = remembered(
            benchmark, f"counts:{_digest(query)}", lambda: _counted(rows), query.moment
        )
    stretch = _Stretch(ordered(rows, query, has_gaps=census.gaps > 0), count)
    page = Paginator(stretch, size or PAGE_SIZE).get_page(query.page)
    shown = rows_by_key(benchmark=benchmark, query=query, keys=page.object_list, whole=whole)
    return Board(benchmark=benchmark, query=query, rows=shown, page=page, census=census, found=systems)


def _counted(rows: QuerySet[Standing]) -> tuple[int, int]:
    """Return how many rows there are, and how many of them are no baseline."""
    counted = rows.order_by().aggregate(rows=Count("pk"), systems=Count("pk", filter=~Q(kind=Kind.BASELINE)))
    return counted["rows"], counted["systems"]


def _digest(query: Query) -> str:
    return hashlib.sha256(repr(sorted(query.filters.items())).encode()).hexdigest()[:32]


def read_page(*, benchmark: Benchmark, query: Query, breakdown: str, size: int) -> tuple[list[Row], Page]:
    """Return one page, `size` rows, of the board's rows for `query` that have figures by `breakdown`."""
    rows = chosen(benchmark, query).filter(Q(evaluation__isnull=False) | Q(breakdowns__has_key=breakdown))
    page = Paginator(_Stretch(rows, rows.count()), size).get_page(query.page)
    return rows_by_key(benchmark=benchmark, query=query, keys=page.object_list), page


def rows_by_key(*, benchmark: Benchmark, query: Query, keys: Sequence[int], whole: bool = True) -> list[Row]:
    """Return the rows with these primary keys, in their order. One that has gone since is left out.

    whole: unless so, what stands beside the rates of groups is not read with them.
    """
    rows = _whole(all_rows(benchmark, query.moment))
    found = (rows if whole else rows.defer(*_NOT_LISTED)).in_bulk(keys) if keys else {}
    standings = [found[key] for key in keys if key in found]
    return rows_of(benchmark=benchmark, standings=standings, query=query)


def every_row(*, benchmark: Benchmark, query: Query, with_groups: bool = False) -> Iterator[Row]:
    """Yield all rows of the board for `query`, in its order, with few of them in memory at a time.

    with_groups: unless so, a row is a `Line`, which has no figures by group and costs a third.
    """
    view = _View(benchmark, query)
    rows = chosen(benchmark, query)
    read = _whole(rows).iterator(chunk_size=_AT_ONCE) if with_groups else lines(rows, at_once=_AT_ONCE)
    for standing in read:
        yield view.row(standing)


def rows_of(*, benchmark: Benchmark, standings: Iterable[Standing], query: Query) -> list[Row]:
    """Return `standings` of the board as they may be seen, in the same order."""
    view = _View(benchmark, query)
    found = []
    for standing in standings:
        # Else it would be read again for whoever asks a row for it.
        standing.benchmark = benchmark
        found.append(view.row(standing))
    return found


def take_census(*, benchmark: Benchmark, moment: Moment | None = None) -> Census:
    """Return how many rows of each kind and judge the board has."""

    def make() -> Census:
        kinds, judges, gaps = Counter(dict.fromkeys(Kind.values, 0)), Counter(), 0
        newest = None
        rows = all_rows(benchmark, moment).values_list("judge", "kind")
        counted = rows.annotate(number=Count("pk"), scored=Count("score"), newest=Max("since"))
        for judge, kind, number, scored, since in counted.order_by("judge", "kind"):
            kinds[kind] += number
            gaps += number - scored
            if kind != Kind.BASELINE:
                judges[judge] += number
            if kind == Kind.RESCORED:
                newest = max(since, newest or since)
        return Census(kinds=dict(kinds), judges=dict(judges.most_common()), gaps=gaps, newest=newest)

    return remembered(benchmark, "census", make, moment)


@lru_cache(maxsize=256)
def task_count(revision_id: int) -> int:
    """Return how many tasks a revision of references has. It never changes, and their ids are many."""
    return len(ReferenceRevision.objects.values_list("task_ids", flat=True).get(pk=revision_id))


def _whole(rows: QuerySet[Standing]) -> QuerySet[Standing]:
    """All that is shown of a row. Of its evaluation only that, too: its verdicts are large."""
    return rows.select_related("evaluation").defer(*_NOT_SHOWN)


class _View:
    """What makes rows of standings: read once for all of them."""

    def __init__(self, benchmark: Benchmark, query: Query) -> None:
        self._benchmark = benchmark
        self._ranks = ranks(benchmark, query.moment)
        self._places = places(benchmark, query.moment)
        # What a publication printed is public whatever the level; others are shown at the board's level.
        self._published = [metric.key for metric in registry.get(benchmark.family).metrics]
        self._visible = [metric.key for metric in visibility.visible_metrics(benchmark)]
        moment = query.moment
        self._active = moment.event.revision_id if moment else benchmark.active_revision_id
        self._gone = gone_rows(benchmark, moment)

    def row(self, standing: Standing | Line) -> Row:
        shown = self._published if standing.is_reported else self._visible
        return Row(
            rank=self._ranks.of(standing),
            standing=standing,
            overall=_overall(standing),
            metrics={key: standing.metrics.get(key) for key in shown},
            place=self._places(standing),
            benchmark=self._benchmark,
            active=self._active,
            gone=self._gone.get(standing.system_id),
        )


def _overall(standing: Standing | Line) -> Rate | Share | None:
    if not standing.total:
        return None
    if standing.right is None:
        return None if standing.score is None else Share(rate=standing.score, total=standing.total)
    return Rate(right=standing.right, total=standing.total)
