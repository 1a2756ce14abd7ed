"""Boards at a past date: the `as_of` of an address, and what pages say about it."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import BoardAction, BoardEvent, ReferenceRevision, Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.publishing.publish import withdraw
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.record.events import Change, record
from leaderboard.web.shared import as_of
from tests.support import factories
from tests.support.databases import shared_rows
from tests.support.factories import other_references
from tests.support.pages.visible_text import text_of
from tests.support.rows import raise_revision
from wardboard.scoring.medagentbench.demo import GOOD

ADDRESS = "/benchmarks/medagentbench-demo/"
FILES = ("board.csv", "board.json", "board.md", "board.tex", "board.bib")
VIEW_FILES = ("views/forest.csv", "views/forest/chart.svg")
PAGES = ("", *FILES, "views/forest/", "views/forest.csv")
AS_OF_FORMS = ("as_of=2026-11-01", "as_of=57", "as_of=2026-11-01T14:30Z")
NO_MOMENTS = ("garbage", "999999", "2999-01-01", "x" * 90)


@shared_rows
def key() -> int:
    return factories.make_published(factories.make_user(), factories.make_demo(), GOOD.read_bytes()).pk


@pytest.fixture
def published(key, db) -> Submission:
    return Submission.objects.get(pk=key)


def read_last_number(demo) -> int:
    return BoardEvent.objects.filter(board=demo).latest("number").number


@pytest.mark.parametrize("as_of_text", NO_MOMENTS)
@pytest.mark.parametrize("page", ["", "views/forest/"])
def test_an_invalid_date_is_refused_with_valid_examples(visitor, published, page, as_of_text):
    response = visitor.get(ADDRESS + page, {"as_of": as_of_text})
    assert response.status_code == 400
    text = text_of(response)
    for form in AS_OF_FORMS:
        assert form in text
    content = response.content.decode()
    assert f'href="{ADDRESS}"' in content
    assert f'href="{ADDRESS}changes/"' in content


@pytest.mark.parametrize("as_of_text", NO_MOMENTS)
@pytest.mark.parametrize("prefix", ["", "/zh-hant"])
@pytest.mark.parametrize("page", [*FILES, *VIEW_FILES])
def test_an_export_with_an_invalid_date_is_refused_in_a_fitting_format(
    visitor, published, page, prefix, as_of_text
):
    response = visitor.get(prefix + ADDRESS + page, {"as_of": as_of_text})
    assert response.status_code == 400
    text = response.content.decode()
    if page.endswith(".json"):
        assert response["Content-Type"] == "application/problem+json"
        problem = response.json()
        assert (problem["status"], problem["code"]) == (400, "parameter-invalid")
        assert visitor.get(problem["type"]).json()["title"] == problem["title"]
        assert problem["instance"] == prefix + ADDRESS + page
        text = f"{problem['detail']} {problem['hint']}"
    else:
        assert response["Content-Type"] == "text/plain; charset=utf-8"
        assert text.endswith("\n")
    assert f"as_of={as_of_text[:40]}" in text
    for form in AS_OF_FORMS:
        assert form in text


def test_the_invalid_date_is_escaped(visitor, published):
    main = visitor.get(ADDRESS, {"as_of": "<script>"}).content.decode().split("<main")[1]
    assert "<script>" not in main
    assert "&lt;script&gt;" in main


@pytest.mark.parametrize("page", PAGES)
def test_the_date_of_today_shows_the_current_board(visitor, published, page):
    response = visitor.get(ADDRESS + page, {"as_of": timezone.now().date().isoformat()})
    assert response.status_code == 200
    if not page:
        assert response.context["query"].board_at.as_of is None


def test_before_the_record_the_page_says_when_it_begins(visitor, published):
    for page in ("", "views/forest/"):
        response = visitor.get(ADDRESS + page, {"as_of": "2001-01-01"})
        text = text_of(response)
        assert response.status_code == 200
        assert "The record of this leaderboard begins on" in text
        assert f'href="{ADDRESS}?as_of=1"' in response.content.decode()
        assert "Nobody" not in text
        assert "yet" not in text.split("Show")[0]
    assert "no result on this leaderboard then" in text_of(visitor.get(ADDRESS, {"as_of": 1}))


def test_a_past_board_names_the_ground_truth_of_that_time(visitor, demo, published):
    number = read_last_number(demo)
    old = demo.active_revision
    new = ReferenceRevision.objects.create(
        board=demo,
        number=old.number + 1,
        digest="b" * 64,
        content=old.content,
        task_ids=old.task_ids,
        origin="test",
    )
    demo.active_revision = new
    demo.save()
    record(Change(action=BoardAction.ACTIVATED), board=demo)
    raise_revision(demo)
    text_of_today = text_of(visitor.get(f"{ADDRESS}about/"))
    assert f"Reference answers rev. {new.number}, sha256 {new.digest}" in text_of_today
    past_text = text_of(visitor.get(ADDRESS, {"as_of": number}))
    assert f"Reference answers: rev. {old.number}." in past_text
    assert f"rev. {new.number}" not in past_text


def test_links_of_a_past_board_keep_its_date_and_comparing_is_not_offered(visitor, user, demo, published):
    number = read_last_number(demo)
    disqualify(submission_id=published.pk, by=user, reason="trained on the tasks")
    content = visitor.get(ADDRESS, {"as_of": number}).content.decode()
    for link in ("views/forest/", "board.csv", "board.tex"):
        assert f'href="{ADDRESS}{link}?as_of={number}"' in content
    # Those of the tab are systems of today.
    assert f'action="{ADDRESS}compare/"' not in content
    assert 'form="compare"' not in content
    view = visitor.get(f"{ADDRESS}views/forest/", {"as_of": number}).content.decode()
    assert f'href="{ADDRESS}?as_of={number}"' in view
    assert f'href="{ADDRESS}views/progress/?as_of={number}"' in view
    for page in (content, view):
        assert "1 result removed since" in page
        assert "disqualified since: trained on the tasks" in page


def test_a_day_is_chosen_in_a_form(visitor, demo, published):
    today = timezone.now().date().isoformat()
    html = visitor.get(ADDRESS).content.decode()
    first = BoardEvent.objects.filter(board=demo).earliest("number").at.date().isoformat()
    assert re.search(rf'min="{first}"\s+max="{today}"\s+value=""', html)
    assert ">Today</a>" not in html
    past_html = visitor.get(ADDRESS, {"as_of": read_last_number(demo)}).content.decode()
    assert f'value="{today}"' in past_html
    assert f'<a class="today" href="{ADDRESS}">Today</a>' in past_html


def test_a_moment_later_today_is_still_to_come(visitor, published):
    moment = (timezone.now() + timedelta(hours=1)).isoformat()
    assert visitor.get(ADDRESS, {"as_of": moment}).status_code == 400


def test_a_past_chart_of_best_scores_states_its_date(visitor, demo, published):
    number = read_last_number(demo)
    assert "with its current score" in text_of(visitor.get(f"{ADDRESS}views/progress/"))
    record(Change(action=BoardAction.SETTINGS), board=demo)
    past_text = text_of(visitor.get(f"{ADDRESS}views/progress/", {"as_of": number}))
    assert "with its score at that moment" in past_text
    assert "current score" not in past_text


def test_a_past_row_is_compared_with_the_ground_truth_of_that_time(visitor, demo, published):
    number = read_last_number(demo)
    import_references(board=demo, references=other_references(), origin="corrected")
    assert "older reference answers" in text_of(visitor.get(ADDRESS))
    assert "older reference answers" not in text_of(visitor.get(ADDRESS, {"as_of": number}))


def test_matching_rows_are_counted_for_the_date(visitor, demo, user, good_file, published):
    number = read_last_number(demo)
    factories.make_published(user, demo, factories.with_wrong(good_file, 4), system="Later")
    counts = [
        visitor.get(ADDRESS, {"source": "rescored", **moment}).context["page"].system_count
        for moment in ({}, {"as_of": number})
    ]
    assert counts[0] == counts[1] + 1


def test_a_past_table_has_no_checkboxes(visitor, demo, published):
    params = {"as_of": read_last_number(demo), "compare": published.system_id}
    assert visitor.get(ADDRESS, params).context["query"].compare == ()


def test_each_past_board_marks_what_became_of_its_rows_in_its_order(visitor, user, demo, good_file):
    submissions, numbers = [], []
    for name, wrong in (("Low", 4), ("Middle", 2), ("High", 1)):
        raw = factories.with_wrong(good_file, wrong)
        submissions.append(factories.make_published(user, demo, raw, system=name))
        numbers.append(read_last_number(demo))
    for submission, reason in zip(submissions, ("", "a leak", ""), strict=True):
        withdraw(submission_id=submission.pk, team=personal_team(user), by=user, reason=reason)
    first, *_, last = [visitor.get(ADDRESS, {"as_of": number}).context for number in numbers]
    assert first["removed_rows"] == [("Low", "withdrawn since")]
    assert last["removed_rows"] == [
        ("High", "withdrawn since"),
        ("Middle", "withdrawn since: a leak"),
        ("Low", "withdrawn since"),
    ]


def test_a_past_board_links_to_the_days_of_changes_around_it_and_marks_its_own(visitor, demo, published):
    today = timezone.now().date()
    page = visitor.get(ADDRESS, {"as_of": read_last_number(demo), "weights": "open"}).content.decode()
    link = f'<a href="{ADDRESS}?weights=open&amp;as_of={today.isoformat()}" aria-current="date">'
    # In the page, and in the menu beside the form for any other day.
    assert page.count(link) == 2
    current = visitor.get(ADDRESS).content.decode()
    assert f'<a href="{ADDRESS}?as_of={today.isoformat()}">' in current


def test_a_long_timeline_is_cut_around_the_day_that_is_shown(demo, published, monkeypatch):
    days = [timezone.now().date() - timedelta(days=number) for number in range(0, 60, 3)]
    monkeypatch.setattr(as_of, "event_days", lambda board: days)
    query = Query(board_at=BoardAt(demo, find_as_of(board=demo, text=days[10].isoformat())))
    timeline = as_of.as_of_context(query)["timeline"]
    assert [day for day, _, _ in timeline] == days[6:15]
    assert [is_shown for _, _, is_shown in timeline].index(True) == 4
