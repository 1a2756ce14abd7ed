"""Atom feeds of new best scores on boards. Source: RFC 4287."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _

from leaderboard.models import Board
from leaderboard.services.boards.best_scores import BestScore, list_best_scores
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.exports.tables import single_line
from leaderboard.services.judging.names import judge_name
from leaderboard.services.text import join_sentences, percent

MAX_ITEMS = 50
# A feed must have an update time; an empty one gets a fixed time, so that it does not change.
_NEVER = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    """A best score on a board.

    gain: how far it is above the previous one, in 0..1; None for the first
    """

    board: Board
    title: str
    best: BestScore
    gain: float | None


class _Feed(Atom1Feed):
    def latest_post_date(self) -> datetime:
        return super().latest_post_date() if self.items else _NEVER


def items_of(listed: Sequence[tuple[Board, str]]) -> list[FeedItem]:
    """Return the latest best scores of the boards, newest first, up to 50.

    listed: boards with their titles in the reader's language
    """
    items = []
    for board, title in listed:
        previous: float | None = None
        for best in list_best_scores(BoardAt(board)):
            gain = None if previous is None else best.score - previous
            items.append(FeedItem(board=board, title=single_line(title), best=best, gain=gain))
            previous = best.score
    return sorted(items, key=lambda item: item.best.at, reverse=True)[:MAX_ITEMS]


def atom(
    *,
    items: Sequence[FeedItem],
    title: str,
    page: str,
    feed: str,
    host: str,
    link: Callable[[BestScore], str],
    language: str,
) -> str:
    """Return the feed as XML.

    page, feed: absolute URLs of the page and of the feed itself
    host: domain name in the identities of the entries
    link: returns the absolute URL of a best score
    """
    document = _Feed(title=title, link=page, description="", feed_url=feed, language=language)
    for item in items:
        best = item.best
        document.add_item(
            title=_title(item),
            link=link(best),
            description=_description(item),
            unique_id=_identity(host, item),
            pubdate=best.at,
            updateddate=best.at,
            author_name="Wardboard",
        )
    return document.writeString("utf-8")


def _identity(host: str, item: FeedItem) -> str:
    at = item.best.at.astimezone(UTC)
    key = f"{item.board.slug}/{item.best.system_id}/{at:%Y%m%dT%H%M%S%fZ}"
    # Source: RFC 4151. It is the same in every language.
    return f"tag:{host},{at:%Y-%m-%d}:{key}"


def _title(item: FeedItem) -> str:
    params = {
        "board": item.title,
        "system": single_line(item.best.name),
        "score": item.best.score_words,
    }
    return _("%(board)s: %(system)s with %(score)s") % params


def _description(item: FeedItem) -> str:
    # Readers treat a summary as HTML, but not a title.
    best = item.best
    sentences = [
        _("The first record of the leaderboard.")
        if item.gain is None
        else _("%(points)s percentage points above the record before.") % {"points": f"{100 * item.gain:.1f}"}
    ]
    if best.low is not None and best.high is not None:
        ends = {"low": percent(best.low), "high": percent(best.high)}
        sentences.append(_("95%% interval: %(low)s to %(high)s.") % ends)
    if best.kind != "rescored":
        sentences.append(_("Reported elsewhere, not rescored here."))
    if best.judge:
        sentences.append(_("Judge: %(judge)s.") % {"judge": escape(single_line(judge_name(best.judge)))})
    return join_sentences(sentences)
