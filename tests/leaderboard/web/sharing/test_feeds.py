"""The feed of best scores, in Atom."""

import re
from datetime import UTC, datetime

import feedparser

from leaderboard.web.sharing import feeds
from tests.support.rows import put_row

FEED = "/benchmarks/medagentbench-demo/records.atom"


def test_the_feed_is_atom_with_the_best_scores_newest_first(visitor, demo, monkeypatch):
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
    put_row(demo, "Before <b>", 0.5, since=first)
    record = put_row(demo, "After & so on", 0.75, since=last)
    response = visitor.get(FEED)
    assert response["Content-Type"].startswith("application/atom+xml")
    feed = feedparser.parse(response.content)
    assert (feed.bozo, feed.version) == (False, "atom10")
    assert feed.feed.updated_parsed[:3] == (2026, 2, 1)
    newest, oldest = feed.entries
    assert (newest.title, oldest.title) == ("After & so on: 75.0%", "Before <b>: 50.0%")
    assert newest.link == f"http://testserver/systems/{record.system_id}/"
    assert oldest.title_detail.type == "text/plain"
    assert feedparser.parse(visitor.get(f"/zh-hant{FEED}").content).entries[0].id == newest.id != oldest.id
    monkeypatch.setattr(feeds, "MAX_ITEMS", 1)
    assert len(feedparser.parse(visitor.get(f"{FEED}?v=1").content).entries) == 1


def test_a_name_with_what_xml_cannot_hold_breaks_no_feed(visitor, demo):
    put_row(demo, "a\x01b\x1b]0;\ud7ffc", 0.5)
    feed = feedparser.parse(visitor.get(FEED).content)
    assert not feed.bozo
    assert [entry for entry in feed.entries if "abc" in re.sub(r"\W|\d", "", entry.title)]
