"""The feed of best scores, in Atom."""

import re
from datetime import UTC, datetime

import feedparser

from leaderboard.models import Submission, System
from leaderboard.web.sharing import feeds
from tests.support.factories import make_published, with_wrong
from tests.support.rows import put_row, raise_revision

FEED = "/benchmarks/medagentbench-demo/records.atom"


def test_the_feed_is_atom_with_the_best_verified_scores_newest_first(
    visitor, demo, user, good_file, monkeypatch
):
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
    put_row(demo, "Published elsewhere", 0.99, since=first)
    for name, wrong, at in (("Before <b>", 25, first), ("After & so on", 10, last)):
        record = make_published(user, demo, with_wrong(good_file, wrong), system=name)
        Submission.objects.filter(pk=record.pk).update(published_at=at)
    raise_revision(demo)
    response = visitor.get(FEED)
    assert response["Content-Type"].startswith("application/atom+xml")
    feed = feedparser.parse(response.content)
    assert (feed.bozo, feed.version) == (False, "atom10")
    assert feed.feed.updated_parsed[:3] == (2026, 2, 1)
    assert feed.feed.subtitle == "Results scored here, of systems with a rank"
    newest, oldest = feed.entries
    assert (newest.title, oldest.title) == ("After & so on: 74.0%", "Before <b>: 56.0%")
    assert newest.link == f"http://testserver/systems/{record.system_id}/"
    assert oldest.title_detail.type == "text/plain"
    assert feedparser.parse(visitor.get(f"/zh-hant{FEED}").content).entries[0].id == newest.id != oldest.id
    monkeypatch.setattr(feeds, "MAX_ITEMS", 1)
    assert len(feedparser.parse(visitor.get(f"{FEED}?v=1").content).entries) == 1


def test_a_name_with_what_xml_cannot_hold_breaks_no_feed(visitor, demo, user, good_file):
    system = make_published(user, demo, good_file).system_id
    System.objects.filter(pk=system).update(name="a\x01b\x1b]0;\ud7ffc")
    feed = feedparser.parse(visitor.get(FEED).content)
    assert not feed.bozo
    assert [entry for entry in feed.entries if "abc" in re.sub(r"\W|\d", "", entry.title)]
