"""The tables of a leaderboard's page: the main one, and those of the sections below it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from leaderboard.models import Kind
from leaderboard.services.boards.page import BoardPage
from leaderboard.services.boards.read_rows import claims_of
from leaderboard.services.boards.sections import Group, RowSection
from leaderboard.services.judging.names import judge_name
from leaderboard.services.pictures.axis import axis_of
from leaderboard.web.boards.rows import BoardTable, line_of, render_head, render_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionTable:
    """A folded section. all_query: of the page with all of its rows; "" where it shows them."""

    key: str
    title: str
    note: str
    head: SafeString
    rows: SafeString
    all_query: str


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The tables of a page, which share their columns; each part is rendered on first use.

    removals, own: as for BoardTable. action: the address that sorts the main table
    """

    page: BoardPage
    removals: Mapping[int, str]
    own: Collection[int]
    action: str

    @cached_property
    def axis(self) -> tuple[float, float]:
        """The ends of the axis of the main table, in 0..1."""
        return axis_of([row.standing for row in self.page.rows])

    @cached_property
    def _main(self) -> BoardTable:
        page, group = self.page, self.page.group
        is_undivided = group is None or group.judge is None
        return BoardTable(
            page=page,
            axis=self.axis,
            removals=self.removals,
            own=self.own,
            names_judge=is_undivided and any(page.census.judges),
            line=self._line(),
            can_compare=page.can_compare,
        )

    @property
    def head(self) -> SafeString:
        """The heads of the main table."""
        return render_head(self._main, action=self.action)

    @property
    def rows(self) -> SafeString:
        """The rows of the main table."""
        return render_rows(self.page.rows, self._main)

    @property
    def note(self) -> str:
        """What holds of results in the main table that were published elsewhere; "" without one."""
        if Kind.REPORTED not in self.page.kinds:
            return ""
        return _(
            "As published: results that were not rescored here. Their scores are those of their source, or "
            "computed from its counts; their intervals are computed from the rate and the number of tasks. "
            "Harnesses differ too, so the order does not say which model is better."
        )

    @property
    def sections(self) -> Iterator[SectionTable]:
        """The sections; those of the whole table are rendered once for each revision and order.

        Most readers ask for these, and do not open the sections.
        """
        page = self.page
        for number, section in enumerate(page.sections):
            make = partial(self._section, section, number)
            if self.own or not page.query.is_common:
                yield make()
            else:
                keys = [column.key for column in page.columns]
                parts = get_language(), section.group, keys, page.query.as_query_string()
                yield page.board_at.remember(f"section:{parts}", make)

    def _section(self, section: RowSection, number: int) -> SectionTable:
        group, page = section.group, self.page
        axis = axis_of([row.standing for row in section.rows])
        table = BoardTable(
            page=page,
            axis=axis,
            removals=self.removals,
            own=self.own,
        )
        has_more = section.count > len(section.rows)
        if group.is_baseline:
            query_of_section = page.query.with_filters(source=Kind.BASELINE)
        else:
            query_of_section = page.query.with_filters(judge=group.judge or page.query.judge)
        return SectionTable(
            key=f"section-{number}",
            title=_title(group, section.count),
            note=_note(group),
            head=render_head(table),
            rows=render_rows(section.rows, table),
            all_query=query_of_section.as_query_string() if has_more else "",
        )

    def _line(self) -> str:
        query, group = self.page.query, self.page.group
        if group is None or group.is_baseline or query.sort != "score" or not query.descending:
            return ""
        claims = claims_of(query, group.judge)
        return line_of(claims) if claims else ""


def _title(group: Group, number: int) -> str:
    if group.is_baseline:
        title = ngettext("%(count)s baseline", "%(count)s baselines", number)
    else:
        title = ngettext(
            "%(count)s result judged by %(judge)s", "%(count)s results judged by %(judge)s", number
        )
    judge = judge_name(group.judge or "") or _("a judge that is not stated")
    return title % {"count": f"{number:,}", "judge": judge}


def _note(group: Group) -> str:
    if group.is_baseline:
        return _("A baseline is an agent that needs no model. It has no rank.")
    return _("Judges differ, so these results are ranked among themselves.")
