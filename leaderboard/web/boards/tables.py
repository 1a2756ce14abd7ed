"""The tables of a leaderboard's page, the main one and those below it; rows.jinja has their rows."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import takewhile
from typing import NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from leaderboard.models import Kind, ProvenanceLevel
from leaderboard.services.boards.columns import Column
from leaderboard.services.boards.page import BoardPage
from leaderboard.services.boards.query import Query
from leaderboard.services.boards.read_rows import MOST_AT_ONCE
from leaderboard.services.boards.reported.cited import Cited
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.sections import RowSection
from leaderboard.services.charts.form import translated
from leaderboard.services.judging.names import judge_name
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.text import join_sentences
from leaderboard.services.visibility import round_figure
from leaderboard.web.shared.as_of import describe_removal
from leaderboard.web.shared.jinja import render_jinja
from wardboard.scoring.facts import BY_KEY

_WIDTH = 160  # of the axis of intervals, as drawn


class Head(NamedTuple):
    """The head of a column, with its texts translated."""

    column: Column
    label: str
    description: str
    order: str = ""
    sort_query: str | None = None


class Line(NamedTuple):
    """A row of a table as its cells show it.

    divider: the text of the line above it; "" for none
    details: what the line below the name says that no column has
    about: column -> its text, of those that a narrow page has in that line
    ci_mark: the meaning of the mark of a file that a CI job attested; "" for no mark
    whisker: the ends of the interval and the score on its axis, the score None where it is beyond
    removal: how a row of a past table was removed from the board later
    """

    row: Row
    classes: str
    divider: str
    address: str
    details: Sequence[str]
    about: Mapping[str, str]
    is_own: bool
    removal: str
    cited: Cited | None
    ci_mark: str
    whisker: tuple[float, float, float | None] | None


@dataclass(frozen=True, kw_only=True)
class BoardTable:
    """A table of a page.

    axis: the ends of the axis of intervals, in 0..1. own: the systems of the reader's teams
    tied, below: the lines above the first row that is tied for first, and above the rows below all of these;
        "" where rows are not in the order of ranks
    action: the address that sorts the table; "" where it cannot be sorted
    """

    page: BoardPage
    rows: Collection[Row]
    own: Collection[int] = ()
    names_judge: bool = False
    tied: str = ""
    below: str = ""
    can_compare: bool = False
    action: str = ""

    @cached_property
    def axis(self) -> tuple[float, float]:
        return axis_of([row.standing for row in self.rows])

    @cached_property
    def shared(self) -> list[str]:
        """The details that all ranked systems share; a note above the table states them once."""
        details_of = _details(self)
        first, *others = [details_of(row) for row in self.rows if row.rank is not None] or [[]]
        return [each for each in first if others and all(each in details for details in others)]

    @property
    def shared_note(self) -> str:
        shared = " · ".join(self.shared)
        return _("Each ranked system here: %(shared)s.") % {"shared": shared} if shared else ""

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.page.columns) + 1 + self.can_compare

    @property
    def head(self) -> SafeString:
        heads = [head_of(column, self.page.query) for column in self.page.columns]
        return render_jinja("web/boards/head.jinja", {"table": self, "heads": heads, "action": self.action})

    @property
    def body(self) -> SafeString:
        models = reverse("web:model", args=["-"]).removesuffix("-/")
        context = {"lines": lines_of(self), "table": self, "columns": self.page.columns, "models": models}
        return render_jinja("web/boards/rows.jinja", context)

    def x(self, value: float) -> float:
        """Return the place of a value on the axis."""
        floor, top = self.axis
        # Round as the figure beside it: a drawing must not be more exact.
        share = (round_figure(value) - floor) / (top - floor)
        return round(min(1.0, max(0.0, share)) * (_WIDTH - 8) + 4, 1)

    def whisker(self, row: Row) -> tuple[float, float, float | None] | None:
        """Return the ends of the interval and the score on the axis; None without an interval."""
        low, score, high = row.standing.low, row.standing.score, row.standing.high
        if low is None or score is None or high is None:
            return None
        return self.x(low), self.x(high), None if score < self.axis[0] else self.x(score)


def head_of(column: Column, query: Query) -> Head:
    label, description = _(column.label), column.describe(query.board_at.board)
    if column.sorting is None:
        return Head(column, label, description)
    is_sorted = query.sort == column.sort_key
    descends = not (column.sorting.is_text or column.sorting.is_best_lowest)
    descending = not query.descending if is_sorted else descends
    order = ("descending" if query.descending else "ascending") if is_sorted else ""
    page = min(query.page, 1)  # all rows stay all
    sort_query = query.as_query_string(sort=column.sort_key, descending=descending, page=page)
    return Head(column, label, description, order, sort_query)


def lines_of(table: BoardTable) -> Iterator[Line]:
    tied, below, cited = table.tied, table.below, table.page.board_at.cited
    # One address is reversed, and the others follow its pattern: reversing each would take a millisecond.
    prefix, suffix = reverse("web:system", args=[0]).rsplit("0", 1)
    attested = _(ProvenanceLevel.CI_ATTESTED.explanation)
    details_of = _details(table)
    for row in table.rows:
        above, system_id = "", row.standing.system_id
        # All tested rows further down are below, too.
        if row.place.is_below_tied:
            above, tied, below = below, "", ""
        elif row.place.is_tied_for_first:
            above, tied = tied, ""
        is_own, removal = system_id in table.own, describe_removal(row.removal) if row.removal else ""
        classes = {"reported": row.is_reported, "own": is_own, "removed": removal}
        yield Line(
            row=row,
            classes=" ".join(name for name, has in classes.items() if has),
            divider=above,
            address=f"{prefix}{system_id}{suffix}?board={table.page.query.board.slug}",
            about={column.key: column.text(row, _) for column in table.page.columns if column.is_folded},
            details=[each for each in details_of(row) if row.rank is None or each not in table.shared],
            is_own=is_own,
            removal=removal,
            cited=cited.get(system_id) if row.is_reported else None,
            ci_mark=attested if row.standing.provenance == ProvenanceLevel.CI_ATTESTED else "",
            whisker=table.whisker(row),
        )


def _details(table: BoardTable) -> Callable[[Row], list[str]]:
    """Return a function that gives what the line below the name of a system says that no column has."""
    no_model, not_stated = _("no model; computed here"), _("judge not stated")
    by_counts = _("no model; computed from published counts of tasks")
    trained = _("trained on this benchmark")
    runs, chosen, judged = _("%(number)s runs"), _("score unseen when chosen"), _("judge: %(judge)s")
    designated = _("designated file %(nth)s")
    unranked = _("no rank: %(why)s")

    def details_of(row: Row) -> list[str]:
        standing = row.standing
        if row.is_baseline:
            return [no_model if row.board_at.revision_id else by_counts]
        harness = ""
        if row.is_reported:
            harness = standing.harness_name or translated(BY_KEY["harness"].trait(standing.harness))
        number = row.stated_runs or 1
        parts = [
            unranked % {"why": row.why_unranked} if row.unmet_rules else "",
            trained if standing.trained_on_benchmark else "",
            # The page of the system has all of it, and the name has it already in most rows.
            "" if harness.split()[:1] and harness.split()[0] in standing.name else harness.split(", ")[0],
            runs % {"number": number} if number > 1 else "",
            designated % {"nth": standing.designation} if standing.designation else "",
            chosen if standing.chosen_before_score and not standing.designation else "",
        ]
        if table.names_judge:
            parts.append(judged % {"judge": judge_name(standing.judge)} if standing.judge else not_stated)
        return [part for part in parts if part]

    return details_of


class SectionTable(NamedTuple):
    """A folded section. all_query: of the page with all of its rows; "" where it shows them."""

    key: str
    title: str
    note: str
    head: SafeString
    rows: SafeString
    all_query: str


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The tables of a page, which share their columns; each part is rendered on first use."""

    page: BoardPage
    own: Collection[int]
    action: str

    @cached_property
    def main(self) -> BoardTable:
        page, group = self.page, self.page.group
        is_undivided = group is None or group.judge is None
        tied, below = self._dividers()
        return BoardTable(
            page=page,
            rows=page.rows,
            own=self.own,
            names_judge=is_undivided and any(page.census.judges),
            tied=tied,
            below=below,
            can_compare=page.can_compare,
            action=self.action,
        )

    @property
    def all_query(self) -> str:
        """The query of the page that has all rows; "" where this one has them, or they are too many."""
        has_more = self.page.page.has_other_pages() and self.page.page.paginator.count <= MOST_AT_ONCE
        return self.page.query.as_query_string(page=0) if has_more else ""

    @property
    def note(self) -> str:
        """The sentences that hold of many rows of the main table; "" where none does."""
        published = _(
            "As published: results that were not rescored here. Their scores are those of their source, or "
            "computed from its counts; their intervals are computed from the rate and the number of tasks. "
            "Harnesses may differ too, so the order does not say which model is better."
        )
        stated = _("Conditions of runs are as stated by the submitters.")
        notes = {published: Kind.REPORTED in self.page.kinds, stated: self.page.has_conditions}
        return join_sentences((self.main.shared_note, *(note for note, holds in notes.items() if holds)))

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
        group, query, rows = section.group, self.page.query, section.rows
        table = BoardTable(page=self.page, rows=rows, own=self.own)
        if group.is_baseline:
            query_of_section = query.with_filters(source=Kind.BASELINE)
            title = ngettext("%(count)s baseline", "%(count)s baselines", section.count)
            note = _("A baseline is an agent that needs no model. It has no rank.")
        else:
            query_of_section = query.with_filters(judge=group.judge or query.judge)
            title = ngettext(
                "%(count)s result judged by %(judge)s", "%(count)s results judged by %(judge)s", section.count
            )
            note = _("Judges differ, so these results are listed apart from others.")
        judge = judge_name(group.judge or "") or _("a judge that is not stated")
        return SectionTable(
            key=f"section-{number}",
            title=title % {"count": f"{section.count:,}", "judge": judge},
            note=join_sentences((note, table.shared_note)),
            head=table.head,
            rows=table.body,
            all_query=query_of_section.as_query_string() if section.count > len(rows) else "",
        )

    def _dividers(self) -> tuple[str, str]:
        """Return the lines above the systems that are tied for first, and above those below all of them."""
        query, group, rows = self.page.query, self.page.group, self.page.rows
        if group is None or group.is_baseline or query.sort != "score" or not query.descending:
            return "", ""
        claims = query.board_at.statistics_for(group.judge)
        if claims is None:
            return "", ""
        tied, below = _("Statistically tied for first"), _("Below: significantly lower than another system")
        above = takewhile(lambda row: not row.place.is_below_tied, rows)
        if not all(row.place.is_tied_for_first for row in above):
            tied = _("Tied for first: %(n)s systems, ranks from 1 (–: not tested)") % {"n": len(claims.tied)}
        # Each tested row below is significantly worse than some other one, which may be in another table.
        if any(row.place.why_not for row in rows):
            below = _("Below, where tested: significantly lower than another system")
        return tied, below
