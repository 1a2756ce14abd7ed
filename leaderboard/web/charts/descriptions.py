"""What a chart shows, in a sentence or two, for who does not see it."""

from collections.abc import Sequence
from datetime import UTC

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.services.boards.best_scores import BestScore
from leaderboard.services.boards.row import Row
from leaderboard.services.charts.figures import (
    ApproachFigure,
    Figure,
    ForestFigure,
    Form,
    GroupFigure,
    ProgressFigure,
    ScatterFigure,
    SizeFigure,
    inner,
    translated,
)
from leaderboard.services.text import join_sentences, join_with_semicolons, percent
from scoring.benchmark import Metric


def told(shown: Figure) -> str:
    """Return the text alternative of the chart of `shown`, which is drawn."""
    match shown:
        case GroupFigure():
            return _grouped(shown)
        case ApproachFigure():
            return _approaches(shown)
        case SizeFigure():
            return _sizes(shown)
        case ProgressFigure():
            return _progress(shown)
        case ForestFigure():
            return _forest(shown)
        case ScatterFigure():
            return _scatter(shown)


def why_not_drawn(shown: Figure) -> str:
    """Return why there is a table and no chart; nothing where neither is."""
    if isinstance(shown, ProgressFigure) and shown.held:
        return _("There is one record so far. A line over time needs two, so there is only the table.")
    if isinstance(shown, ForestFigure | ScatterFigure) and shown.rows:
        return _("There is one system so far. A chart needs two to compare, so there is only the table.")
    return ""


def _label(metric: Metric) -> str:
    return inner(translated(metric.label))


def _grouped(shown: GroupFigure) -> str:
    facts = {"metric": _label(shown.metric), "groups": inner(shown.view.title)}
    if shown.view.form == Form.STEPS:
        head = _("Line charts of %(metric)s %(groups)s, one a system, with 95%% intervals.") % facts
    else:
        head = ngettext(
            "Heat map of %(metric)s, %(groups)s, of %(number)s system.",
            "Heat map of %(metric)s, %(groups)s, of %(number)s systems.",
            len(shown.rows),
        ) % {**facts, "number": len(shown.rows)}
    rates = next((rates for row in shown.rows if (rates := _rates(row, shown))), None)
    return join_sentences((head, _span(*rates, shown))) if rates else head


def _rates(row: Row, shown: GroupFigure) -> tuple[Row, dict[str, float]] | None:
    """Return a row and its rates by the label of their group; None of a baseline, and where it has none."""
    groups = shown.groups
    found = {
        translated(groups[group]): rate.rate
        for group, rate in row.groups.get(shown.view.grouping.key, {}).items()
        if group in groups and rate.total and rate.rate is not None
    }
    return (row, found) if found and not row.is_baseline else None


def _span(row: Row, rates: dict[str, float], shown: GroupFigure) -> str:
    who = {"name": row.standing.name, "score": percent(row.standing.score)}
    if shown.view.form == Form.STEPS:
        first, last = next(iter(rates)), next(reversed(rates))
        return _("%(name)s, at %(score)s overall, goes from %(from)s (%(first)s) to %(to)s (%(last)s).") % {
            **who,
            "from": percent(rates[first]),
            "first": first,
            "to": percent(rates[last]),
            "last": last,
        }
    if len(set(rates.values())) == 1:
        rate = percent(next(iter(rates.values())))
        return _("%(name)s, at %(score)s overall, has the same in every group: %(rate)s.") % {
            **who,
            "rate": rate,
        }
    best, worst = max(rates, key=rates.__getitem__), min(rates, key=rates.__getitem__)
    return _(
        "%(name)s, at %(score)s overall, is best at %(best)s (%(high)s) and least good at %(worst)s "
        "(%(low)s)."
    ) % {**who, "best": best, "high": percent(rates[best]), "worst": worst, "low": percent(rates[worst])}


def _approaches(shown: ApproachFigure) -> str:
    cells = [
        (approach, model, row)
        for approach, models in shown.lines.items()
        for model, rows in models.items()
        for row in rows
    ]
    approach, model, row = max(cells, key=lambda cell: cell[2].standing.score or 0.0)
    facts = {
        "metric": _label(shown.metric),
        "score": percent(row.standing.score),
        "approach": approach.words,
        "model": translated(model),
        "judge": row.standing.judge,
    }
    if row.standing.judge:
        return (
            _(
                "Heat map of %(metric)s, approaches by models, the best system of each. The highest is "
                "%(score)s: %(approach)s, on %(model)s, as judged by %(judge)s."
            )
            % facts
        )
    return (
        _(
            "Heat map of %(metric)s, approaches by models, the best system of each. The highest is "
            "%(score)s: %(approach)s, on %(model)s."
        )
        % facts
    )


def _sizes(shown: SizeFigure) -> str:
    said = []
    for spread in shown.spreads:
        group = max(spread.tasks, key=spread.tasks.__getitem__)
        said.append(
            _("By %(groups)s, most are in %(group)s (%(tasks)s of %(total)s).")
            % {
                "groups": inner(translated(spread.breakdown.label)),
                "group": translated(spread.breakdown.groups[group]),
                "tasks": f"{spread.tasks[group]:,}",
                "total": f"{spread.total:,}",
            }
        )
    return join_sentences((_("Bar charts of the number of tasks in each group."), *said))


def _progress(shown: ProgressFigure) -> str:
    first, last = shown.held[0], shown.held[-1]
    number = len(shown.held)
    head = ngettext(
        "Step line of the best %(metric)s over time, with %(number)s record.",
        "Step line of the best %(metric)s over time, with %(number)s records.",
        number,
    ) % {"metric": _label(shown.metric), "number": number}
    rest = _("It rises from %(low)s (%(first)s, %(since)s) to %(high)s (%(last)s, %(at)s).") % {
        "low": percent(first.score),
        "first": first.name,
        "since": _day(first),
        "high": percent(last.score),
        "last": last.name,
        "at": _day(last),
    }
    return join_sentences((head, rest))


def _day(record: BestScore) -> str:
    return date_format(record.at.astimezone(UTC), "DATE_FORMAT")


def _forest(shown: ForestFigure) -> str:
    first, last = shown.rows[0].standing, shown.rows[-1].standing
    head = _("Intervals of %(metric)s of %(number)s systems, one below the other.") % {
        "metric": _label(shown.metric),
        "number": len(shown.rows),
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


def _scatter(shown: ScatterFigure) -> str:
    head = _("Scatter plot of precision against recall of %(number)s systems.") % {"number": len(shown.rows)}
    front: Sequence[Row] = shown.front
    if not front:
        return head
    named = [
        _("%(name)s (precision %(up)s, recall %(across)s)")
        % {"name": row.standing.name, "up": percent(shown.at(row)[1]), "across": percent(shown.at(row)[0])}
        for row in front[:3]
    ]
    rest = ngettext(
        "No other system beats %(number)s in both, among them %(names)s.",
        "No other system beats any of %(number)s in both, among them %(names)s.",
        len(front),
    )
    return join_sentences((head, rest % {"number": len(front), "names": join_with_semicolons(named)}))
