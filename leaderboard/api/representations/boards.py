"""Show leaderboards, their rows and their changes as the structs of `leaderboard.api.schema`.

`services.visibility` decides which parts of a result may be seen.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
from django.urls import reverse

from leaderboard.api.representations.parts import (
    show_group_metrics,
    show_interval,
    show_rates,
    show_references,
    show_system,
    submission_address,
)
from leaderboard.api.schema.boards import (
    AsOfSchema,
    BenchmarkSchema,
    BestScoreSchema,
    BoardSchema,
    BreakdownSchema,
    ChangeSchema,
    GoneSchema,
    MetricSchema,
    RankRulesSchema,
    RowSchema,
    SourceSchema,
    StatisticsSchema,
)
from leaderboard.models import (
    Board,
    DataClass,
    Feedback,
    Kind,
    ProvenanceLevel,
    ReferenceRevision,
    System,
    Trace,
)
from leaderboard.models.evaluations import StandingFigures
from leaderboard.models.systems import RELEASE
from leaderboard.services import data_class, visibility
from leaderboard.services.boards.best_scores import BestScore
from leaderboard.services.boards.page import BoardPage
from leaderboard.services.boards.row import Row
from leaderboard.services.exports.rows import statistics_metadata
from leaderboard.services.judging.intervals import clusters_by
from leaderboard.services.judging.judge import current_identity
from leaderboard.services.record import log
from leaderboard.services.rows.lead_rules import LeadRules
from leaderboard.services.statistics.p_values import round_p
from leaderboard.services.text import remove_hidden_characters
from leaderboard.services.visibility import round_figure
from wardboard.scoring import registry
from wardboard.scoring.facts import LINKS

# For structs whose fields have the names of the attributes that they show.
_convert = partial(msgspec.convert, from_attributes=True)


def show_benchmark(board: Board) -> BenchmarkSchema:
    benchmark, judge = registry.get(board.benchmark), current_identity(board)
    revision = board.active_revision
    return BenchmarkSchema(
        slug=board.slug,
        title=board.title,
        question=board.question,
        family=board.benchmark,
        version=board.version,
        open=board.is_open,
        demo=board.is_demo,
        unranked_lane=lane.slug if (lane := getattr(board, "unranked_lane", None)) else None,
        unranked_lane_of=board.unranked_lane_of.slug if board.unranked_lane_of else None,
        tasks=revision.task_count if revision else None,
        unusable_tasks=revision.unusable_count if revision else None,
        feedback=Feedback(board.feedback),
        daily_limit=board.daily_limit,
        data_class=DataClass(board.data_class),
        acknowledgement=data_class.VERSION if board.is_credentialed else None,
        judge=judge,
        agreement=benchmark.agreement(judge),
        mixes_judges=board.mixes_judges,
        rank_rules=_convert(LeadRules.of(board), RankRulesSchema),
        metrics=_convert(visibility.visible_metrics(board), list[MetricSchema]),
        breakdowns=_convert(visibility.visible_breakdowns(board), list[BreakdownSchema]),
        references=show_references(board, revision) if revision else None,
        scorer_version=benchmark.scorer_version,
        schemas=list(benchmark.schemas()),
        url=reverse("api:benchmark", args=[board.slug]),
        leaderboard_url=reverse("api:leaderboard", args=[board.slug]),
        schema_url=reverse("api:benchmark-schema", args=[board.slug]),
    )


def show_board(page: BoardPage) -> BoardSchema:
    query, provenance, as_of = page.query, page.query.board_at.provenance, page.query.board_at.as_of
    revision = provenance.revision
    return BoardSchema(
        benchmark=page.board.slug,
        feedback=Feedback(page.board.feedback),
        systems_rescored=page.counts["rescored"],
        systems_reported=page.counts["reported"],
        baselines=page.counts["baseline"],
        judges=dict(page.census.judges),
        mixes_judges=provenance.mixes_judges,
        ranks=page.ranks,
        sort=("-" if query.descending else "") + query.sort,
        count=page.page.paginator.count,
        page=page.page.number,
        pages=page.page.paginator.num_pages,
        next=None,
        event=provenance.event,
        references=show_references(page.board, revision) if revision else None,
        scorer_version=provenance.scorer_version,
        statistics=msgspec.convert(statistics_metadata(provenance), StatisticsSchema),
        as_of=AsOfSchema(event=as_of.number, at=as_of.at) if as_of else None,
        rows=_rows(page.rows),
    )


def _rows(rows: Sequence[Row]) -> list[RowSchema]:
    """Show rows of one board. Links and revisions are read for all of them at once."""
    links = System.objects.only(*(fact.field for fact in LINKS)).in_bulk(
        [row.standing.system_id for row in rows]
    )
    revision_ids = {row.standing.evaluation.revision_id for row in rows if row.standing.evaluation}
    revisions = ReferenceRevision.objects.without_references().in_bulk(revision_ids)
    return [_row(row, links[row.standing.system_id], revisions) for row in rows]


def _row(row: Row, system: System, revisions: Mapping[int, ReferenceRevision]) -> RowSchema:
    """Show a row. system: of the row. revisions: by primary key, with that of its result."""
    standing, place = row.standing, row.place
    assert isinstance(standing, StandingFigures), "rows of a page are models"
    evaluation = standing.evaluation
    return RowSchema(
        rank=row.rank,
        rank_to=row.rank_to,
        kind=Kind(standing.kind),
        judge=standing.judge,
        rank_interval_95=None if place.low is None else [place.low, place.high],
        tied_for_first=place.is_tied_for_first,
        p_next=round_p(place.p_next),
        not_tested=place.why_not,
        unmet_rules=row.unmet_rules,
        system_id=standing.system_id,
        system=show_system(standing, system),
        team=remove_hidden_characters(standing.team_name) or None,
        runs=row.runs,
        **{name: getattr(standing, name) or "" for name in RELEASE},
        provenance=ProvenanceLevel(standing.provenance) if standing.provenance else None,
        repository=standing.repository or "",
        trace=Trace(standing.trace) if standing.trace else None,
        right=standing.right,
        total=standing.total,
        score=visibility.visible_score(standing.score, standing.kind),
        metric=visibility.ranked_metric(row.board).key,
        interval_95=show_interval(round_figure(standing.low), round_figure(standing.high)),
        interval_clusters=[clusters.key for clusters in clusters_by(evaluation, row.board)],
        metrics=dict(row.metrics),
        breakdowns=show_rates(row.groups),
        group_metrics=show_group_metrics(row.group_metrics),
        date=standing.since,
        chosen_before_score=standing.chosen_before_score,
        designation=standing.designation,
        files_of_system=standing.files_of_system,
        files_of_team=standing.files_of_team,
        # A result that was withdrawn or disqualified has no page.
        submission=submission_address(evaluation.submission_id) if evaluation and not row.removal else None,
        gone=_convert(row.removal, GoneSchema | None),
        references=show_references(row.board, revisions[evaluation.revision_id]) if evaluation else None,
        scorer_version=evaluation.scorer_version if evaluation else None,
        outdated=row.is_outdated,
        source=_source(standing),
    )


def show_change(entry: log.Entry) -> ChangeSchema:
    return ChangeSchema(
        event=entry.number,
        at=entry.at,
        action=entry.action,
        system_id=entry.system_id,
        system=entry.system_name,
        reason=entry.reason,
        right=entry.right,
        total=entry.total,
        score=round_figure(entry.score),
        score_upper=round_figure(entry.upper_ends.get("score")),
        score_before=round_figure(entry.score_before),
        submission=submission_address(entry.submission_id) if entry.submission_id else None,
        on_board=entry.is_on_board,
        gone=_convert(entry.removal, GoneSchema | None),
    )


def show_best_score(best: BestScore) -> BestScoreSchema:
    return BestScoreSchema(
        at=best.at,
        system_id=best.system_id,
        system=best.name,
        kind=Kind(best.kind),
        judge=best.judge,
        score=visibility.visible_score(best.score, best.kind),
        score_upper=round_figure(best.upper),
        interval_95=show_interval(round_figure(best.low), round_figure(best.high)),
    )


def _source(standing: StandingFigures) -> SourceSchema | None:
    if standing.kind == Kind.RESCORED:
        return None
    return SourceSchema(title=standing.source, url=standing.source_url)
