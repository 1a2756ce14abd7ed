"""The rows of a board's table, rendered by rows.jinja and head.jinja in templates/web/boards."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.models import ProvenanceLevel, Standing
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.page import BoardPage
from leaderboard.services.boards.row import Row
from leaderboard.services.rows.export_row import ExportRow
from leaderboard.services.text import join_names
from leaderboard.services.visibility import round_figure
from leaderboard.web.boards.columns import heads
from leaderboard.web.shared.jinja import render_jinja
from leaderboard.web.templatetags.figures import place

# Rows from one line to the next. What holds for a group holds for those below it, so short ones are joined.
_FEWEST = 3
_OF_CI = (ProvenanceLevel.CI, ProvenanceLevel.CI_ATTESTED)
_WIDTH = 160  # of the axis of intervals, as drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Dividers:
    """Hold what the lines between groups of rows say.

    firsts: names of the first system of each group.
    is_partial: whether some ranked rows were not tested.
    ties_in_a_row: whether no other tested system ranks above the last one that is tied for first.
    is_selection: whether a filter leaves rows out.
    """

    firsts: Sequence[str]
    is_partial: bool
    ties_in_a_row: bool
    is_selection: bool

    def tied(self) -> str:
        """Return the line above systems that are tied for first."""
        if not self.ties_in_a_row:
            return _("Statistically tied for first where marked")
        if self.is_selection:
            return _("Statistically tied for first on the whole leaderboard")
        return _("Statistically tied for first")

    def lower(self, name: str, group: int, *, is_last: bool) -> str:
        """Return the line above a row, which with all below is worse than the first of an earlier group.

        The claim comes before the name of the row: a narrow screen cuts the end off, and the name is below.
        Names are quoted, because a name can have a colon of its own.
        """
        if self.is_partial and is_last:
            template = _("Where tested, significantly lower than “%(first)s”: “%(system)s”")
        elif self.is_partial:
            template = _("Where tested, significantly lower than “%(first)s”: “%(system)s” and below")
        elif is_last:
            template = _("Significantly lower than “%(first)s”: “%(system)s”")
        else:
            template = _("Significantly lower than “%(first)s”: “%(system)s” and below")
        return template % {"system": name, "first": self.firsts[group]}

    def below_tied(self, name: str, *, is_last: bool) -> str:
        """Return the line above systems of the first group that are not tied for first."""
        if self.is_partial and is_last:
            template = _("Where tested, significantly lower than at least one system above: “%(system)s”")
        elif self.is_partial:
            template = _(
                "Where tested, each significantly lower than at least one system above: “%(system)s” "
                "and below"
            )
        elif is_last:
            template = _("Significantly lower than at least one system above: “%(system)s”")
        else:
            template = _("Each significantly lower than at least one system above: “%(system)s” and below")
        return template % {"system": name}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardTable:
    """Hold what all rows of a table share.

    page: the page of the board that the table is part of.
    axis: the ends of the axis of intervals, in 0..1.
    names_judge: whether the judge is named below each system.
    dividers: None where rows are not in the order of ranks.
    is_first_page, is_last_page: whether the first row is the first of the table, and the last its last.
    removals: system -> how its row of a past table was removed from the board later.
    can_compare: whether rows have a checkbox for comparing.
    own: the systems of the reader's teams.
    heading: a line before the first row; "" for none.
    """

    page: BoardPage
    axis: tuple[float, float]
    names_judge: bool = False
    dividers: Dividers | None = None
    is_first_page: bool = True
    is_last_page: bool = True
    removals: Mapping[int, str]
    can_compare: bool = False
    own: Collection[int] = ()
    heading: str = ""

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


def dividers_of(board_at: BoardAt, judge: str | None, *, is_selection: bool) -> Dividers | None:
    """Return what the lines between the rows of `judge` say; None where nothing was tested."""
    statistics = board_at.statistics_for(judge)
    if statistics is None:
        return None

    def read() -> list[str]:
        names = dict(board_at.rows.filter(system__in=statistics.firsts).values_list("system_id", "name"))
        return [names.get(system, "") for system in statistics.firsts]

    return Dividers(
        firsts=board_at.remember(f"firsts:{judge is None:d}:{judge or ''}", read),
        is_partial=statistics.is_partial,
        ties_in_a_row=statistics.ties_in_a_row,
        is_selection=is_selection,
    )


def render_rows(rows: Iterable[Row], table: BoardTable) -> SafeString:
    """Render each row as a `tr`."""
    return render_jinja(
        "web/boards/rows.jinja",
        {
            "rows": with_dividers(rows, table),
            "table": table,
            "columns": table.page.columns,
            "group_labels": {key: _(label) for key, label in table.page.groups.items()},
            "address_of": _addresses(),
            "detail_of": _details(table),
            "ci_marks": {level.value: (_(level.short), _(level.explanation)) for level in _OF_CI},
        },
    )


def render_head(table: BoardTable, *, action: str = "") -> SafeString:
    """Render the row of heads. action: the address that sorts the table; "" where it cannot be sorted."""
    context = {"table": table, "heads": heads(table.page), "action": action}
    return render_jinja("web/boards/head.jinja", context)


def with_dividers(rows: Iterable[Row], table: BoardTable) -> Iterator[tuple[Row, str, str]]:
    """Yield each row with its CSS classes, and the text of the line before it or ""."""
    dividers, above = table.dividers, None
    # The group after the last line, and the number of tested rows since then.
    group, since = 0, 0
    heading = table.heading
    rows = list(rows)
    last = max((n for n, row in enumerate(rows) if row.place.group is not None), default=None)
    for number, row in enumerate(rows):
        place, divider, heading = row.place, heading, ""
        is_last = table.is_last_page and number == last
        if dividers is not None and place.group is not None:
            if above is None:
                group, since = place.group, 0
                divider = dividers.tied() if table.is_first_page and place.shares_first else ""
            elif (
                place.is_below_tied and place.group > group and (not above.is_below_tied or since >= _FEWEST)
            ):
                if place.group != above.group:
                    divider = dividers.lower(row.standing.name, group, is_last=is_last)
                    group, since = place.group, 0
            elif place.is_below_tied and not above.is_below_tied:
                divider, since = dividers.below_tied(row.standing.name, is_last=is_last), 0
            above, since = place, since + 1
        classes = ["own"] if row.standing.system_id in table.own else []
        if row.standing.system_id in table.removals:
            classes.append("removed")
        yield row, " ".join(classes), divider


def _addresses() -> Callable[[int], str]:
    """Return a function that gives the address of a system."""
    # One address is reversed, and the others follow its pattern: reversing each would take a millisecond.
    prefix, suffix = reverse("web:system", args=[0]).rsplit("0", 1)
    return lambda system_id: f"{prefix}{system_id}{suffix}"


def _details(table: BoardTable) -> Callable[[Row], str]:
    """Return a function that gives the line below the name of a system."""
    no_model, not_stated = _("no model; computed here"), _("judge not stated")
    trained = _("trained on this benchmark")
    runs, chosen, judged = _("%(number)s runs"), _("chosen before scoring"), _("judge: %(judge)s")
    designated = _("%(nth)s designated file")
    unranked, asked = _("no rank: it takes %(rules)s"), table.page.board_at.lead_rules.sentences

    def detail_of(row: Row) -> str:
        standing: Standing | ExportRow = row.standing
        if row.is_baseline:
            return no_model
        models = join_names(standing.model_names)
        lacking = join_names(asked[rule] for rule in row.unmet_rules)
        parts = [
            unranked % {"rules": lacking} if lacking else "",
            trained if standing.trained_on_benchmark else "",
            "" if row.is_reported else standing.organisation or standing.team_name,
            "" if models == standing.name else models,
            runs % {"number": row.runs} if (row.runs or 1) > 1 else "",
            designated % {"nth": place(standing.designation)} if standing.designation else "",
            chosen if standing.chosen_before_score and not standing.designation else "",
        ]
        if table.names_judge:
            parts.append(judged % {"judge": row.judge_name} if standing.judge else not_stated)
        return " · ".join(filter(None, parts))

    return detail_of
