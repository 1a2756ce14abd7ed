"""Say in a sentence what a chart shows: its title, on the page and in its file, and its text alternative.

A sentence states what the figures of the chart show, and no more: who is highest, not who is better. Where
there is nothing to state, it asks the question that the chart answers. Of a past board it is about the
results that were not removed since.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.services.boards.row import Row
from leaderboard.services.charts import figures
from leaderboard.services.charts.figures import Figure
from leaderboard.services.charts.form import day_of, inner, translated
from leaderboard.services.rows.conditions import print_dollars
from leaderboard.services.text import percent


def finding_of(figure: Figure) -> str:
    """Return the title of a chart, for which `is_drawn` holds: what it shows, or the title of its view."""
    found = _FOUND_BY.get(type(figure))
    return found(figure) if found else figure.view.title


def _progress(figure: figures.ProgressFigure) -> str:
    scores = [score for score in figure.scores if score not in figure.removals]
    metric = inner(translated(figure.metric.label))
    if len(scores) < 2:
        return _("How did the best %(metric)s change over time?") % {"metric": metric}
    return _("The best %(metric)s rose from %(low)s (%(since)s) to %(high)s (%(until)s)") % {
        "metric": metric,
        "low": scores[0].score_words,
        "since": day_of(scores[0].at),
        "high": scores[-1].score_words,
        "until": day_of(scores[-1].at),
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
    rows = [row for row in figure.rows if row.removal is None]
    metric = inner(translated(figure.metric.label))
    first = max(rows, key=lambda row: row.standing.score or 0.0, default=None)
    if first is None:
        return _("How certain is the %(metric)s of each system?") % {"metric": metric}
    facts = {"name": first.standing.name, "metric": metric, "score": first.score_words}
    if any(row is not first and (row.upper or 0.0) > (first.standing.score or 0.0) for row in rows):
        return (
            _("%(name)s is listed first by %(metric)s (%(score)s); undecided answers leave its order open")
            % facts
        )
    ends = {"low": percent(first.standing.low), "high": percent(first.standing.high)}
    return _("%(name)s has the highest %(metric)s: %(score)s (95%% CI %(low)s to %(high)s)") % {
        **facts,
        **ends,
    }


def _points(figure: figures.PointFigure) -> str:
    points = list(zip(figure.rows, figure.points, strict=True))
    shown = [point for point in points if point[0].removal is None]
    # Where there are only baselines, it is about them.
    shown = [point for point in shown if not point[0].is_baseline] or shown
    if figure.is_cost:
        return _costs(shown)
    if not shown:
        return _("How precise and how complete is each system?")
    precise = max(shown, key=lambda point: point[1][::-1])
    complete = max(shown, key=lambda point: point[1])
    template = _("Highest precision: %(precise)s (%(precision)s); highest recall: %(complete)s (%(recall)s)")
    if precise is complete:
        template = _("%(precise)s has the highest precision (%(precision)s) and recall (%(recall)s)")
    return template % {
        "precise": precise[0].standing.name,
        "precision": percent(precise[1][1]),
        "complete": complete[0].standing.name,
        "recall": percent(complete[1][0]),
    }


def _costs(shown: Sequence[tuple[Row, tuple[float, float]]]) -> str:
    if not shown:
        return _("What does each system take, and what does it score?")
    best = max(shown, key=lambda point: (point[1][1], -point[1][0]))
    least = min(shown, key=lambda point: (point[1][0], -point[1][1]))
    template = _(
        "%(best)s scores highest: %(score)s for %(effort)s per task; %(least)s is cheapest: "
        "%(low)s for %(smallest)s"
    )
    if best is least:
        template = _("%(best)s scores highest (%(score)s) and costs least (%(effort)s per task)")
    return template % {
        "best": best[0].standing.name,
        "score": best[0].score_words,
        "effort": print_dollars(best[1][0]),
        "least": least[0].standing.name,
        "low": least[0].score_words,
        "smallest": print_dollars(least[1][0]),
    }


_FOUND_BY: Mapping[type[Any], Callable[[Any], str]] = {
    figures.ProgressFigure: _progress,
    figures.ForestFigure: _forest,
    figures.PointFigure: _points,
}
