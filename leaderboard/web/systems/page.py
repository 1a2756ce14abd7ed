"""The page of a system: what it is, where it stands, and what became of its results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from leaderboard.models import System
from leaderboard.services import visibility
from leaderboard.services.boards import system as system_pages
from leaderboard.services.boards.judges import describe_list, size_of_other
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.system import OnBoard
from leaderboard.services.errors import NotFound
from leaderboard.services.text import join_names, join_sentences, percent
from leaderboard.web.shared.caching import site_cached
from leaderboard.web.shared.results import Table
from leaderboard.web.systems.citation import Citation, citation_of
from leaderboard.web.templatetags.figures import figure, p_words
from leaderboard.web.templatetags.languages import translated
from scoring import registry
from scoring.benchmark import Breakdown, Metric
from scoring.verdicts import Rate, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An address that a team has stated, by the host that it leads to."""

    label: str
    url: str
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A picture of a system's standing, and what to copy to show it elsewhere."""

    path: str
    markdown: str
    html: str
    alternative: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What the page shows of one board. sentence: where the system stands, in words. other_list: which list
    its rank is of, "" where it is the board's. metrics: the figures beside the ranked one. compare: address
    of the comparison with its neighbours, "" without any."""

    found: OnBoard
    score: Metric
    sentence: str
    other_list: str
    metrics: Sequence[tuple[Metric, str]]
    tables: Sequence[Table]
    keeps_back: bool
    names_judge: bool
    scorer_version: str
    compare: str
    badge: Badge | None
    citation: Citation | None

    @property
    def against_next(self) -> str:
        """What the test against the next row says; "" where there is none."""
        p_next = self.found.row.place.p_next if self.found.row else None
        return p_words(p_next) if p_next else ""

    @property
    def neighbours(self) -> list[str]:
        """The names of those above and below it, which it is compared with."""
        return [row.name for row in (self.found.above, self.found.below) if row]


@require_safe
@site_cached
def system(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        found = system_pages.find_public(pk=pk)
    except NotFound as error:
        raise Http404(error.detail) from None
    parts = [_part(request, found, one) for one in system_pages.boards_of(system=found)]
    rows = [part.found.row for part in parts if part.found.row]
    context = {
        "system": found,
        "links": links_of(found),
        "parts": parts,
        "is_reported": found.team_id is None and any(row.is_reported for row in rows),
        "is_baseline": found.team_id is None and any(row.is_baseline for row in rows),
    }
    return render(request, "web/systems/page.html", context)


def links_of(system: System) -> list[Link]:
    """Return the links of a system that are addresses of the web."""
    stated = ((_("Code"), system.code_url), (_("Paper"), system.paper_url), (_("Source"), system.source_url))
    found = []
    for label, url in stated:
        host = _host(url)
        if host:
            found.append(Link(label=label, url=url, host=host))
    return found


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        return (parts.hostname or "") if parts.scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _part(request: HttpRequest, system: System, found: OnBoard) -> Part:
    benchmark, row = found.benchmark, found.row
    scorer, ranked = registry.get(benchmark.family), visibility.ranked_metric(benchmark)
    beside = [one for one in scorer.metrics[1:] if row and row.metrics.get(one.key) is not None]
    other_list = _other_list(row) if row else ""
    return Part(
        found=found,
        score=ranked,
        sentence=_sentence(found, row, other_list) if row else "",
        other_list=other_list,
        metrics=[(one, figure(row.metrics[one.key], one)) for one in beside] if row else [],
        tables=tables_of(row) if row else [],
        keeps_back=not visibility.by_group(benchmark),
        names_judge=scorer.needs_judge,
        scorer_version=scorer.scorer_version,
        compare=_compare(found),
        badge=_badge(request, row, other_list) if row and row.standing.score is not None else None,
        citation=citation_of(request, system, found),
    )


def _other_list(row: Row) -> str:
    """Name the list that the rank is in; "" where it is the board's own."""
    size = size_of_other(row)
    return "" if size is None else describe_list(row.standing.judge, size)


def _sentence(found: OnBoard, row: Row, other_list: str) -> str:
    """Describe the rank of the row and how certain it is."""
    if row.rank is None:
        return _("It has no rank.") if row.is_baseline else _("It has no score, and so no rank.")
    if row.group is None:
        return (
            _("It takes no part in the paired tests, so its rank has no interval.")
            if row.place.why_not
            else ""
        )
    first = _("Nothing on the board is ranked above it.") if row.rank == 1 and not other_list else ""
    return join_sentences((first, _tied(found, row.group)))


def _tied(found: OnBoard, group: int) -> str:
    """Say whom the tests cannot tell it from: only who was tested against it."""
    ties = found.ties
    if ties is None:
        return ""
    if ties.best:
        values = {"best": ties.best, "below": ties.below, "group": group}
        if group == 1 and ties.below:
            said = _(
                "The data cannot tell it from %(best)s, the best of the board, nor from %(below)s below it."
            )
        elif group == 1:
            said = _("The data cannot tell it from %(best)s, the best of the board.")
        elif ties.below:
            said = _(
                "It is in tie group %(group)s: the data cannot tell it from %(best)s, the best of that "
                "group, nor from %(below)s below it."
            )
        else:
            said = _(
                "It is in tie group %(group)s: the data cannot tell it from %(best)s, the best of that group."
            )
        return said % values
    if not ties.others:
        return _("The data tell it from the next system that was tested.") if found.below else ""
    names = join_names(ties.others)
    if not ties.more:
        return _("The data cannot tell it from %(names)s.") % {"names": names}
    return ngettext(
        "The data cannot tell it from %(names)s and %(n)s more.",
        "The data cannot tell it from %(names)s and %(n)s more.",
        ties.more,
    ) % {"names": names, "n": ties.more}


def tables_of(row: Row) -> list[Table]:
    """Return the figures by group of a row, as far as they may be seen."""
    groups, beside = row.groups, row.group_metrics
    known = {one.key: one for one in registry.get(row.benchmark.family).metrics}
    tables = [
        _table(breakdown, groups.get(breakdown.key, {}), beside.get(breakdown.key, {}), known)
        for breakdown in visibility.visible_breakdowns(row.benchmark)
    ]
    return [table for table in tables if table.rows]


def _table(
    breakdown: Breakdown,
    rates: Mapping[str, Rate | Share],
    beside: Mapping[str, Mapping[str, float | None]],
    known: dict[str, Metric],
) -> Table:
    metrics = [known[key] for key in breakdown.metrics] if beside else []
    rows = [
        (
            breakdown.groups[group],
            rate,
            [(metric, beside.get(group, {}).get(metric.key)) for metric in metrics],
        )
        for group, rate in rates.items()
        if rate.total
    ]
    return Table(breakdown=breakdown, metrics=metrics, rows=rows)


def _compare(found: OnBoard) -> str:
    near = [row.system_id for row in (found.above, found.below) if row]
    if not near or found.row is None:
        return ""
    own = found.row.standing.system_id
    asked = [(found.above and found.above.system_id), own, (found.below and found.below.system_id)]
    query = urlencode([("system", key) for key in asked if key])
    return f"{reverse('web:compare', args=[found.benchmark.slug])}?{query}"


def _badge(request: HttpRequest, row: Row, other_list: str) -> Badge | None:
    try:
        url = reverse("web:badge", kwargs={"slug": row.benchmark.slug, "pk": row.standing.system_id})
    except NoReverseMatch:
        return None
    path, url = url, request.build_absolute_uri(url)
    page = request.build_absolute_uri(request.path)
    rank, score = row.rank, percent(row.standing.score)
    title = translated(row.benchmark.title)
    if rank is None:
        alternative = _("%(title)s: %(score)s") % {"title": title, "score": score}
    else:
        alternative = _("%(title)s: rank %(rank)s, %(score)s") % {
            "title": title,
            "rank": rank,
            "score": score,
        }
        alternative += f" ({other_list})" if other_list else ""
    said = alternative.replace("[", "(").replace("]", ")")
    context = {"page": page, "picture": url, "alternative": alternative}
    return Badge(
        path=path,
        markdown=f"[![{said}]({url})]({page})",
        html=render_to_string("web/sharing/badge_code.jinja", context, using="jinja2"),
        alternative=alternative,
    )
