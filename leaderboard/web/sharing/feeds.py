"""Atom feeds of new best scores, of one board and of all. Source: RFC 4287."""

from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

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
from leaderboard.services.exports.tables import single_line
from leaderboard.services.judging.names import judge_name
from leaderboard.services.text import join_sentences, percent
from leaderboard.web.shared.caching import board_cached, site_cached
from leaderboard.web.shared.language import as_tag
from leaderboard.web.templatetags.languages import translated

MAX_ITEMS = 50
# A feed must have an update time; an empty one gets a fixed time, so that it does not change.
_NEVER = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """A best score on a board.

    host: of the service, in the identities of entries
    gain: how far it is above the previous one, in 0..1; None for the first
    """

    host: str
    board: Board
    best: BestScore
    gain: float | None


class _Atom(Atom1Feed):
    def latest_post_date(self) -> datetime:
        return super().latest_post_date() if self.items else _NEVER


class _BestScores(Feed):  # type: ignore[type-arg]  # generic in the stubs alone
    feed_type = _Atom
    item_author_name = "Wardboard"

    @property
    def language(self) -> str:  # type: ignore[override]  # a class has one in the stubs
        return as_tag(get_language() or "en")

    def get_object(self, request: HttpRequest, slug: str = "") -> tuple[str, list[Board], bool]:
        """Return the host, the boards, and whether it is the feed of one board."""
        boards = Board.objects.without_references()
        listed = [get_object_or_404(boards, slug=slug)] if slug else list(boards.installed())
        return request.get_host().rsplit(":", 1)[0], listed, bool(slug)

    def title(self, of: tuple[str, list[Board], bool]) -> str:
        _host, boards, is_of_one = of
        if not is_of_one:
            return _("New records on all leaderboards")
        return _("New records on %(board)s") % {"board": translated(boards[0].title)}

    def link(self, of: tuple[str, list[Board], bool]) -> str:
        _host, boards, is_of_one = of
        return reverse("web:board", args=[boards[0].slug]) if is_of_one else reverse("web:front")

    def items(self, of: tuple[str, list[Board], bool]) -> list[_Item]:
        """Return the latest best scores of the boards, newest first, up to 50."""
        host, boards, _is_of_one = of
        items = []
        for board in boards:
            previous: float | None = None
            for best in list_best_scores(BoardAt(board)):
                gain = None if previous is None else best.score - previous
                items.append(_Item(host=host, board=board, best=best, gain=gain))
                previous = best.score
        return sorted(items, key=lambda item: item.best.at, reverse=True)[:MAX_ITEMS]

    def item_title(self, item: _Item) -> str:
        return _("%(board)s: %(system)s with %(score)s") % {
            "board": single_line(translated(item.board.title)),
            "system": single_line(item.best.name),
            "score": item.best.score_words,
        }

    def item_description(self, item: _Item) -> str:
        # Readers treat a summary as HTML, but not a title.
        best = item.best
        above = _("%(points)s percentage points above the record before.")
        sentences = [
            _("The first record of the leaderboard.")
            if item.gain is None
            else above % {"points": f"{100 * item.gain:.1f}"}
        ]
        if best.low is not None and best.high is not None:
            ends = {"low": percent(best.low), "high": percent(best.high)}
            sentences.append(_("95%% interval: %(low)s to %(high)s.") % ends)
        if best.kind != "rescored":
            sentences.append(_("Reported elsewhere, not rescored here."))
        if best.judge:
            sentences.append(_("Judge: %(judge)s.") % {"judge": escape(single_line(judge_name(best.judge)))})
        return join_sentences(sentences)

    def item_link(self, item: _Item) -> str:
        return reverse("web:system", args=[item.best.system_id])

    def item_guid(self, item: _Item) -> str:
        at = item.best.at.astimezone(UTC)
        # Source: RFC 4151. It is the same in every language.
        return f"tag:{item.host},{at:%Y-%m-%d}:{item.board.slug}/{item.best.system_id}/{at:%Y%m%dT%H%M%S%fZ}"

    def item_pubdate(self, item: _Item) -> datetime:
        return item.best.at

    item_updateddate = item_pubdate


def _feed(request: HttpRequest, slug: str = "") -> HttpResponse:
    response = _BestScores()(request, slug=slug)
    # It changes also when a result is withdrawn: the caches of pages know when.
    del response.headers["Last-Modified"]
    return response


best_scores_feed = require_safe(board_cached(_feed))
all_best_scores_feed = require_safe(site_cached(_feed))
