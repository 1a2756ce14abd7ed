"""What a chart shows, in a sentence or two, for who does not see it."""

from collections.abc import Sequence

from leaderboard.services.board import Row
from leaderboard.services.shown import Approaches, Form, Grouped, Sizes
from leaderboard.web.templatetags.figures import inner, percent
from scoring.verdicts import Rate, Share


def told(shown: Grouped | Approaches | Sizes) -> str:
    """Return the text alternative of the chart of `shown`."""
    if isinstance(shown, Sizes):
        return _sizes(shown)
    return _approaches(shown) if isinstance(shown, Approaches) else _grouped(shown)


def _grouped(shown: Grouped) -> str:
    key, metric = shown.view.breakdown.key, inner(shown.metric.label)
    first = next((row for row in shown.rows if not row.is_baseline and row.groups[key]), None)
    if shown.view.form == Form.STEPS:
        head = f"Line charts of {metric} {inner(shown.view.title)}, one a system, with 95% intervals."
    else:
        head = f"Heat map of {metric}, {inner(shown.view.title)}, of {_systems(shown.rows)}."
    if first is None:
        return head
    rates = {shown.groups[group]: rate for group, rate in first.groups[key].items() if group in shown.groups}
    return f"{head} {first.system.name}, at {percent(first.standing.score)} overall, {_span(rates, shown)}"


def _span(rates: dict[str, Rate | Share], shown: Grouped) -> str:
    known = {label: rate.rate for label, rate in rates.items() if rate.total}
    if shown.view.form == Form.STEPS:
        first, last = next(iter(known)), next(reversed(known))
        return f"goes from {percent(known[first])} ({first}) to {percent(known[last])} ({last})."
    if len(set(known.values())) == 1:
        return f"has the same in every group: {percent(next(iter(known.values())))}."
    best, worst = max(known, key=known.__getitem__), min(known, key=known.__getitem__)
    return f"is best at {best} ({percent(known[best])}) and least good at {worst} ({percent(known[worst])})."


def _systems(rows: Sequence[Row]) -> str:
    return f"{len(rows)} system{'' if len(rows) == 1 else 's'}"


def _approaches(shown: Approaches) -> str:
    cells = [
        (approach, model, row)
        for approach, models in shown.lines.items()
        for model, rows in models.items()
        for row in rows
    ]
    approach, model, row = max(cells, key=lambda cell: cell[2].standing.score)
    judge = f", as judged by {row.standing.judge}" if row.standing.judge else ""
    return (
        f"Heat map of {inner(shown.metric.label)}, approaches by models, the best system of each. The "
        f"highest is {percent(row.standing.score)}: {approach}, on {model}{judge}."
    )


def _sizes(shown: Sizes) -> str:
    said = []
    for spread in shown.spreads:
        group = max(spread.tasks, key=spread.tasks.__getitem__)
        said.append(
            f"By {inner(spread.breakdown.label)}, most are in {spread.breakdown.groups[group]} "
            f"({spread.tasks[group]:,} of {spread.total:,})."
        )
    return " ".join(("Bar charts of the number of tasks in each group.", *said))
