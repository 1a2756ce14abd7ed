"""The Atom feed of a board's new best scores. Source: RFC 4287."""

from datetime import UTC, datetime

from django.contrib.syndication.views import Feed
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.models import Board
from leaderboard.services.boards.best_scores import BestScore, list_best_scores
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.judging.names import judge_name
from leaderboard.services.text import join_names, percent, remove_hidden_characters, tasks_words
from leaderboard.web.shared.caching import board_cached
from leaderboard.web.shared.language import as_tag
from leaderboard.web.templatetags.languages import translated

MAX_ITEMS = 50


class _Atom(Atom1Feed):
    def latest_post_date(self) -> datetime:
        # A feed must have an update time; an empty one gets a fixed time, so that it does not change.
        return super().latest_post_date() if self.items else datetime(2020, 1, 1, tzinfo=UTC)


class _BestScores(Feed):  # type: ignore[type-arg]  # generic in the stubs alone
    feed_type = _Atom
    item_author_name = "Wardboard"

    @property
    def language(self) -> str:  # type: ignore[override]  # a class has one in the stubs
        return as_tag(get_language() or "en")

    def get_object(self, request: HttpRequest, slug: str) -> Board:
        return get_object_or_404(Board.objects.without_references(), slug=slug)

    def title(self, board: Board) -> str:
        return _("New records on %(board)s") % {"board": translated(board.title)}

    def subtitle(self, board: Board) -> str:
        judge = BoardAt(board).compared_judge
        named = _("judged by %(judge)s") % {"judge": judge_name(judge)} if judge else ""
        return join_names(filter(None, [_("Results scored here, of systems with a rank"), named]))

    def link(self, board: Board) -> str:
        return reverse("web:board", args=[board.slug])

    def items(self, board: Board) -> list[BestScore]:
        return list(reversed(list_best_scores(BoardAt(board))))[:MAX_ITEMS]

    def item_title(self, item: BestScore) -> str:
        return f"{remove_hidden_characters(item.name)}: {item.score_words}"

    def item_description(self, item: BestScore) -> str:
        ends = {"low": percent(item.low), "high": percent(item.high), "tasks": tasks_words(item.tasks)}
        return _("95%% interval: %(low)s to %(high)s (%(tasks)s).") % ends

    def item_link(self, item: BestScore) -> str:
        return reverse("web:system", args=[item.system_id])

    def item_guid(self, item: BestScore) -> str:
        # It is the same in every language.
        return f"urn:wardboard:{item.system_id}:{item.at.astimezone(UTC):%Y%m%dT%H%M%S%fZ}"

    def item_pubdate(self, item: BestScore) -> datetime:
        return item.at

    item_updateddate = item_pubdate


@require_safe
@board_cached
def best_scores_feed(request: HttpRequest, slug: str) -> HttpResponse:
    response = _BestScores()(request, slug=slug)
    # It changes also when a result is withdrawn: the caches of pages know when.
    del response.headers["Last-Modified"]
    return response
