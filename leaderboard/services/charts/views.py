"""Read the figures of a board's views, each at the board's feedback level.

The views are the best score over time, the intervals, precision against recall, the score against cost,
rates by group, approach by model, models by harness, and tasks by system.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext_noop

from leaderboard.models import (
    Board,
    Interaction,
    Kind,
    Reasoning,
    Standing,
)
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.boards import best_scores
from leaderboard.services.boards.query import Query, select_rows
from leaderboard.services.boards.read_rows import page_of_keys, rows_by_key
from leaderboard.services.boards.row import Row
from leaderboard.services.charts import figures
from leaderboard.services.charts.effects import estimate_effects
from leaderboard.services.charts.figures import Figure, model_of
from leaderboard.services.charts.form import Form, View
from leaderboard.services.rows.means import may_lead
from leaderboard.services.statistics.entrants import scores_of
from wardboard.scoring.benchmark import Metric, Unit
from wardboard.scoring.facts import BY_KEY, COST

PAGE_SIZE = 25
EXPORT_SIZE = 1000
FIRST = 25  # rows in the view of intervals
POINTS = 300  # rows in a view of points
_MOST_DOLLARS = 10**6  # US dollars a question, as the limits of a file allow
_MODELS = 12  # columns in the view of approach by model
_CELLS = 400  # cells in it
# Approach by model chooses the best among so many first rows, since a board may have any number of rows and a
# page must not take ever longer.
_AMONG = 10_000
_UNDER_SEVERAL = 12  # models in the view of harnesses
_ACROSS, _UP = "recall", "precision"


def available_views(board: Board) -> list[View]:
    """Return the views of the board; those by group only where the feedback level shows groups."""
    views = [View(name="progress", form=Form.PROGRESS), View(name="forest", form=Form.FOREST)]
    if _axes(board):
        views.append(View(name="precision-recall", form=Form.SCATTER))
    views.append(View(name="score-by-cost", form=Form.COST))
    views += [
        View(name=f"by-{breakdown.key.replace('_', '-')}", form=Form.GROUPS, breakdown=breakdown)
        for breakdown in visibility.visible_breakdowns(board)
    ]
    views.append(View(name="approach-by-model", form=Form.APPROACHES))
    views.append(View(name="by-harness", form=Form.HARNESSES))
    if visibility.by_task_to_all(board):
        views.append(View(name="by-task", form=Form.TASKS))
    return views


def _axes(board: Board) -> dict[str, Metric]:
    """Return the metrics of precision and recall by key; nothing unless both are visible."""
    metrics = {m.key: m for m in visibility.visible_metrics(board) if m.key in (_ACROSS, _UP)}
    return metrics if len(metrics) == 2 else {}


def read_view(*, view: View, query: Query, size: int = PAGE_SIZE) -> Figure:
    """Return the figures of `view` for `query`.

    size: the rows of a page, in a view by group
    """
    query = query.of_one_judge()
    read = _READ_BY.get(view.form) or partial(_groups, size=size)
    return replace(read(view, query), judge=query.judge or query.board_at.compared_judge or "")


def _groups(view: View, query: Query, *, size: int) -> figures.GroupFigure:
    # A page of those that have figures by the breakdown.
    rows = select_rows(query).filter(Q(evaluation__isnull=False) | Q(breakdowns__has_key=view.grouping.key))
    page = page_of_keys(rows, rows.count(), size, query.page)
    shown = rows_by_key(query, list(page), with_groups=True)
    metrics = _metrics(query.board, view.grouping.metrics)
    return figures.GroupFigure(view=view, metric=_ranked(query), metrics=metrics, rows=shown, page=page)


def _ranked(query: Query) -> Metric:
    return visibility.ranked_metric(query.board)


def _metrics(board: Board, keys: Iterable[str]) -> list[Metric]:
    key_set = set(keys)
    return [metric for metric in visibility.visible_metrics(board)[1:] if metric.key in key_set]


def _progress(view: View, query: Query) -> figures.ProgressFigure:
    history = best_scores.best_score_history(query)
    return figures.ProgressFigure(view=view, metric=_ranked(query), history=history)


def _forest(view: View, query: Query) -> figures.ForestFigure:
    first, has_more = _first(_with_interval(query), query, FIRST)
    return figures.ForestFigure(view=view, metric=_ranked(query), rows=first, has_more=has_more)


def _with_interval(query: Query) -> StandingQuerySet[Standing]:
    return select_rows(query).filter(score__isnull=False, low__isnull=False)


def _tasks(view: View, query: Query) -> figures.TaskFigure:
    board = query.board
    rows = _with_interval(query).filter(kind=Kind.RESCORED, evaluation__revision=board.active_revision_id)
    first, _has_more = _first(rows, query, FIRST)
    # Of a result that was removed since, no reader sees the verdicts.
    shown = [row for row in first if row.removal is None]
    tasks = board.ground_truth.task_ids if shown else []
    keys = [key for row in shown if (key := row.standing.evaluation_id)]
    shares = scores_of(board.benchmark, keys, len(tasks)).lower
    order = (-shares.mean(axis=0)).argsort(kind="stable").tolist() if keys else []
    return figures.TaskFigure(
        view=view,
        metric=_ranked(query),
        rows=shown,
        tasks=[tasks[place] for place in order],
        shares=shares[:, order].tolist(),
    )


def _harnesses(view: View, query: Query) -> figures.ForestFigure:
    rows = _with_interval(query).exclude(harness="").exclude(models_text="")
    best: dict[str, dict[str, int]] = {}
    figures_of_all = []
    columns = ("pk", "model_names", "harness", "harness_name", "score", "low", "high")
    for key, stated, kind, name, *ends in rows.best_first().values_list(*columns)[:_AMONG]:
        models, harness = ", ".join(query.board_at.model_names.all_of(stated)), f"{kind} {name.casefold()}"
        best.setdefault(models, {}).setdefault(harness, key)
        figures_of_all.append((*ends, models, harness))
    several = [list(keys.values()) for keys in best.values() if len(keys) > 1]
    shown = several[:_UNDER_SEVERAL]
    return figures.ForestFigure(
        view=view,
        metric=_ranked(query),
        rows=rows_by_key(query, [key for keys in shown for key in keys]),
        has_more=len(several) > len(shown),
        effects=None
        if query.filters.keys() - {"judge"}
        else query.board_at.remember(f"effects:{query.judge}", lambda: estimate_effects(figures_of_all)),
    )


def _first(rows: StandingQuerySet[Standing], query: Query, most: int) -> tuple[list[Row], bool]:
    """Return the first rows of a query of the board, and whether there are more."""
    keys = list(rows.values_list("pk", flat=True)[: most + 1])
    return rows_by_key(query, keys[:most]), len(keys) > most


def _scatter(view: View, query: Query) -> figures.PointFigure:
    metrics = _axes(query.board)
    # A row whose figure is a JSON null must not match. SQLite orders null above every number, PostgreSQL
    # below: hence both bounds.
    bounds = {
        f"metrics__{key}__{end}": value for key in (_ACROSS, _UP) for end, value in (("gte", 0), ("lte", 1))
    }
    rows, has_more = _first(select_rows(query).filter(**bounds), query, POINTS)
    # A mean over few tasks, or over none that a system did anything for, would outdo all others.
    rows = [row for row in rows if all(may_lead(metric, row.metrics) for metric in metrics.values())]
    return figures.PointFigure(
        view=view,
        metric=_ranked(query),
        up=metrics[_UP],
        across=_ACROSS,
        across_label=metrics[_ACROSS].label,
        across_metric=metrics[_ACROSS],
        rows=rows,
        points=[(row.metrics[_ACROSS] or 0.0, row.metrics[_UP] or 0.0) for row in rows],
        has_more=has_more,
    )


def _cost(view: View, query: Query) -> figures.PointFigure:
    metric, *others = visibility.visible_metrics(query.board)
    from_files = next((other for other in others if other.unit == Unit.USD), None)
    is_known = Q(**{f"{COST}__isnull": False})
    if from_files:
        # Bounds on both sides, because databases differ on where a JSON null is.
        ends = {f"metrics__{from_files.key}__{end}": at for end, at in (("gte", 0), ("lte", _MOST_DOLLARS))}
        is_known |= Q(**ends)
    rows, has_more = _first(select_rows(query).filter(is_known, score__isnull=False), query, POINTS)

    def cost_of(row: Row) -> float | None:
        of_file = row.metrics.get(from_files.key) if from_files else None
        stated: float | None = getattr(row.standing, COST)
        return stated if of_file is None else of_file

    # A cost of 0 is that of a gateway which counts none: nothing costs least.
    known = [(row, (cost, row.standing.score or 0.0)) for row in rows if (cost := cost_of(row))]
    return figures.PointFigure(
        view=view,
        metric=metric,
        up=metric,
        across=COST,
        across_label=gettext_noop("Cost per task"),
        rows=[row for row, _point in known],
        points=[point for _row, point in known],
        across_metric=from_files,
        has_more=has_more,
    )


_TRAITS = ("interaction", "retrieval", "reasoning")


def _approaches(view: View, query: Query) -> figures.ApproachFigure:
    board = query.board
    shown = select_rows(query).filter(query.board_at.lead_rules.condition, score__isnull=False)
    shown = shown.exclude(kind=Kind.BASELINE).exclude(**dict.fromkeys(_TRAITS, "")).best_first()
    names, best = query.board_at.model_names, dict[tuple[Any, ...], dict[str, int]]()
    for key, kind, of_row, *traits in shown.values_list("pk", "kind", "model_names", *_TRAITS)[:_AMONG]:
        if len(best) < _CELLS:
            best.setdefault((names.all_of(of_row), *traits), {}).setdefault(kind, key)
    # A row that was not rescored stands for an approach and a model only where no verified one does.
    keys = [of_kind.get(Kind.RESCORED) or of_kind[Kind.REPORTED] for of_kind in best.values()]
    rows = rows_by_key(query, keys)
    # Models are in the order of their best rows.
    models = list(dict.fromkeys(map(model_of, rows)))
    cells = [(approach_of(row.standing), model_of(row), row) for row in rows]
    # The metrics that the benchmark shows beside the rates of groups, such as precision and recall.
    metrics = [key for breakdown in visibility.visible_breakdowns(board) for key in breakdown.metrics]
    return figures.ApproachFigure(
        view=view,
        metric=_ranked(query),
        metrics=_metrics(board, metrics),
        models=models[:_MODELS],
        cells=[cell for cell in cells if cell[1] in models[:_MODELS]],
        has_more=len(models) > _MODELS or len(rows) == _CELLS,
    )


_NOT_STATED = (
    gettext_noop("Interaction not stated"),
    gettext_noop("retrieval not stated"),
    gettext_noop("reasoning not stated"),
)
# Labels within a line, and therefore in lower case.
_REASONING: Mapping[str, str] = {
    Reasoning.LANGUAGE: gettext_noop("language"),
    Reasoning.CODE: gettext_noop("code"),
}


def approach_of(row: Standing) -> figures.Approach:
    """Return the traits of a row in words: `Multi-turn`, `retriever` and `code`."""
    interaction = Interaction(row.interaction).label if row.interaction in Interaction else _NOT_STATED[0]
    retrieval = BY_KEY["retrieval"].trait(row.retrieval) or _NOT_STATED[1]
    return str(interaction), retrieval, _REASONING.get(row.reasoning, _NOT_STATED[2])


_READ_BY: Mapping[Form, Callable[[View, Query], Figure]] = {
    Form.PROGRESS: _progress,
    Form.FOREST: _forest,
    Form.SCATTER: _scatter,
    Form.COST: _cost,
    Form.APPROACHES: _approaches,
    Form.HARNESSES: _harnesses,
    Form.TASKS: _tasks,
}
