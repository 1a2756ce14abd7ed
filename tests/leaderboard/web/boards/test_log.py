"""The public log of a board."""

from leaderboard.models import BoardEvent
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.record.events import record_settings
from leaderboard.services.record.log import CHOICES
from tests.support.factories import make_demo, make_published, with_wrong
from tests.support.pages.visible_text import text_of

ADDRESS = "/benchmarks/medagentbench-demo/changes/"


def test_an_import_and_a_result_are_entries_that_link_to_the_board_at_that_event(visitor, demo, published):
    response = visitor.get(ADDRESS)
    text, content = text_of(response), response.content.decode()
    assert "New reference answers" in text
    assert "Result published Careful agent 94.0% 47 of 50" in text
    events = BoardEvent.objects.filter(board=demo)
    assert len(events) > 1
    for event in events:
        assert f"/benchmarks/medagentbench-demo/?as_of={event.number}" in content


def test_each_event_is_under_all_and_under_one_other_choice():
    every, *parts = (actions for _label, actions in CHOICES.values())
    assert sorted(every) == sorted(action for actions in parts for action in actions)


def test_a_result_that_is_not_the_entry_of_its_system_is_marked(visitor, user, demo, published, good_file):
    make_published(user, demo, with_wrong(good_file, 5))
    assert text_of(visitor.get(ADDRESS)).count("not the system’s entry") == 1


def test_the_names_of_systems_on_the_front_page_and_reasons_are_escaped(visitor, user, good_file):
    # The front page lists the changes of a board that is not a demonstration.
    board = make_demo(slug="real", title="Real board", is_demo=False)
    published = make_published(user, board, good_file, system="<script>alert(1)</script>")
    pages = [visitor.get("/").content.decode()]
    disqualify(submission_id=published.pk, by=user, reason="<script>alert(2)</script>")
    pages.append(visitor.get("/benchmarks/real/changes/").content.decode())
    for number, page in enumerate(pages, 1):
        assert "<script>alert" not in page
        assert f"&lt;script&gt;alert({number})" in page


def test_a_long_log_has_pages_and_few_queries(visitor, demo, published, django_assert_max_num_queries):
    def count_queries() -> int:
        visitor.get(ADDRESS)
        with django_assert_max_num_queries(12) as queries_of_page:
            visitor.get(ADDRESS)
        return len(queries_of_page)

    count = count_queries()
    for _ in range(120):
        record_settings(board=demo, changed=["daily_limit"])
    # One query more: a page reads where the entry across its end begins.
    assert count_queries() <= count + 1
