"""The rows of a board's table, rendered by rows.jinja and head.jinja in templates/web/boards."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.models import Kind, ProvenanceLevel, Standing
from leaderboard.services.boards.page import BoardPage
from leaderboard.services.boards.reported.cited import cited_rows
from leaderboard.services.boards.row import Row
from leaderboard.services.charts.form import translated
from leaderboard.services.rows.export_row import ExportRow
from leaderboard.services.statistics.rank_statistics import Claims
from leaderboard.services.text import join_names
from leaderboard.services.visibility import round_figure
from leaderboard.web.boards.columns import heads
from leaderboard.web.shared.jinja import render_jinja
from leaderboard.web.templatetags.figures import place
from wardboard.scoring.facts import BY_KEY

_OF_CI = (ProvenanceLevel.CI, ProvenanceLevel.CI_ATTESTED)
_WIDTH = 160  # of the axis of intervals, as drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTable:
    """Hold what all rows of a table share.

    page: the page of the board that the table is part of.
    axis: the ends of the axis of intervals, in 0..1.
    names_judge: whether the judge is named below each system.
    line: above the rows below all that are tied for first; "" where rows are not in the order of ranks.
    removals: system -> how its row of a past table was removed from the board later.
    can_compare: whether rows have a checkbox for comparing.
    own: the systems of the reader's teams.
    """

    page: BoardPage
    axis: tuple[float, float]
    names_judge: bool = False
    line: str = ""
    removals: Mapping[int, str]
    can_compare: bool = False
    own: Collection[int] = ()

    @property
    def has_verified(self) -> bool:
        """Whether results as published share the page with verified ones, and so need a mark."""
        return Kind.RESCORED in self.page.kinds

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.page.columns) + 1 + self.can_compare

    def x(self, value: float) -> float:
        """Return the place of a value on the axis."""
        floor, top = self.axis
        # Round as the figure beside it: a drawing must not be more exact.
        share = (round_figure(value) - floor) / (top - floor)
        return round(min(1.0, max(0.0, share)) * (_WIDTH - 8) + 4, 1)


def line_of(claims: Claims) -> str:
    """Return the line above the rows below all systems that are tied for first.

    Each tested row below is significantly worse than some other one. That one has no name in the line, since
    it may be in another table, or differ from row to row.
    """
    if claims.part and claims.is_partial:
        return _("Below, where tested: significantly lower than another of these systems")
    if claims.part:
        return _("Below: significantly lower than another of these systems")
    if claims.is_partial:
        return _("Below, where tested: significantly lower than another system")
    return _("Below: significantly lower than another system")


def render_rows(rows: Iterable[Row], table: BoardTable) -> SafeString:
    return render_jinja(
        "web/boards/rows.jinja",
        {
            "rows": with_lines(rows, table),
            "table": table,
            "columns": table.page.columns,
            "address_of": _addresses(),
            "detail_of": _details(table),
            "cited": cited_rows(table.page.board_at),
            "ci_marks": {level.value: (_(level.short), _(level.explanation)) for level in _OF_CI},
        },
    )


def render_head(table: BoardTable, *, action: str = "") -> SafeString:
    """Render the row of heads. action: the address that sorts the table; "" where it cannot be sorted."""
    context = {"table": table, "heads": heads(table.page), "action": action}
    return render_jinja("web/boards/head.jinja", context)


def with_lines(rows: Iterable[Row], table: BoardTable) -> Iterator[tuple[Row, str, str]]:
    """Yield each row with its CSS classes, and the text of the line before it or ""."""
    line = table.line
    for row in rows:
        above = ""
        if line and row.place.is_below_tied:
            # All tested rows further down are below, too.
            above, line = line, ""
        classes = ["reported"] if row.is_reported else []
        if row.standing.system_id in table.own:
            classes.append("own")
        if row.standing.system_id in table.removals:
            classes.append("removed")
        yield row, " ".join(classes), above


def _addresses() -> Callable[[int], str]:
    """Return a function that gives the address of a system."""
    # One address is reversed, and the others follow its pattern: reversing each would take a millisecond.
    prefix, suffix = reverse("web:system", args=[0]).rsplit("0", 1)
    return lambda system_id: f"{prefix}{system_id}{suffix}"


def _details(table: BoardTable) -> Callable[[Row], tuple[str, str]]:
    """Return a function that gives the line below the name of a system: its team, and the rest."""
    no_model, not_stated = _("no model; computed here"), _("judge not stated")
    trained = _("trained on this benchmark")
    runs, chosen, judged = _("%(number)s runs"), _("score unseen when chosen"), _("judge: %(judge)s")
    designated = _("%(nth)s designated file")
    unranked, asked = _("no rank: it takes %(rules)s"), table.page.board_at.lead_rules.sentences

    def detail_of(row: Row) -> tuple[str, str]:
        standing: Standing | ExportRow = row.standing
        if row.is_baseline:
            return "", no_model
        # The name of a published row has its model.
        models = "" if row.is_reported else join_names(standing.model_names)
        harness = ""
        if row.is_reported:
            harness = standing.harness_name or translated(BY_KEY["harness"].trait(standing.harness))
        lacking = join_names(asked[rule] for rule in row.unmet_rules)
        parts = [
            unranked % {"rules": lacking} if lacking else "",
            trained if standing.trained_on_benchmark else "",
            # The page of the system has all of it, and the name has it already in most rows.
            "" if harness.split()[:1] and harness.split()[0] in standing.name else harness.split(", ")[0],
            "" if models == standing.name else models,
            runs % {"number": row.stated_runs} if (row.stated_runs or 1) > 1 else "",
            designated % {"nth": place(standing.designation)} if standing.designation else "",
            chosen if standing.chosen_before_score and not standing.designation else "",
        ]
        if table.names_judge:
            parts.append(judged % {"judge": row.judge_name} if standing.judge else not_stated)
        team = "" if row.is_reported else standing.organisation or standing.team_name
        return team, " · ".join(filter(None, parts))

    return detail_of
