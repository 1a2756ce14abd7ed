"""The text alternatives of charts: one or two sentences for readers who cannot see them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.services.boards.row import Row
from leaderboard.services.charts import figures
from leaderboard.services.charts.figures import Figure
from leaderboard.services.charts.form import Form, day_of, inner, translated
from leaderboard.services.text import join_sentences, join_with_semicolons, percent
from leaderboard.services.visibility import FEWEST_TASKS
from wardboard.scoring.benchmark import Metric


def describe_chart(figure: Figure) -> str:
    """Return the text alternative of the chart of `figure`, for which `render.is_drawn` holds."""
    return _DESCRIBED_BY[type(figure)](figure)


def why_not_drawn(figure: Figure) -> str:
    """Return why the page has a table but no chart; "" if there are no figures at all."""
    if isinstance(figure, figures.ProgressFigure) and figure.scores:
        return _("There is one record so far. A line over time needs two, so there is only the table.")
    if (
        isinstance(
            figure,
            figures.ForestFigure | figures.ScatterFigure | figures.EffortFigure | figures.TaskFigure,
        )
        and figure.rows
    ):
        return _("There is one system so far. A chart needs two to compare, so there is only the table.")
    if (
        isinstance(figure, figures.GroupFigure)
        and figure.groups
        and any(not r.is_baseline for r in figure.rows)
    ):
        return _("Groups of fewer than %(n)s tasks are in the table only.") % {"n": FEWEST_TASKS}
    return ""


def _label(metric: Metric) -> str:
    return inner(translated(metric.label))


def _describe_groups(figure: figures.GroupFigure) -> str:
    facts = {"metric": _label(figure.metric), "groups": inner(figure.view.title)}
    if figure.view.form == Form.STEPS:
        head = _("Line charts of %(metric)s %(groups)s, one a system, with 95%% intervals.") % facts
    else:
        head = ngettext(
            "Heat map of %(metric)s, %(groups)s, of %(number)s system.",
            "Heat map of %(metric)s, %(groups)s, of %(number)s systems.",
            len(figure.rows),
        ) % {**facts, "number": len(figure.rows)}
    row, rates = figure.drawn_rates[0]
    by_label = {translated(figure.groups[group]): rate for group, rate in rates.items()}
    return join_sentences((head, _describe_range(row, by_label, figure)))


def _describe_range(row: Row, rates: dict[str, float], figure: figures.GroupFigure) -> str:
    system = {"name": row.standing.name, "score": row.score_words}
    if figure.view.form == Form.STEPS:
        first, last = next(iter(rates)), next(reversed(rates))
        return _("%(name)s, at %(score)s overall, goes from %(from)s (%(first)s) to %(to)s (%(last)s).") % {
            **system,
            "from": percent(rates[first]),
            "first": first,
            "to": percent(rates[last]),
            "last": last,
        }
    if len(set(rates.values())) == 1:
        rate = percent(next(iter(rates.values())))
        return _("%(name)s, at %(score)s overall, has the same in every group: %(rate)s.") % {
            **system,
            "rate": rate,
        }
    best, worst = max(rates, key=rates.__getitem__), min(rates, key=rates.__getitem__)
    return _(
        "%(name)s, at %(score)s overall, is best at %(best)s (%(high)s) and worst at %(worst)s (%(low)s)."
    ) % {**system, "best": best, "high": percent(rates[best]), "worst": worst, "low": percent(rates[worst])}


def _describe_approaches(figure: figures.ApproachFigure) -> str:
    approach, model, row = figure.best
    facts = {
        "metric": _label(figure.metric),
        "score": row.score_words,
        "approach": approach.words,
        "model": translated(model),
        "judge": row.judge_name,
    }
    template = _(
        "Heat map of %(metric)s, approaches by models, the best system of each. The highest is "
        "%(score)s: %(approach)s, on %(model)s."
    )
    if row.standing.judge:
        template = _(
            "Heat map of %(metric)s, approaches by models, the best system of each. The highest is "
            "%(score)s: %(approach)s, on %(model)s, as judged by %(judge)s."
        )
    return template % facts


def _describe_sizes(figure: figures.SizeFigure) -> str:
    sentences = []
    for spread in figure.spreads:
        group = max(spread.tasks, key=spread.tasks.__getitem__)
        sentences.append(
            _("By %(groups)s, most are in %(group)s (%(tasks)s of %(total)s).")
            % {
                "groups": inner(translated(spread.breakdown.label)),
                "group": translated(spread.breakdown.groups[group]),
                "tasks": f"{spread.tasks[group]:,}",
                "total": f"{spread.total:,}",
            }
        )
    return join_sentences((_("Bar charts of the number of tasks in each group."), *sentences))


def _describe_progress(figure: figures.ProgressFigure) -> str:
    first, last = figure.scores[0], figure.scores[-1]
    number = len(figure.scores)
    head = ngettext(
        "Step line of the best %(metric)s over time, with %(number)s record.",
        "Step line of the best %(metric)s over time, with %(number)s records.",
        number,
    ) % {"metric": _label(figure.metric), "number": number}
    rest = _("It rises from %(low)s (%(first)s, %(since)s) to %(high)s (%(last)s, %(at)s).") % {
        "low": first.score_words,
        "first": first.name,
        "since": day_of(first.at),
        "high": last.score_words,
        "last": last.name,
        "at": day_of(last.at),
    }
    return join_sentences((head, rest))


def _describe_intervals(figure: figures.ForestFigure) -> str:
    first, last = figure.rows[0].standing, figure.rows[-1].standing
    head = _("Intervals of %(metric)s of %(number)s systems, one below the other.") % {
        "metric": _label(figure.metric),
        "number": len(figure.rows),
    }
    rest = _(
        "The first is %(name)s at %(score)s (95%% interval %(low)s to %(high)s), the last %(other)s at "
        "%(other_score)s."
    ) % {
        "name": first.name,
        "score": percent(first.score),
        "low": percent(first.low),
        "high": percent(first.high),
        "other": last.name,
        "other_score": percent(last.score),
    }
    return join_sentences((head, rest))


def _describe_harnesses(figure: figures.HarnessFigure) -> str:
    head = _("Intervals of %(metric)s of %(number)s models, each under several harnesses.") % {
        "metric": _label(figure.metric),
        "number": len(figure.models),
    }
    model, best, last = figure.widest
    rest = _("%(model)s has the widest range, from %(low)s to %(high)s.") % {
        "model": model,
        "low": last.score_words,
        "high": best.score_words,
    }
    return join_sentences((head, rest))


def _describe_tasks(figure: figures.TaskFigure) -> str:
    facts = {"systems": len(figure.rows), "tasks": f"{len(figure.tasks):,}"}
    return _("Matrix of %(systems)s systems by %(tasks)s tasks, from the easiest to the hardest.") % facts


def _describe_runs(figure: figures.RunsFigure) -> str:
    return ngettext(
        "Line of pass^k of %(number)s system, by the number of runs k.",
        "Lines of pass^k of %(number)s systems, by the number of runs k.",
        len(figure.rows),
    ) % {"number": len(figure.rows)}


def _describe_scatter(figure: figures.ScatterFigure) -> str:
    head = _("Scatter plot of precision against recall of %(number)s systems.") % {"number": len(figure.rows)}
    front = figure.front
    named = [
        _("%(name)s (precision %(up)s, recall %(across)s)")
        % {"name": row.standing.name, "up": percent(figure.at(row)[1]), "across": percent(figure.at(row)[0])}
        for row in front[:3]
    ]
    return _with_front(head, named, len(front))


def _with_front(head: str, names: Sequence[str], number: int) -> str:
    """Return `head` with a sentence on the `number` systems of the front, the first of which are named."""
    if not names:
        return head
    rest = ngettext(
        "Pareto-optimal: %(names)s.",
        "%(number)s systems are Pareto-optimal, among them %(names)s.",
        number,
    )
    return join_sentences((head, rest % {"number": number, "names": join_with_semicolons(names)}))


def _describe_effort(figure: figures.EffortFigure) -> str:
    facts = {"metric": _label(figure.metric), "number": len(figure.rows)}
    if figure.view.form == Form.COST:
        head = _("Scatter plot of %(metric)s against US dollars per task of %(number)s systems.") % facts
    else:
        head = _("Scatter plot of %(metric)s against seconds per task of %(number)s systems.") % facts
    names = [row.standing.name for row, _effort, is_front in figure.lines if is_front]
    return _with_front(head, names[:3], len(names))


_DESCRIBED_BY: Mapping[type[Any], Callable[[Any], str]] = {
    figures.GroupFigure: _describe_groups,
    figures.ApproachFigure: _describe_approaches,
    figures.SizeFigure: _describe_sizes,
    figures.ProgressFigure: _describe_progress,
    figures.ForestFigure: _describe_intervals,
    figures.HarnessFigure: _describe_harnesses,
    figures.TaskFigure: _describe_tasks,
    figures.RunsFigure: _describe_runs,
    figures.ScatterFigure: _describe_scatter,
    figures.EffortFigure: _describe_effort,
}
