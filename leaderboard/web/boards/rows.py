"""The rows of a board's table as HTML. Written in Python: a template takes far longer for a page of them.

Every text that somebody wrote goes through `escape`: the one of the standard library, as Django’s asks of
each text whether it is lazy or safe, which takes a third of the time of a page.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from html import escape

from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from leaderboard.models import Standing
from leaderboard.services.boards.row import Row
from leaderboard.services.text import join_names, percent
from leaderboard.web.boards.columns import Column
from leaderboard.web.boards.judges import heard
from leaderboard.web.shared.pair_text import p_words
from leaderboard.web.templatetags.drawings import interval, squares
from leaderboard.web.templatetags.figures import figure
from leaderboard.web.templatetags.languages import day
from scoring.benchmark import Breakdown

_LONG = 50  # letters of models that may not fit below a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What the cells of a page have in common. axis: the ends of that of intervals. breakdown, groups: whose
    squares are drawn, and key -> label of those. names_judge: whether the judge stands below each name.
    apart: `other_lists`.
    in_order: whether rows stand by rank, so that tie groups stand together. gone: system -> what became of
    its row since, of a past table. can_compare: whether rows can be picked for comparing. ticked: those that
    are."""

    columns: Sequence[Column]
    axis: tuple[float, float]
    breakdown: Breakdown | None
    groups: Mapping[str, str]
    names_judge: bool
    apart: Mapping[str, int]
    in_order: bool
    gone: Mapping[int, str]
    can_compare: bool
    ticked: Collection[int] = ()


def lines(rows: Iterable[Row], table: Table) -> list[SafeString]:
    """Return each row as a `tr`."""
    cells = _Cells(table)
    made, before = [], None
    for row in rows:
        starts = table.in_order and row.group is not None and row.group != before
        before = row.group if row.group is not None else before
        # Escaped where texts are put in.
        made.append(mark_safe(cells.line(row, starts)))  # noqa: S308
    return made


class _Words(dict[str, str]):
    """Text -> what it is in the language of the page, as HTML. A page says the same few again and again."""

    def __missing__(self, text: str) -> str:
        self[text] = said = escape(_(text))
        return said


class _Cells:
    """The cells of one page's rows."""

    def __init__(self, table: Table) -> None:
        self._table = table
        # One address is made, and the others by its pattern: making each takes a millisecond of a page.
        self._before, self._after = reverse("web:system", args=[0]).rsplit("0", 1)
        self._say = _Words()
        self._traits: dict[tuple, str] = {}
        self._language = translation.get_language()
        self._groups_drawn = {key: _(label) for key, label in table.groups.items()}
        self._rest: list[Callable[[Row], str]] = [
            self._metric(column) if column.metric else getattr(self, f"_{column.key}")
            for column in table.columns
        ]
        # What a translator may move about, looked up once.
        self._ends = _("%(low)s to %(high)s")
        self._between = join_names(("", ""))
        self._of = _("%(right)s of %(total)s")
        self._compare = _("Compare %(system)s")
        self._named_judge = _("judge: %(judge)s")
        among = escape(_("of %(n)s"))
        self._among = {judge: among % {"n": f"{n:,}"} for judge, n in table.apart.items()}
        self._heard = heard(table.apart)

    def line(self, row: Row, starts: bool) -> str:
        classes = [row.standing.kind] if row.standing.kind != "rescored" else []
        if row.group is not None:
            classes.append("tie-b" if row.group % 2 == 0 else "tie-a")
        if starts:
            classes.append("starts")
        if row.standing.system_id in self._table.gone:
            classes.append("gone")
        said = f' class="{" ".join(classes)}"' if classes else ""
        cells = "".join([cell(row) for cell in self._rest])
        return f"<tr{said}>{self._rank(row)}{cells}</tr>\n"

    def _rank(self, row: Row) -> str:
        rank = "–" if row.rank is None else row.rank
        pick = self._pick(row) if self._table.can_compare else ""
        judge, among = row.standing.judge, ""
        if row.rank is not None and judge in self._among:
            # In another order than the rows around it.
            rank, among = f'<span class="other">({rank})</span>{self._heard[judge]}', self._among[judge]
        return f'<td class="rank">{rank}{pick}{self._place(row, among)}</td>'

    def _place(self, row: Row, among: str) -> str:
        """What stands below a rank. among: of how many, where others stand around it than those."""
        place = row.place
        if place.is_known:
            span = f"{place.low}" if place.low == place.high else f"{place.low}–{place.high}"
            tie = escape(_("group %(number)d") % {"number": place.group})
            span = f"{span} {among}" if among else span
            return f'<span class="sub">{span}</span><span class="sub tie">{tie}</span>'
        among = f'<span class="sub">{among}</span>' if among else ""
        if place.why_not is None or row.rank is None:
            return among
        why = self._say[str(place.why_not.label)]
        return f'{among}<span class="sub"><abbr title="{why}">{self._say["n/a"]}</abbr></span>'

    def _system(self, row: Row) -> str:
        standing = row.standing
        name = (
            f'<a class="name" href="{self._before}{standing.system_id}{self._after}">'
            f"{escape(standing.name)}</a>"
        )
        if gone := self._table.gone.get(standing.system_id):
            name += f' <span class="chip alarm">{escape(gone)}</span>'
        models, traits = self._about(standing)
        told = " · ".join([text for text in (self._from(row), models) if text])
        # Two lines of it are seen.
        whole = f' title="{models}"' if len(models) > _LONG else ""
        told = f'<span class="sub"{whole}>{told}</span>' if told else ""
        judge = self._judge_words(row) if self._table.names_judge else ""
        if traits or judge:
            between = " · " if traits and judge else ""
            # A narrow screen has no room for the kind; the judge stays.
            told += f'<span class="sub traits"><span class="kind">{traits}{between}</span>{judge}</span>'
        return f'<th scope="row">{name}{self._chips(row)}{told}</th>'

    def _chips(self, row: Row) -> str:
        """The words beside the name of a row that is no result of today's references."""
        said = ""
        if row.is_reported:
            said = f' <span class="chip reported">{self._say["reported"]}</span>'
        elif row.is_baseline:
            said = f' <span class="chip quiet">{self._say["baseline"]}</span>'
        if row.is_outdated:
            why = self._say["Scored against an earlier ground truth than the board’s."]
            said += f' <span class="chip quiet" title="{why}">{self._say["older references"]}</span>'
        return said

    def _from(self, row: Row) -> str:
        """Whose the system is, or where its figures were published."""
        standing = row.standing
        if row.is_baseline:
            return self._say["no model; worked out here"]
        if not row.is_reported:
            return escape(standing.organisation or standing.team_name)
        source = self._say[standing.source] if standing.source else ""
        # Only addresses of the web: what another one says would be run.
        if standing.source_url.startswith(("https://", "http://")):
            source = f'<a href="{escape(standing.source_url)}" rel="noopener external">{source}</a>'
        return f"{source} · {self._say['not rescored']}"

    def _about(self, standing: Standing) -> tuple[str, str]:
        """On what models a system runs, and of what kind it is."""
        key = (standing.interaction, standing.retrieval, standing.reasoning, standing.open_weights)
        traits = self._traits.get(key)
        if traits is None:
            traits = self._traits[key] = " · ".join(self._say[trait] for trait in standing.traits)
        models = self._between.join(standing.model_names)
        return escape(models) if models != standing.name else "", traits

    def _judge_words(self, row: Row) -> str:
        judge = escape(row.standing.judge)
        if judge:
            judge = escape(self._named_judge) % {"judge": judge}
        return f'<span class="judge">{judge or self._no_judge(row)}</span>'

    def _no_judge(self, row: Row) -> str:
        return self._say["nothing to judge" if row.is_baseline else "judge not said"]

    def _score(self, row: Row) -> str:
        return f'<td class="n score">{percent(row.standing.score)}</td>'

    def _interval(self, row: Row) -> str:
        low, score, high = row.standing.low, row.standing.score, row.standing.high
        drawn = interval(low, score, high, *self._table.axis)
        if low is None:
            return f"<td>{drawn}</td>"
        ends = escape(self._ends % {"low": percent(low), "high": percent(high)})
        return f'<td>{drawn}<span class="sub">{ends}</span></td>'

    def _next(self, row: Row) -> str:
        p = row.place.p_next
        return f'<td class="n nowrap">{"–" if p is None else escape(p_words(p))}</td>'

    def _counts(self, row: Row) -> str:
        right, total = row.standing.right, row.standing.total
        if right is None or total is None:
            return '<td class="n">–</td>'
        return f'<td class="n">{escape(self._of % {"right": f"{right:,}", "total": f"{total:,}"})}</td>'

    def _metric(self, column: Column) -> Callable[[Row], str]:
        key, metric = column.key, column.metric
        return lambda row: f'<td class="n">{figure(row.metrics.get(key), metric)}</td>'

    def _groups(self, row: Row) -> str:
        rates = row.rates(self._table.breakdown.key)
        if rates:
            return f'<td class="by-group">{squares(rates, self._groups_drawn)}</td>'
        said = self._say["not published" if row.is_reported else "not known"]
        return f'<td class="by-group"><span class="sub nowrap">{said}</span></td>'

    def _date(self, row: Row) -> str:
        return f'<td class="n date">{_time(row.standing.since.date(), self._language)}</td>'

    def _organisation(self, row: Row) -> str:
        return f"<td>{escape(row.standing.organisation or row.standing.team_name or '–')}</td>"

    def _models(self, row: Row) -> str:
        return f"<td>{escape(self._between.join(row.standing.model_names) or '–')}</td>"

    def _judge(self, row: Row) -> str:
        return f"<td>{escape(row.standing.judge) or self._no_judge(row)}</td>"

    def _pick(self, row: Row) -> str:
        if row.is_reported or row.is_baseline or row.standing.system_id in self._table.gone:
            return ""
        label = escape(self._compare % {"system": row.standing.name})
        ticked = " checked" if row.standing.system_id in self._table.ticked else ""
        return (
            f'<input type="checkbox" name="system" value="{row.standing.system_id}" form="compare" '
            f'aria-label="{label}" autocomplete="off"{ticked}>'
        )


@lru_cache(maxsize=4096)
def _time(at: date, language: str | None) -> str:
    """A day as HTML, in the language of the page, which is `language`."""
    return f'<time datetime="{at.isoformat()}">{escape(day(at))}</time>'


def told_in_rows() -> list[str]:
    """Return the texts above that are looked up by their English, for who collects texts to translate."""
    return [
        _("n/a"),
        _("reported"),
        _("baseline"),
        _("older references"),
        _("Scored against an earlier ground truth than the board’s."),
        _("no model; worked out here"),
        _("not rescored"),
        _("nothing to judge"),
        _("judge not said"),
        _("not published"),
        _("not known"),
    ]
