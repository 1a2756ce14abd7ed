"""Addresses of the pages."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.urls import URLPattern, path

from leaderboard.web.accounts import account, emails, tokens
from leaderboard.web.boards import about, compare
from leaderboard.web.boards import page as board_page
from leaderboard.web.charts import page as chart_page
from leaderboard.web.docs import page as docs_page
from leaderboard.web.doubts import desk as doubts_desk
from leaderboard.web.doubts import report as doubts_report
from leaderboard.web.organise.urls import urlpatterns as desk
from leaderboard.web.seasons import pages as seasons
from leaderboard.web.sharing import downloads, embed, feeds
from leaderboard.web.site import pages, status
from leaderboard.web.submissions import edit, review, scored, submit
from leaderboard.web.submissions import page as submission_page
from leaderboard.web.systems import citation
from leaderboard.web.systems import page as system_page
from leaderboard.web.teams import join, publishers
from leaderboard.web.teams import page as team_page
from leaderboard.web.traces import page as traces_page
from leaderboard.web.traces import tasks as tasks_page

app_name = "web"
_TEXTS, _ARCHIVES, _PICTURES = ("csv", "json", "md", "tex"), ("eee.zip",), ("svg", "png")


def _each(
    route: str, view: Callable[..., Any], name: str, option: str, values: Iterable[str]
) -> Iterator[URLPattern]:
    """Yield a path for each value of an option of the view, in the place of {} in `route` and `name`."""
    for value in values:
        yield path(route.format(value), view, {option: value}, name=name.format(value.partition(".")[0]))


urlpatterns = [
    path("", pages.front, name="front"),
    path("benchmarks/<slug:slug>/", board_page.board, name="board"),
    path("benchmarks/<slug:slug>/compare/", compare.compare, name="compare"),
    path("benchmarks/<slug:slug>/about/", about.about, name="about"),
    path("benchmarks/<slug:slug>/changes/", about.changes, name="changes"),
    path("systems/<int:pk>/", system_page.system, name="system"),
    path("systems/<int:pk>/edit/", edit.edit_system, name="edit-system"),
    path("models/<path:name>/", system_page.model, name="model"),
    path("about/", pages.about_site, name="about-site"),
    path("terms/", pages.document, {"name": "terms"}, name="terms"),
    path("privacy/", pages.document, {"name": "privacy"}, name="privacy"),
    path("citation/", pages.document, {"name": "citation"}, name="citation"),
    path("docs/", docs_page.index, name="docs"),
    path("docs/<slug:slug>/", docs_page.page, name="docs-page"),
    path("docs/<slug:slug>/files/<str:name>", docs_page.download, name="docs-file"),
    path("status/", status.show_status, name="status"),
    path("benchmarks/<slug:slug>/submit/", submit.submit_file, name="submit"),
    path("benchmarks/<slug:slug>/approval/", submit.request_approval, name="request-approval"),
    *_each("benchmarks/<slug:slug>/board.{}", downloads.export_text, "board-{}", "extension", _TEXTS),
    *_each("benchmarks/<slug:slug>/board.{}", downloads.export, "board-{}", "extension", _ARCHIVES),
    *_each(
        "benchmarks/<slug:slug>/board.{}.sig",
        downloads.signature,
        "board-{}-signature",
        "extension",
        (*_TEXTS, *_ARCHIVES),
    ),
    path("benchmarks/<slug:slug>/board.bib", downloads.bib, name="board-bib"),
    path("benchmarks/<slug:slug>/records.atom", feeds.best_scores_feed, name="best-scores-feed"),
    path("benchmarks/<slug:slug>/card.png", embed.board_card, name="board-card"),
    *(
        path(f"benchmarks/<slug:slug>/systems/<int:pk>/badge.{form}", embed.badge, {"form": form}, name=name)
        for form, name in (("svg", "badge"), ("json", "badge-json"))
    ),
    path("benchmarks/<slug:slug>/systems/<int:pk>/result.bib", citation.bib, name="system-bib"),
    path("systems/<int:pk>/card.png", embed.system_card, name="system-card"),
    path("embed/<slug:slug>/", embed.embed, name="embed"),
    path("benchmarks/<slug:slug>/views/<slug:name>/", chart_page.view, name="view"),
    path("benchmarks/<slug:slug>/views/<slug:name>.csv", chart_page.as_csv, name="view-csv"),
    *_each("benchmarks/<slug:slug>/views/<slug:name>.{}", chart_page.chart, "view-{}", "form", _PICTURES),
    path("benchmarks/<slug:slug>/views/<slug:name>/chart.svg", chart_page.chart, name="chart"),
    path("submit/", submit.choose, name="choose"),
    path("submit/shared/<uuid:draft_id>/", scored.show_shared, name="shared"),
    path("submit/discard/", submit.discard_draft, name="discard-draft"),
    path("submissions/", submission_page.list_submissions, name="submissions"),
    path("submissions/<uuid:submission_id>/", submission_page.submission, name="submission"),
    path("submissions/<uuid:submission_id>/progress/", submission_page.progress, name="progress"),
    path("submissions/<uuid:submission_id>/tasks/", tasks_page.tasks, name="tasks"),
    path("submissions/<uuid:submission_id>/doubts/", doubts_report.report, name="report-doubt"),
    path("submissions/<uuid:submission_id>/traces/", traces_page.traces, name="traces"),
    path("submissions/<uuid:submission_id>/traces/<path:task_id>/", traces_page.trace, name="trace"),
    path("submissions/<uuid:submission_id>/report.json", submission_page.download_report, name="report"),
    path("submissions/<uuid:submission_id>/cancel/", submission_page.cancel_submission, name="cancel"),
    path("submissions/<uuid:submission_id>/publish/", submission_page.publish_submission, name="publish"),
    path("submissions/<uuid:submission_id>/withdraw/", submission_page.withdraw_submission, name="withdraw"),
    path("submissions/<uuid:submission_id>/review-links/", review.create_link, name="create-review-link"),
    path(
        "submissions/<uuid:submission_id>/review-links/revoke/",
        review.revoke_link,
        name="revoke-review-link",
    ),
    path("submissions/<uuid:submission_id>/statement/", seasons.lodge, name="lodge-statement"),
    path("organise/boards/<slug:slug>/season/", seasons.organise, name="organise-season"),
    path("organise/submissions/<uuid:submission_id>/open/", seasons.open_file, name="organise-open-file"),
    path("review/<str:token>/", review.show_to_reviewer, name="review"),
    path("organise/boards/<slug:slug>/doubts/", doubts_desk.doubtful, name="organise-doubts"),
    *desk,
    path("account/names/", account.names, name="names"),
    path("account/emails/", emails.emails, name="emails"),
    path("account/emails/watch/<slug:slug>/", emails.watch, name="watch"),
    path("account/emails/off/<str:token>/", emails.switch_off, name="emails-off"),
    path("account/delete/", account.delete, name="delete-account"),
    path("account/publishers/", publishers.publishers, name="publishers"),
    path("account/publishers/<uuid:publisher_id>/remove/", publishers.remove, name="remove-publisher"),
    path("account/teams/", team_page.teams, name="teams"),
    path("account/teams/<slug:handle>/", team_page.team, name="team"),
    path("teams/join/<str:token>/", join.join, name="join-team"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/device/", tokens.device, name="device"),
    path("account/tokens/<str:token_key>/revoke/", tokens.revoke, name="revoke"),
]
