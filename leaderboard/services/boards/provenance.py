"""What the figures of a board rest on at a moment: which state of it, ground truth, scorer, statistics."""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.models import Benchmark, BoardEvent, ReferenceRevision
from leaderboard.services.record.cache import remembered
from leaderboard.services.record.past import Moment, mixes_judges, rows_at
from leaderboard.services.statistics import compute
from leaderboard.services.statistics import known as statistics
from scoring import registry

METHOD = (
    "95% interval of each rank by a bootstrap over tasks, paired and stratified by group of tasks; tie "
    "groups by exact McNemar tests against the best of the group, at 5%."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """How the rank intervals and groups of one judge's rows were worked out. judge: "" where the board mixes
    judges, or nothing is judged. method: raised when the same rows would be given other figures. digest:
    sha256 of all that went in. left_out: rows that could have taken part, beyond the most that do."""

    judge: str
    method: int
    resamples: int
    seed: int | None
    tasks: int
    systems: int
    left_out: int
    computed_at: datetime
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """event: number of the board's last event at the moment, by which the same table is found again; 0 where
    there was none. at: when that was, None without one. revision: the board's ground truth then.
    is_past: whether the board has changed since. worked: by judge; empty where nothing was worked out."""

    event: int
    at: datetime | None
    revision: ReferenceRevision | None
    scorer_version: str
    is_past: bool
    mixes_judges: bool
    worked: tuple[Worked, ...]


def provenance_of(*, benchmark: Benchmark, moment: Moment | None) -> Provenance:
    """Return what the board's figures rest on, now or at `moment`."""
    return remembered(benchmark, "provenance", lambda: _provenance_of(benchmark, moment), moment)


def _provenance_of(benchmark: Benchmark, moment: Moment | None) -> Provenance:
    event = moment.event if moment else _last(benchmark)
    revision = _revision(event.revision_id if event else benchmark.active_revision_id)
    known = statistics.known_by_judge(benchmark=benchmark, moment=moment)
    return Provenance(
        event=event.number if event else 0,
        at=event.at if event and event.number else None,
        revision=revision,
        scorer_version=scorer_at(benchmark, moment),
        is_past=bool(moment and moment.is_past),
        mixes_judges=mixes_judges(benchmark, moment),
        worked=tuple(
            Worked(
                judge=judge,
                method=one.method,
                resamples=one.resamples,
                seed=compute.seed_of(revision) if revision else None,
                tasks=one.tasks,
                systems=one.systems,
                left_out=one.left_out,
                computed_at=one.worked_out_at,
                digest=one.digest,
            )
            for judge, one in known.items()
        ),
    )


def revision_at(benchmark: Benchmark, moment: Moment | None) -> ReferenceRevision | None:
    """Return the ground truth that the board has, or had at `moment`; None where it had none."""
    if moment is None or moment.event.revision_id == benchmark.active_revision_id:
        return benchmark.active_revision if moment is None or moment.event.revision_id else None
    return _revision(moment.event.revision_id)


def scorer_at(benchmark: Benchmark, moment: Moment | None) -> str:
    """Return the version of the scorer; at `moment` of those that scored the rows of then, if any did."""
    today = registry.get(benchmark.family).scorer_version
    if moment is None or not moment.is_past:
        return today

    def make() -> str:
        rows = rows_at(benchmark=benchmark, moment=moment).filter(evaluation__isnull=False).order_by()
        found = rows.values_list("evaluation__scorer_version", flat=True).distinct()
        return ", ".join(sorted(found)) or today

    return remembered(benchmark, "scorer", make, moment)


def revisions_of(benchmark: Benchmark) -> dict[int, tuple[int, str]]:
    """Return, by primary key, number and digest of each revision of the board's references."""
    rows = ReferenceRevision.objects.filter(benchmark=benchmark).order_by()
    return {key: (number, digest) for key, number, digest in rows.values_list("pk", "number", "digest")}


def _last(benchmark: Benchmark) -> BoardEvent | None:
    # By the counter as it was read with the board: what a table shows, and no newer.
    return BoardEvent.objects.filter(benchmark=benchmark, number=benchmark.state.number).first()


def _revision(key: int | None) -> ReferenceRevision | None:
    if key is None:
        return None
    return ReferenceRevision.objects.only("number", "digest", "benchmark", "unusable_count").get(pk=key)
