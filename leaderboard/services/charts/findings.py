"""Say in a sentence what a chart shows: its title, on the page and in its file, and its text alternative.

A sentence states what the figures of the chart show, and no more: who is highest, not who is better. Of a
past board it is about the results that were not removed since.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.services.charts import figures
from leaderboard.services.charts.figures import Figure
from leaderboard.services.charts.form import Form, day_of, inner, translated
from leaderboard.services.text import percent


def finding_of(figure: Figure) -> str:
    """Return the title of a chart, for which `is_drawn` holds: what it shows, or the title of its view."""
    found = _FOUND_BY.get(figure.view.form)
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


_FOUND_BY: Mapping[Form, Callable[[Any], str]] = {
    Form.PROGRESS: _progress,
    Form.FOREST: _forest,
}
