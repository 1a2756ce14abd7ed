"""The page of a system: its facts, its result on a board and all published ones. The page of a model."""

from typing import Any
from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from leaderboard.http.readers import reader_of
from leaderboard.models import System
from leaderboard.services import visibility
from leaderboard.services.access import VISITOR, may_correct
from leaderboard.services.boards.reported.cited import Cited, cited_of_system
from leaderboard.services.boards.row import Row
from leaderboard.services.boards.sections import describe_list
from leaderboard.services.boards.system import (
    Fate,
    OnBoard,
    boards_of_model,
    boards_of_system,
    find_public_system,
)
from leaderboard.services.charts.figures import harness_words
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.rows.conditions import links_of, sender_words, traits_of, words_of
from leaderboard.services.rows.means import print_figure
from leaderboard.web.shared.caching import site_cached
from leaderboard.web.shared.group_tables import group_tables, links_to_tasks, metrics_beside
from leaderboard.web.shared.run_table import run_table
from leaderboard.web.systems.citation import cite_result
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring.benchmark import Metric


@require_safe
@site_cached
def system(request: HttpRequest, pk: int) -> HttpResponse:
    public = find_public_system(pk=pk)
    boards = boards_of_system(system=public)
    # That which was asked for, or the first with a row.
    slug = request.GET.get("board")
    chosen = next((each for each in boards if each.board.slug == slug), None)
    chosen = chosen or next((each for each in boards if each.row), boards[0])
    traits = [*traits_of(public, translated), sender_words(public, translated)]
    if public.organisation_confirmed:
        traits.append(public.team_name)
    rows = [each.row for each in boards if each.row]
    context = {
        "system": public,
        "links": list_links(public),
        "models": chosen.row.models if chosen.row else public.model_names,
        "public_models": {name for row in rows for name in row.models},
        # What the team states of the system, without labels.
        "traits": list(dict.fromkeys(filter(None, traits))),
        "conditions": words_of(public, translated),
        "boards": [each.board for each in boards],
        "section": _section(request, chosen, cited_of_system(public).get(chosen.board.pk)),
        "is_reported": public.team_id is None and any(row.is_reported for row in rows),
        "is_baseline": public.team_id is None and any(row.is_baseline for row in rows),
        "may_correct": may_correct(reader_of(request), public),
    }
    return render(request, "web/systems/page.html", context)


@require_safe
@site_cached
def model(request: HttpRequest, name: str) -> HttpResponse:
    """Show every published result with a model, by leaderboard."""
    boards = boards_of_model(name)
    # One leaderboard is described in words; a demonstration only where there is no other.
    real = [each for each in boards if not each.query.board.is_demo] or boards
    described = max(real, key=lambda each: len(each.comparable))
    rows = described.comparable
    context = {
        "name": boards[0].query.filters["model"],
        "sections": [
            (each, visibility.ranked_metric(each.query.board), *axis_of([row.standing for row in each.rows]))
            for each in boards
        ],
        "described": described.query.board,
        "number": len(rows),
        "ends": [rows[n].score_words for n in (-1, 0)] if rows else (),
        "harnesses": len({words for row in rows if (words := harness_words(row))}),
    }
    return render(request, "web/systems/model.html", context)


def list_links(system: System) -> list[tuple[str, str, str]]:
    """Return label, address and host of the links of a system that lead to a host on the web."""
    stated = [*links_of(system, translated), (_("Source"), system.source_url)]
    links = [(label, url, _host(url)) for label, url in stated]
    return [link for link in links if link[2]]


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        return (parts.hostname or "") if parts.scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _section(request: HttpRequest, on_board: OnBoard, cited: Cited | None) -> dict[str, Any]:
    """Return the context of the section of the page about one board.

    task_links: label of a group -> the address of its wrong tasks, where all readers may see these
    other_list: the list that the rank is in; "" for the board's own
    metrics: the figures beside the ranked one, formatted, each with a note on what it is over: those that the
        table by group has too
    citation: its text, and the path of its BibTeX entry
    """
    board, row = on_board.board, on_board.row
    other_list = describe_list(row) if row else ""
    tables = group_tables(row.board, row.groups, row.group_metrics) if row else []
    metrics = _other_metrics(row) if row else []
    in_table = metrics_beside(row.board if row else board, tables)
    submission = on_board.of_several_runs
    result = visibility.visible_result(submission, evaluation=on_board.evaluation) if submission else None
    standing = (result.submission for result in on_board.results if result.fate == Fate.STANDS)
    return {
        "on_board": on_board,
        "score": visibility.ranked_metric(board),
        "sentences": _describe_rank(row) if row else "",
        "other_list": other_list,
        "metrics": [line for line in metrics if line[0] in in_table],
        "more_metrics": [line for line in metrics if line[0] not in in_table],
        "tables": tables,
        "task_links": next((links_to_tasks(VISITOR, submission) for submission in standing), {}),
        "runs": run_table(submission, result, names_files=False) if submission else None,
        "hides_groups": not visibility.by_group(board),
        "compare_url": _compare_url(on_board),
        "badge": _badge(request, row, other_list) if row and row.standing.score is not None else None,
        "citation": cite_result(request, on_board),
        "cited": cited,
    }


def _describe_rank(row: Row) -> str:
    """Describe the rank of the row, and how certain it is."""
    if row.unmet_rules:
        return _("It is listed without a rank: %(why)s.") % {"why": row.why_unranked}
    if row.rank is None:
        return "" if row.is_reported else _("It has no rank.")
    place = row.place
    statistics = row.board_at.statistics_for(row.standing.judge)
    if not place.is_known or (statistics and len(statistics.stored.systems) < 2):
        is_final = place.is_known or place.why_not is not None
        return _("It was not compared with other systems, so its rank has no interval.") if is_final else ""
    # The interval of the rank, in words.
    better, worse = place.better, place.worse or 0
    if better:
        template = ngettext(
            "%(count)s system is significantly better", "%(count)s systems are significantly better", better
        )
    else:
        template = _("No system is significantly better")
    first = template % {"count": f"{better:,}"}
    if worse:
        template = ngettext("%(count)s is significantly worse", "%(count)s are significantly worse", worse)
    else:
        template = _("none is significantly worse")
    return _("%(better)s, %(worse)s.") % {"better": first, "worse": template % {"count": f"{worse:,}"}}


def _other_metrics(row: Row) -> list[tuple[Metric, str, str]]:
    metrics = visibility.metrics_of(row.board)[1:]
    means = [(metric, row.mean(metric)) for metric in metrics if metric.key in row.metrics]
    known = [(metric, mean) for metric, mean in means if mean.value is not None or mean.note]
    return [(metric, print_figure(mean.value, metric), mean.note) for metric, mean in known]


def _compare_url(on_board: OnBoard) -> str:
    if on_board.row is None or on_board.next is None:
        return ""
    query = urlencode([("system", key) for key in (on_board.row.standing.system_id, on_board.next)])
    return f"{reverse('web:compare', args=[on_board.board.slug])}?{query}"


def _badge(request: HttpRequest, row: Row, other_list: str) -> dict[str, str]:
    """Return a picture of a system's rank and score, and the code that embeds it elsewhere."""
    path = reverse("web:badge", kwargs={"slug": row.board.slug, "pk": row.standing.system_id})
    picture = request.build_absolute_uri(path)
    page = request.build_absolute_uri(request.path)
    values = {
        "title": translated(row.board.title),
        "rank": row.rank_words,
        "score": row.score_words,
    }
    if row.rank is None:
        alternative = _("%(title)s: %(score)s") % values
    else:
        alternative = _("%(title)s: rank %(rank)s, %(score)s") % values
        alternative += f" ({other_list})" if other_list else ""
    # Brackets would end the text of a Markdown image.
    label = alternative.replace("[", "(").replace("]", ")")
    context = {"page": page, "picture": picture, "alternative": alternative}
    return {
        "path": path,
        "markdown": f"[![{label}]({picture})]({page})",
        "html": render_to_string("web/sharing/badge_code.jinja", context, using="jinja2"),
        "alternative": alternative,
    }
