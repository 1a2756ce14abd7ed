"""The tables of a leaderboard's page: the main one, and those of the sections below it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from leaderboard.models import Kind
from leaderboard.services.boards.columns import Column
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.sections import DividedPage, Group, RowSection
from leaderboard.services.judging.names import judge_name
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.text import join_sentences
from leaderboard.web.boards.rows import BoardTable, Dividers, dividers_of, render_head, render_rows
from scoring.benchmark import Breakdown


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionTable:
    """A folded section. all_query: of the page with all of its rows; "" where it shows them."""

    key: str
    kind: str
    title: str
    note: str
    head: SafeString
    rows: SafeString
    all_query: str


@dataclass(kw_only=True)
class TableMaker:
    """Render the tables of a page, which share their columns.

    removals, compared, own: as for BoardTable
    """

    columns: Sequence[Column]
    breakdown: Breakdown | None
    groups: Mapping[str, str]
    removals: Mapping[int, str]
    compared: Collection[int]
    own: Collection[int]
    query: Query
    axis_of_main: tuple[float, float] = (0.0, 1.0)

    def main(self, page: DividedPage, *, can_compare: bool, action: str) -> tuple[SafeString, SafeString]:
        """Render the heads and the rows of the main table, which `action` sorts."""
        self.axis_of_main = axis_of([row.standing for row in page.rows])
        table = replace(
            self._table,
            axis=self.axis_of_main,
            names_judge=page.group.judge is None and self._has_judges,
            dividers=self._dividers(page.group),
            is_first_page=page.page.number == 1,
            is_last_page=not page.page.has_next(),
            can_compare=can_compare,
            heading=self.describe_main(page)[0],
        )
        return render_head(table, self.query, action=action), render_rows(page.rows, table)

    def section(self, section: RowSection, page: DividedPage) -> SectionTable:
        """Render a section; those of the whole table, once for each revision and order.

        Most readers ask for these, and do not open the sections.
        """
        if self.own or not self.query.is_common:
            return self._section(section, page)
        keys = [column.key for column in self.columns]
        parts = get_language(), section.group, keys, self.groups, self.query.as_query_string()
        return self.query.board.remember(f"section:{parts}", lambda: self._section(section, page))

    def _section(self, section: RowSection, page: DividedPage) -> SectionTable:
        group, query = section.group, self.query
        table = replace(self._table, axis=axis_of([row.standing for row in section.rows]))
        has_more = section.count > len(section.rows)
        of_judge = group.judge if group.kind != Kind.BASELINE and group.judge else query.judge
        query_of_section = query.with_filters(source=group.kind, judge=of_judge or "")
        is_other = group.kind != Kind.BASELINE and group.judge != query.board.compared_judge
        return SectionTable(
            key=f"{group.kind}-{page.sections.index(section)}",
            kind=group.kind,
            title=_title(group, section.count, is_other=is_other),
            note=_note(group, is_other=is_other),
            head=render_head(table, query),
            rows=render_rows(section.rows, table),
            all_query=query_of_section.as_query_string() if has_more else "",
        )

    def describe_main(self, page: DividedPage) -> tuple[str, str]:
        """Return a title of the main table and a note on it; both "" where it has verified results."""
        group = page.group
        if group.kind == Kind.RESCORED or not page.rows:
            return "", ""
        is_other = group.kind != Kind.BASELINE and group.judge != self.query.board.compared_judge
        return _title(group, page.page.paginator.count, is_other=is_other), _note(group, is_other=is_other)

    @cached_property
    def _table(self) -> BoardTable:
        return BoardTable(
            columns=self.columns,
            axis=(0.0, 1.0),
            breakdown=self.breakdown,
            groups=self.groups,
            removals=self.removals,
            compared=self.compared,
            own=self.own,
            board=self.query.board,
        )

    @cached_property
    def _has_judges(self) -> bool:
        return any(self.query.board.census.judges)

    def _dividers(self, group: Group) -> Dividers | None:
        query = self.query
        if group.kind != Kind.RESCORED or query.sort != "score" or not query.descending:
            return None
        return dividers_of(query.board, group.judge, is_selection=query.is_filtered)


def _title(group: Group, number: int, *, is_other: bool) -> str:
    values = {
        "count": f"{number:,}",
        "judge": judge_name(group.judge or "") or _("a judge that is not stated"),
    }
    if group.kind == Kind.BASELINE:
        title = ngettext("%(count)s baseline", "%(count)s baselines", number)
    elif group.kind == Kind.REPORTED and is_other:
        title = ngettext(
            "%(count)s result as published elsewhere, judged by %(judge)s",
            "%(count)s results as published elsewhere, judged by %(judge)s",
            number,
        )
    elif group.kind == Kind.REPORTED:
        title = ngettext(
            "%(count)s result as published elsewhere", "%(count)s results as published elsewhere", number
        )
    else:
        title = ngettext(
            "%(count)s verified result judged by %(judge)s",
            "%(count)s verified results judged by %(judge)s",
            number,
        )
    return title % values


def _note(group: Group, *, is_other: bool) -> str:
    if group.kind == Kind.BASELINE:
        return _("A baseline is an agent that needs no model. It has no rank.")
    apart = _("Judges differ, so these results are ranked among themselves.")
    if group.kind == Kind.RESCORED:
        return apart
    note = _(
        "Not rescored here: scores are as published elsewhere. Intervals are computed from the published "
        "rate and the number of tasks."
    )
    counted = apart if is_other else _("Ranks count these results and the verified ones together.")
    return join_sentences([note, counted])
