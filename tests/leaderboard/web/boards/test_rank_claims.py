"""What a page of a board says of ranks: intervals, ties, dividers, and the sentence at its head."""

from types import SimpleNamespace

import pytest

from leaderboard.models import Board, BoardState, Standing
from leaderboard.services.boards import head_sentence
from leaderboard.services.statistics import compute
from leaderboard.web.boards.rows import Dividers, with_dividers
from tests.support.addresses import BOARD
from tests.support.factories import make_published, with_wrong
from tests.support.pages.table import names_in, ranks_in
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row, raise_revision

pytestmark = pytest.mark.both_databases


def test_ranks_have_intervals_and_systems_tied_for_first_are_marked(visitor, demo, three):
    put_row(demo, "Printed", 0.93)  # of an unknown number of tasks
    assert ranks_in(visitor.get(BOARD))[:3] == ["1", "3", "4"], "by score alone"
    compute.compute_statistics(board_id=demo.pk)
    response = visitor.get(BOARD)
    content = response.content.decode()
    assert names_in(response) == ["A", "B", "C", "Printed"], "results as published are apart"
    assert ranks_in(response) == ["1–3", "1–3", "3–4", "2"]
    assert 'title="The number of tasks behind its scores is not known."' in content
    assert "Statistically tied for first" in content


def test_a_system_that_is_first_alone_is_not_called_tied(visitor, demo, user, good_file):
    for name, wrong in (("Far ahead", 0), ("Behind", 27), ("Far behind", 45)):
        make_published(user, demo, with_wrong(good_file, wrong) if wrong else good_file, system=name)
    compute.compute_statistics(board_id=demo.pk)
    content = visitor.get(BOARD).content.decode()
    assert '<td class="rank">' in content
    assert "tied for first</span>" not in content


def test_a_line_separates_systems_that_all_differ_significantly(visitor, demo, three):
    assert "divider" not in visitor.get(BOARD).content.decode()
    compute.compute_statistics(board_id=demo.pk)
    content = visitor.get(BOARD).content.decode()
    [_, tied, below] = content.split('<tr class="divider">')
    assert [tied.count('<td class="rank">'), below.count('<td class="rank">')] == [2, 1]
    assert "Significantly lower than “A”: “C”<" in below, "no row is below C"
    # In another order, nothing is above or below.
    for order in ("system", "score"):
        assert "divider" not in visitor.get(f"{BOARD}?sort={order}").content.decode()


def test_the_finding_is_about_the_rows_that_filters_choose(visitor, demo, user, good_file, three):
    for name, wrong in (("Open 1", 30), ("Open 2", 45)):
        raw = with_wrong(good_file, wrong)
        make_published(user, demo, raw, system=name)
    Standing.objects.exclude(name__startswith="Open").update(open_weights=False)
    raise_revision(demo)
    text = text_of(visitor.get(f"{BOARD}?weights=open"))
    assert "Among open-weights systems: Open 1 scores significantly higher on these tasks" in text
    assert "Among the systems that match the filters: Open 1" in text_of(visitor.get(f"{BOARD}?q=open"))
    assert "Among" not in text_of(visitor.get(BOARD)).split("How we know")[0]
    # A table that is fetched by the script brings its sentence.
    partial = visitor.get(f"{BOARD}?weights=open", headers={"HX-Request": "true"}).content.decode()
    assert '<div id="finding" hx-swap-oob="true">' in partial
    assert "Among open-weights systems" in partial


@pytest.mark.parametrize("reason", ["level", "many"])
def test_a_selection_that_is_not_tested_says_so(visitor, demo, three, monkeypatch, reason):
    compute.compute_statistics(board_id=demo.pk)
    if reason == "level":
        Board.objects.filter(pk=demo.pk).update(feedback="overall")
    else:
        monkeypatch.setattr(head_sentence, "MOST_CHOSEN", 2)
    raise_revision(demo)
    text = text_of(visitor.get(f"{BOARD}?source=rescored"))
    assert "Among verified systems: the 95% interval of A" in text
    assert "No significance test was run" in text


def test_until_the_tests_are_done_the_page_says_so(visitor, demo, three):
    text = text_of(visitor.get(BOARD))
    assert "significance tests are not done yet" in text
    assert "o significance test was run" not in text
    compute.compute_statistics(board_id=demo.pk)
    text = text_of(visitor.get(BOARD))
    assert "not done yet" not in text
    assert "Statistically tied for first" in text


def test_a_past_table_that_was_never_tested_says_that_no_test_was_run(visitor, demo, three, user, good_file):
    number = BoardState.objects.get(board=demo).number
    make_published(user, demo, with_wrong(good_file, 3), system="Later")
    text = text_of(visitor.get(f"{BOARD}?as_of={number}"))
    assert "o significance test was run" in text
    assert "not done yet" not in text


def lines(places, *, is_last_page=True, **dividers):
    """Return the lines before rows: pairs of a group, and whether the row is below those tied for first."""
    rows = [
        SimpleNamespace(
            standing=SimpleNamespace(name=f"S{number}", system_id=number),
            place=SimpleNamespace(group=group, is_below_tied=is_below, shares_first=not is_below),
        )
        for number, (group, is_below) in enumerate(places)
    ]
    known = {"firsts": ["A", "B", "C"], "is_partial": False, "ties_in_a_row": True, "is_selection": False}
    table = SimpleNamespace(
        dividers=Dividers(**known | dividers),
        is_first_page=True,
        is_last_page=is_last_page,
        removals={},
        own=(),
        heading="",
    )
    return [line for _, _, line in with_dividers(rows, table)]


TIED, NOT_TIED, LOWER, UNTESTED = (0, False), (0, True), (1, True), (None, False)


def test_lines_say_who_is_tied_and_who_is_lower_than_whom():
    lower = "Significantly lower than “A”: “S2” and below"
    assert lines([TIED, TIED, LOWER, LOWER]) == ["Statistically tied for first", "", lower, ""]
    each = "Each significantly lower than at least one system above: “S1” and below"
    assert lines([TIED, NOT_TIED, LOWER]) == ["Statistically tied for first", each, ""]
    assert lines([TIED], ties_in_a_row=False) == ["Statistically tied for first where marked"]
    assert lines([TIED], is_selection=True) == ["Statistically tied for first on the whole leaderboard"]


def test_a_line_quotes_names_which_may_have_a_colon_of_their_own():
    firsts = ["Agent: second try", "B", "C"]
    assert lines([TIED, LOWER, LOWER], firsts=firsts)[1] == (
        "Significantly lower than “Agent: second try”: “S1” and below"
    )


def test_lines_of_a_partly_tested_leaderboard_begin_with_that():
    assert lines([TIED, UNTESTED, LOWER, LOWER], is_partial=True)[2] == (
        "Where tested, significantly lower than “A”: “S2” and below"
    )
    assert lines([TIED, NOT_TIED, NOT_TIED], is_partial=True)[1] == (
        "Where tested, each significantly lower than at least one system above: “S1” and below"
    )


def test_a_line_above_the_last_tested_row_speaks_of_no_row_below():
    assert lines([TIED, LOWER])[1] == "Significantly lower than “A”: “S1”"
    assert lines([TIED, NOT_TIED])[1] == "Significantly lower than at least one system above: “S1”"
    assert lines([TIED, LOWER, UNTESTED], is_partial=True)[1] == (
        "Where tested, significantly lower than “A”: “S1”"
    )
    assert lines([TIED, NOT_TIED], is_partial=True)[1] == (
        "Where tested, significantly lower than at least one system above: “S1”"
    )
    # The next page has more rows.
    assert lines([TIED, LOWER], is_last_page=False)[1] == "Significantly lower than “A”: “S1” and below"


def test_a_group_of_less_than_three_rows_is_joined_to_the_one_below():
    groups = [(0, False), (1, True), (2, True), (2, True), (2, True)]
    assert lines(groups)[1:] == ["Significantly lower than “A”: “S1” and below", "", "", ""]
