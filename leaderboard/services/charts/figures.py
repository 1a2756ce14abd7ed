"""Hold the figures of each view of a board, for its page, its chart and its exports.

The method `export_rows` yields a view's figures as the rows of its CSV export; the page and the chart show
the same ones. Their labels are English, like the export; a page translates what it shows.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import Any

from django.core.paginator import Page
from django.utils.translation import gettext as _

from leaderboard.models import Kind
from leaderboard.services.boards.best_scores import BestScore, BestScoreHistory
from leaderboard.services.boards.row import Row
from leaderboard.services.charts.effects import Effects
from leaderboard.services.charts.form import Form, View, inner, translated
from leaderboard.services.exports.rows import removal_fields
from leaderboard.services.rows.conditions import CONDITIONS
from leaderboard.services.text import day_of, join_names, join_sentences, lead_words
from leaderboard.services.visibility import (
    FEWEST_TASKS,
    round_figure,
    visible_rate,
    visible_score,
)
from wardboard.scoring.benchmark import Metric
from wardboard.scoring.verdicts import Rate, Share


def able_to_lead(rows: Sequence[Row]) -> list[bool]:
    """Return of each row whether its best value is marked: verified with a rank, or else as published."""
    kinds = {row.standing.kind for row in rows}
    leading = Kind.RESCORED if Kind.RESCORED in kinds else Kind.REPORTED
    return [row.standing.kind == leading and not row.unmet_rules for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure(ABC):
    """The figures of a view.

    rows: those of the board that it shows, in their order; none for the best score over time
    judge: whose rows these are; "" where nothing is judged, or the board mixes judges
    """

    view: View
    metric: Metric
    rows: Sequence[Row] = ()
    judge: str = ""

    @property
    def is_drawn(self) -> bool:
        """Whether it has enough to draw for a chart not to mislead."""
        return len(self.rows) > 1

    @abstractmethod
    def export_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of its CSV."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigure(Figure):
    """The rates of systems by group, or by step.

    metrics: the metrics by group that are shown beside the rate
    page: of the board's rows that have figures by group
    """

    metrics: Sequence[Metric]
    page: Page[int]

    @property
    def is_drawn(self) -> bool:
        # Baselines do not count.
        return any(self.drawn(row) for row in self.rows if not row.is_baseline)

    @property
    def groups(self) -> Mapping[str, str]:
        """Return key -> label of the groups in which any of the rows has a task."""
        key = self.view.grouping.key
        keys = {group for row in self.rows for group, rate in row.groups.get(key, {}).items() if rate.total}
        return {group: label for group, label in self.view.grouping.groups.items() if group in keys}

    def drawn(self, row: Row) -> dict[str, Rate | Share]:
        """Return the rates of a row in the chart, by group: a step over a few tasks is in the table alone."""
        rates = row.groups.get(self.view.grouping.key, {})
        least = FEWEST_TASKS if self.view.grouping.ordered else 1
        return {
            group: rate
            for group in self.groups
            if (rate := rates.get(group)) is not None and rate.total // rate.runs >= least
        }

    def export_rows(self) -> Iterator[dict[str, Any]]:
        key = self.view.grouping.key
        groups, keys = self.groups, [metric.key for metric in self.metrics]
        for row in self.rows:
            rates, beside = row.groups.get(key, {}), row.group_metrics.get(key, {})
            for group, label in groups.items():
                rate, figures = rates.get(group), beside.get(group, {})
                yield {
                    **system_fields(row),
                    "group": group,
                    "label": label,
                    **_rate(rate),
                    **upper_field(self.metric, rate.upper if rate else None),
                    **{key: figures[key].value if key in figures else None for key in keys},
                }


# The interaction, the retrieval and the reasoning of a system in English words; what is not known says so.
Approach = tuple[str, str, str]
PointLine = tuple[Row, tuple[float, float], Sequence[str], bool | None]  # see PointFigure


def approach_words(approach: Approach) -> str:
    """Return an approach in the active language."""
    return join_names(map(translated, approach))


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproachFigure(Figure):
    """The best system of each approach on each model, and of each judge unless they are mixed.

    cells: the approach, the model and the row of each, best first
    has_more: whether there are more models than are shown
    """

    metrics: Sequence[Metric]
    models: Sequence[str]
    cells: Sequence[tuple[Approach, str, Row]]
    has_more: bool

    @property
    def is_drawn(self) -> bool:
        return bool(self.cells)

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for approach, model, row in self.cells:
            yield {
                "approach": ", ".join(approach),
                "model": model,
                **system_fields(row),
                **figures_of(row, self.metric),
                **{metric.key: row.metrics.get(metric.key) for metric in self.metrics},
            }


def system_fields(row: Row) -> dict[str, Any]:
    """Return the system, kind and judge of a row, and the removal of its result, if any."""
    standing = row.standing
    return {
        "system": standing.name,
        "models": ", ".join(standing.model_names),
        "canonical_models": ", ".join(row.models),
        "kind": standing.kind,
        "judge": standing.judge,
        **removal_fields(row.removal),
    }


def upper_field(metric: Metric, upper: float | None) -> dict[str, float | None]:
    """Return the upper end of a ranked figure, where a judge may leave answers undecided; else nothing."""
    return {metric.upper_key: round_figure(upper)} if metric.upper_key else {}


def figures_of(row: Row, metric: Metric) -> dict[str, Any]:
    """Return the ranked figure of a row with its counts and 95% interval."""
    standing = row.standing
    return {
        "right": standing.right,
        "total": standing.total,
        metric.key: visible_score(standing.score, standing.kind),
        **upper_field(metric, row.upper),
        "low": round_figure(standing.low),
        "high": round_figure(standing.high),
    }


def _rate(rate: Rate | Share | None) -> dict[str, Any]:
    low, high = (rate and rate.interval) or (None, None)
    return {
        "right": rate and rate.right,
        "total": rate and rate.total,
        "rate": rate and visible_rate(rate),
        "rounded_to": rate and rate.rounded_to,
        "low": round_figure(low),
        "high": round_figure(high),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressFigure(Figure):
    """The best score over time.

    history: of rescored results beside reported ones or, where none was rescored, of reported ones
    """

    history: BestScoreHistory

    @property
    def is_drawn(self) -> bool:
        return self.history.is_long

    @property
    def sentence(self) -> str:
        """What the chart shows, if `is_drawn`."""
        first, *_others, last = self.history.scores[0], *self.history.scores
        published = self.history.scores if self.history.is_reported else self.history.published
        rose = _("The best %(metric)s rose from %(low)s (%(since)s) to %(high)s (%(until)s).") % {
            "metric": inner(translated(self.metric.label)),
            "low": first.score_words,
            "since": day_of(first.at),
            "high": last.score_words,
            "until": day_of(last.at),
        }
        best = _("Best published so far: %(score)s (other harnesses, not rescored).")
        return join_sentences(
            (
                "" if self.history.is_reported else rose,
                best % {"score": published[-1].score_words} if published else "",
                _("Records rise by chance, too."),
            )
        )

    @property
    def has_open(self) -> bool:
        """Whether a judge left answers of some best score open."""
        return any(best.upper is not None for best in self.history.scores)

    @property
    def gains(self) -> Sequence[tuple[BestScore, float | None, str]]:
        """Return each score with its gain over the one before, and that in words; None and "" for the first.

        It is the difference of the printed scores; in the words undecided answers make it a range. The
        reported ones, which are compared among themselves, stand among the others by date.
        """
        gains: list[tuple[BestScore, float | None, str]] = []
        for line in filter(None, (self.history.scores, self.history.published)):
            gains.append((line[0], None, ""))
            gains += [
                (best, round_figure(best.score) - round_figure(last.score), lead_words(best.ends, last.ends))
                for last, best in pairwise(line)
            ]
        return sorted(gains, key=lambda gain: gain[0].at)

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for best, gain, _words in self.gains:
            yield {
                "date": best.at.date().isoformat(),
                "system": best.name,
                "kind": best.kind,
                "judge": best.judge,
                self.metric.key: visible_score(best.score, best.kind),
                **upper_field(self.metric, best.upper),
                "low": round_figure(best.low),
                "high": round_figure(best.high),
                "gain": round_figure(gain),
            }


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestFigure(Figure):
    """The rates of rows with their 95% intervals: of the first, or of models under several harnesses.

    rows: in the order of the board, or the best of a model under each harness, one model after the other
    has_more: whether more rows have an interval, or more models several harnesses, than are shown
    effects: how much all rows differ by model and by harness; None where too few say, and with filters
    """

    has_more: bool
    effects: Effects | None = None

    @property
    def labels(self) -> Sequence[str]:
        """The name of each row, or its model and its harness by its own name, which tells rows apart."""
        if self.view.form == Form.FOREST:
            return [row.standing.name for row in self.rows]
        harnesses = [row.standing.harness_name or harness_words(row) for row in self.rows]
        return [f"{model_of(row)} · {name}" for row, name in zip(self.rows, harnesses, strict=True)]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            yield {
                "rank": row.rank,
                "rank_low": row.place.low,
                "rank_high": row.place.high,
                "tied_for_first": row.place.is_tied_for_first,
                **system_fields(row),
                "harness": row.standing.harness,
                "harness_name": row.standing.harness_name,
                **figures_of(row, self.metric),
            }


def model_of(row: Row) -> str:
    """Return the names of the models of a row, under which all spellings of one model stand together."""
    return ", ".join(row.models) or "not stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFigure(Figure):
    """The verdicts on each task, of the first rows that were scored against the active ground truth.

    tasks: ids, from the easiest to the hardest for these rows
    shares: of the runs of each row in which each task is right, in 0..1; rows x tasks
    """

    tasks: Sequence[str]
    shares: Sequence[Sequence[float]]

    @property
    def solvers(self) -> Sequence[tuple[str, int]]:
        """Return each task with the number of rows that are right in all of their runs, hardest first."""
        by_task = zip(self.tasks, zip(*self.shares, strict=True), strict=True)
        return [(task, shares.count(1.0)) for task, shares in by_task][::-1]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for row, shares in zip(self.rows, self.shares, strict=True):
            system = system_fields(row)
            for task, share in zip(self.tasks, shares, strict=True):
                yield {**system, "task": task, "right": round_figure(share)}


def harness_words(row: Row) -> str:
    """Return the harness of a row in the active language."""
    return CONDITIONS["harness"].words(row.standing, translated)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointFigure(Figure):
    """Two figures of each of the first rows that have both: precision and recall, or cost and score.

    across, across_label: the key of the figure across, in exports, and its label in English
    points: the figures across and up of each row, in the order of `rows`
    across_metric: the metric across; of costs, that of the files, which takes precedence over a stated one
    has_more: whether more rows have both figures than are shown
    """

    up: Metric
    across: str
    across_label: str
    points: Sequence[tuple[float, float]]
    across_metric: Metric | None = None
    has_more: bool = False

    @property
    def is_cost(self) -> bool:
        return self.view.form == Form.COST

    @property
    def lines(self) -> Sequence[PointLine]:
        """Return each row with its figures, the shares of tasks behind them, and if it is on the front.

        The shares are in words, "" for all tasks. A row on the front is one of those that can lead, and as
        printed none of these dominates it. None for other rows, and where no two can lead.
        """
        leads = able_to_lead(self.rows)
        # Of recall and precision, what takes least is the highest precision.
        taken = [
            (round(x, 4 if x < 1 else 2), round(y, 3)) if self.is_cost else (-round(y, 3), round(x, 3))
            for x, y in self.points
        ]
        best = [*compress(taken, leads)]
        return [
            (
                row,
                point,
                [row.mean(metric).share if metric else "" for metric in (self.across_metric, self.up)],
                not any((other[0] <= own[0] and other[1] >= own[1] and other != own) for other in best)
                if leads_it and len(best) > 1
                else None,
            )
            for row, point, own, leads_it in zip(self.rows, self.points, taken, leads, strict=True)
        ]

    def export_rows(self) -> Iterator[dict[str, Any]]:
        for row, (across, up), _over, is_front in self.lines:
            metric = self.across_metric
            is_of_file = metric is not None and row.metrics.get(metric.key) is not None
            shares = [each.over_key for each in (self.up, metric) if each and each.over_key]
            yield {
                **system_fields(row),
                self.up.key: up,
                self.across: across,
                **{key: row.metrics.get(key) if is_of_file else None for key in shares},
                self.metric.key: visible_score(row.standing.score, row.standing.kind),
                **upper_field(self.metric, row.upper),
                **({"known_from": "file" if is_of_file else "stated"} if self.is_cost else {}),
                "harness": row.standing.harness,
                "on_front": is_front,
            }
