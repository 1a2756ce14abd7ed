"""Atom feeds of new records: who has the best score of a board from when. Source: RFC 4287."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _

from leaderboard.models import Benchmark
from leaderboard.services.boards.best_scores import BestScore, list_best_scores
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.exports.tables import single_line
from leaderboard.services.text import join_sentences, percent

_MOST = 50
# An empty feed has to have been updated some time: never at the time of asking.
_NEVER = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItem:
    """A record of a board. gain: how much it is above the record before, in 0..1; None of the first."""

    benchmark: Benchmark
    title: str
    record: BestScore
    gain: float | None


class _Feed(Atom1Feed):
    def latest_post_date(self) -> datetime:
        return super().latest_post_date() if self.items else _NEVER


def items_of(listed: Sequence[tuple[Benchmark, str]]) -> list[FeedItem]:
    """Return the records of boards, newest first, up to 50. listed: each with its title as it is shown."""
    found = []
    for benchmark, title in listed:
        before: float | None = None
        for record in list_best_scores(BoardAt(benchmark)):
            gain = None if before is None else record.score - before
            found.append(FeedItem(benchmark=benchmark, title=single_line(title), record=record, gain=gain))
            before = record.score
    return sorted(found, key=lambda item: item.record.at, reverse=True)[:_MOST]


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
    """Return the feed. page, feed: their own addresses, whole, as those that `link` gives. host: the name
    under which the feed's entries have their identity: who held which record of which board from when."""
    made = _Feed(title=title, link=page, description="", feed_url=feed, language=language)
    for item in items:
        record = item.record
        made.add_item(
            title=_title(item),
            link=link(record),
            description=_said(item),
            unique_id=_identity(host, item),
            pubdate=record.at,
            updateddate=record.at,
            author_name="Wardboard",
        )
    return made.writeString("utf-8")


def _identity(host: str, item: FeedItem) -> str:
    at = item.record.at.astimezone(UTC)
    told = f"{item.benchmark.slug}/{item.record.system_id}/{at:%Y%m%dT%H%M%S%fZ}"
    # Source: RFC 4151. The same in every language.
    return f"tag:{host},{at:%Y-%m-%d}:{told}"


def _title(item: FeedItem) -> str:
    told = {
        "board": item.title,
        "system": single_line(item.record.name),
        "score": percent(item.record.score),
    }
    return _("%(board)s: %(system)s with %(score)s") % told


def _said(item: FeedItem) -> str:
    # A summary is read as HTML; a title is not.
    record = item.record
    said = [
        _("The first record of the board.")
        if item.gain is None
        else _("%(points)s percentage points above the record before.") % {"points": f"{100 * item.gain:.1f}"}
    ]
    if record.low is not None and record.high is not None:
        ends = {"low": percent(record.low), "high": percent(record.high)}
        said.append(_("95%% interval: %(low)s to %(high)s.") % ends)
    if record.kind != "rescored":
        said.append(_("Reported elsewhere, not rescored here."))
    if record.judge:
        said.append(_("Judge: %(judge)s.") % {"judge": escape(single_line(record.judge))})
    return join_sentences(said)
