"""Say in a sentence what a chart shows: its title, on the page and in the file of the chart.

A sentence states what the figures of the chart show, and no more: who is highest, not who is better. Where
there is nothing to state, it asks the question that the chart answers.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.services.boards.row import Row
from leaderboard.services.charts import figures
from leaderboard.services.charts.figures import Figure
from leaderboard.services.charts.form import Form, day_of, inner, translated
from leaderboard.services.rows.conditions import print_dollars, print_seconds
from leaderboard.services.text import percent


def finding_of(figure: Figure) -> str:
    """Return the title of the chart of `figure`, for which `render.is_drawn` holds.

    Of a past board it is about the results that were not removed since.
    """
    return _FOUND_BY[type(figure)](figure)


def _not_removed(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.removal is None]


def _groups(figure: figures.GroupFigure) -> str:
    metric = inner(translated(figure.metric.label))
    rates: dict[str, list[float]] = {}
    for row, by_group in figure.drawn_rates:
        for group, rate in by_group.items() if row.removal is None else ():
            rates.setdefault(group, []).append(rate)
    medians = {group: median(rates[group]) for group in figure.groups if group in rates}
    labels = {group: translated(figure.groups[group]) for group in medians}
    if figure.view.form == Form.STEPS and len(medians) > 1:
        first, last = next(iter(medians)), next(reversed(medians))
        return _("The median %(metric)s is %(low)s at “%(first)s” and %(high)s at “%(last)s”") % {
            "metric": metric,
            "first": labels[first],
            "low": percent(medians[first]),
            "last": labels[last],
            "high": percent(medians[last]),
        }
    if len(set(medians.values())) < 2:
        return _("What is the %(metric)s in each group of tasks?") % {"metric": metric}
    lowest, highest = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    return _("Lowest median %(metric)s: %(low)s in “%(lowest)s”; highest: %(high)s in “%(highest)s”") % {
        "metric": metric,
        "lowest": labels[lowest],
        "low": percent(medians[lowest]),
        "highest": labels[highest],
        "high": percent(medians[highest]),
    }


def _approaches(figure: figures.ApproachFigure) -> str:
    # Scores by different judges do not compare.
    cells = [cell for cell in figure.cells if cell[2].removal is None]
    if len({row.standing.judge for *_cell, row in cells}) > 1 or len(cells) < 2:
        return _("Which approach scores highest with which model?")
    approach, model, row = max(cells, key=lambda cell: cell[2].standing.score or 0.0)
    return _("Highest %(metric)s, %(score)s: %(model)s; %(approach)s") % {
        "metric": inner(translated(figure.metric.label)),
        "score": row.score_words,
        "model": translated(model),
        "approach": inner(approach.words),
    }


def _sizes(figure: figures.SizeFigure) -> str:
    spread = figure.spreads[0]
    sizes = set(spread.tasks.values())
    facts = {
        "grouping": inner(translated(spread.breakdown.label)),
        "total": f"{spread.total:,}",
        "number": f"{max(sizes):,}",
    }
    if len(sizes) == 1:
        return _("Every %(grouping)s has %(number)s of the %(total)s tasks") % facts
    group = max(spread.tasks, key=spread.tasks.__getitem__)
    facts["group"] = translated(spread.breakdown.groups[group])
    return _("The largest %(grouping)s is “%(group)s”: %(number)s of %(total)s tasks") % facts


def _progress(figure: figures.ProgressFigure) -> str:
    scores = [score for score in figure.scores if score not in figure.removals]
    if len(scores) < 2:
        return _("How did the best %(metric)s change over time?") % {
            "metric": inner(translated(figure.metric.label))
        }
    first, last = scores[0], scores[-1]
    return _("The best %(metric)s rose from %(low)s (%(since)s) to %(high)s (%(until)s)") % {
        "metric": inner(translated(figure.metric.label)),
        "low": first.score_words,
        "since": day_of(first.at),
        "high": last.score_words,
        "until": day_of(last.at),
    }


def _forest(figure: figures.ForestFigure) -> str:
    tied = [row for row in figure.rows if row.place.is_tied_for_first]
    systems = [row for row in figure.rows if not row.is_baseline]
    if len(tied) > 1:
        scores = [row.standing.score or 0.0 for row in tied]
        highest = max(row.upper or score for row, score in zip(tied, scores, strict=True))
        facts = {"tied": len(tied), "low": percent(min(scores)), "high": percent(highest)}
        template = _(
            "%(tied)s of the %(shown)s systems shown are statistically tied for first (%(low)s to %(high)s)"
        )
        if len(tied) == len(systems):
            template = _("All %(tied)s systems shown are statistically tied for first (%(low)s to %(high)s)")
        return template % {**facts, "shown": len(systems)}
    rows = _not_removed(figure.rows)
    metric = inner(translated(figure.metric.label))
    if not rows:
        return _("How certain is the %(metric)s of each system?") % {"metric": metric}
    first = max(rows, key=lambda row: row.standing.score or 0.0)
    score = first.standing.score or 0.0
    if any(row is not first and (row.upper or 0.0) > score for row in rows):
        template = _(
            "%(name)s is listed first by %(metric)s (%(score)s); undecided answers leave its order open"
        )
        return template % {"name": first.standing.name, "metric": metric, "score": first.score_words}
    return _("%(name)s has the highest %(metric)s: %(score)s (95%% CI %(low)s to %(high)s)") % {
        "name": first.standing.name,
        "metric": metric,
        "score": first.score_words,
        "low": percent(first.standing.low),
        "high": percent(first.standing.high),
    }


def _systems(rows: Sequence[Row]) -> list[int]:
    """Return the indexes of the rows that were not removed since and are no baselines.

    Where there are only baselines, return theirs.
    """
    standing = [number for number, row in enumerate(rows) if row.removal is None]
    return [number for number in standing if not rows[number].is_baseline] or standing


def _harnesses(figure: figures.HarnessFigure) -> str:
    model, best, last = figure.widest
    return _("Widest range: “%(model)s”, from %(low)s to %(high)s") % {
        "model": model,
        "low": last.score_words,
        "high": best.score_words,
    }


def _tasks(figure: figures.TaskFigure) -> str:
    solvers = [number for _task, number in figure.solvers]
    return _("%(all)s of %(total)s tasks are correct for every system shown, %(none)s for none") % {
        "all": f"{solvers.count(len(figure.rows)):,}",
        "none": f"{solvers.count(0):,}",
        "total": f"{len(solvers):,}",
    }


def _runs(figure: figures.RunsFigure) -> str:
    row, spread, passes = max(figure.lines, key=lambda line: line[2][-1][1])
    template = _("%(name)s: %(first)s of the tasks correct in one run, %(rate)s in each of %(k)s runs")
    if spread.rounded_to:
        template = _(
            "%(name)s: %(first)s of the tasks correct in one run, about %(rate)s in each of %(k)s runs"
        )
    (_first, first), (last, rate) = passes[0], passes[-1]
    return template % {
        "name": row.standing.name,
        "k": last,
        "rate": percent(rate, 0 if spread.rounded_to else 1),
        "first": percent(first),
    }


def _scatter(figure: figures.ScatterFigure) -> str:
    points = [figure.at(row) for row in figure.rows]
    numbers = _systems(figure.rows)
    if not numbers:
        return _("How precise and how complete is each system?")
    precise = max(numbers, key=lambda number: points[number][::-1])
    complete = max(numbers, key=lambda number: points[number])
    facts = {
        "precise": figure.rows[precise].standing.name,
        "precision": percent(points[precise][1]),
        "complete": figure.rows[complete].standing.name,
        "recall": percent(points[complete][0]),
    }
    template = _("Highest precision: %(precise)s (%(precision)s); highest recall: %(complete)s (%(recall)s)")
    if precise == complete:
        template = _("%(precise)s has the highest precision (%(precision)s) and recall (%(recall)s)")
    return template % facts


def _effort(figure: figures.EffortFigure) -> str:
    numbers = _systems(figure.rows)
    if not numbers:
        return _("What does each system take, and what does it score?")
    scores = [row.standing.score or 0.0 for row in figure.rows]
    best = max(numbers, key=lambda number: (scores[number], -figure.efforts[number]))
    least = min(numbers, key=lambda number: (figure.efforts[number], -scores[number]))
    is_cost = figure.view.form == Form.COST
    written = print_dollars if is_cost else print_seconds
    facts = {
        "best": figure.rows[best].standing.name,
        "score": figure.rows[best].score_words,
        "effort": written(figure.efforts[best]),
        "least": figure.rows[least].standing.name,
        "low": figure.rows[least].score_words,
        "smallest": written(figure.efforts[least]),
    }
    if best == least and is_cost:
        template = _("%(best)s scores highest (%(score)s) and costs least (%(effort)s per task)")
    elif best == least:
        template = _("%(best)s scores highest (%(score)s) and is fastest (%(effort)s per task)")
    elif is_cost:
        template = _(
            "%(best)s scores highest: %(score)s for %(effort)s per task; %(least)s is cheapest: "
            "%(low)s for %(smallest)s"
        )
    else:
        template = _(
            "%(best)s scores highest: %(score)s in %(effort)s per task; %(least)s is fastest: "
            "%(low)s in %(smallest)s"
        )
    return template % facts


_FOUND_BY: Mapping[type[Any], Callable[[Any], str]] = {
    figures.GroupFigure: _groups,
    figures.ApproachFigure: _approaches,
    figures.SizeFigure: _sizes,
    figures.ProgressFigure: _progress,
    figures.ForestFigure: _forest,
    figures.HarnessFigure: _harnesses,
    figures.TaskFigure: _tasks,
    figures.RunsFigure: _runs,
    figures.ScatterFigure: _scatter,
    figures.EffortFigure: _effort,
}
