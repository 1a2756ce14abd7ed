"""Feeds of best scores, in Atom."""

import re
from datetime import UTC, datetime

import feedparser

from leaderboard.web.sharing import feeds
from tests.support.rows import put_row

BOARD = "/benchmarks/medagentbench-demo/"


def test_the_feed_of_a_board_is_atom_with_its_best_scores_newest_first(visitor, demo):
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)
    put_row(demo, "Before <b>", 0.5, since=first)
    record = put_row(demo, "After & so on", 0.75, since=last)
    response = visitor.get(f"{BOARD}records.atom")
    assert response["Content-Type"].startswith("application/atom+xml")
    feed = feedparser.parse(response.content)
    assert (feed.bozo, feed.version) == (False, "atom10")
    assert feed.feed.id
    assert feed.feed.updated_parsed[:3] == (2026, 2, 1)
    newest, oldest = feed.entries
    assert newest.title == "MedAgentBench demo: After & so on with 75.0%"
    assert newest.id == f"tag:testserver,2026-02-01:{demo.slug}/{record.system_id}/20260201T000000000000Z"
    assert newest.link == f"http://testserver/systems/{record.system_id}/"
    assert newest.author == "Wardboard"
    assert "25.0 percentage points above" in newest.summary
    assert oldest.title_detail.type == "text/plain"
    assert oldest.title == "MedAgentBench demo: Before <b> with 50.0%"
    assert {link.rel for link in feed.feed.links} == {"alternate", "self"}


def test_entries_keep_their_identity_in_every_language_and_on_the_feed_of_all_boards(visitor, demo):
    put_row(demo, "One", 0.5)
    paths = (f"{BOARD}records.atom", f"/zh-hant{BOARD}records.atom", "/records.atom")
    ids = [feedparser.parse(visitor.get(path).content).entries[0].id for path in paths]
    assert len(set(ids)) == 1


def test_an_empty_feed_stays_the_same(visitor, demo):
    contents = [visitor.get(f"{BOARD}records.atom").content for _ in range(2)]
    assert contents[0] == contents[1]
    assert feedparser.parse(contents[0]).entries == []


def test_a_feed_has_a_limited_number_of_newest_best_scores(visitor, demo, monkeypatch):
    for number in range(4):
        put_row(demo, f"S{number}", 0.5 + number / 10, since=datetime(2026, 2, 1 + number, tzinfo=UTC))
    monkeypatch.setattr(feeds, "MAX_ITEMS", 2)
    entries = feedparser.parse(visitor.get("/records.atom").content).entries
    assert [entry.title.split(": ")[1].split()[0] for entry in entries] == ["S3", "S2"]


def test_the_name_of_a_judge_is_escaped_in_a_feed(visitor, fhir_demo):
    put_row(fhir_demo, "S", 0.5, judge="official: <b>o4</b>")
    feed = visitor.get("/records.atom").content.decode()
    assert "&amp;lt;b&amp;gt;o4&amp;lt;/b&amp;gt;" in feed
    assert "&lt;b&gt;" not in feed


def test_a_name_with_what_xml_cannot_hold_breaks_no_feed(visitor, demo):
    put_row(demo, "a\x01b\x1b]0;\ud7ffc", 0.5)
    feed = feedparser.parse(visitor.get("/records.atom").content)
    assert not feed.bozo
    assert [entry for entry in feed.entries if "abc" in re.sub(r"\W|\d", "", entry.title)]
