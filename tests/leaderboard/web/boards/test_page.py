"""The page of a board: its parameters, its part for htmx, and the board at a past date."""

import re
from html import unescape
from types import SimpleNamespace

import pytest
from django.test import Client
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leaderboard.models import Board, BoardEvent, Feedback, Kind
from leaderboard.services.accounts import personal_team
from leaderboard.services.pictures.axis import axis_of
from leaderboard.services.publishing import disqualify
from leaderboard.services.publishing.publish import withdraw
from leaderboard.web.templatetags.drawings import interval
from tests.support.addresses import BOARD
from tests.support.examples import examples
from tests.support.factories import make_user
from tests.support.pages.table import names_in, ranks_in
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row, raise_revision

pytestmark = pytest.mark.usefixtures("demo")

HTMX = {"HX-Request": "true"}


@pytest.fixture
def board(demo):
    put_row(demo, "Alpha", 0.9, organisation="North", model_names=["m-1"], interaction="multi-turn")
    put_row(demo, "Beta", 0.8, organisation="South", model_names=["m-2"], open_weights=True)
    put_row(demo, "Gamma", 0.7, organisation="South", model_names=["m-1", "m-2"], reasoning="code")
    put_row(demo, "Null agent", 0.1, kind=Kind.BASELINE)
    return demo


def read_head(response) -> list[str]:
    head = unescape(response.content.decode()).split("<thead>")[1].split("</thead>")[0]
    cells = re.findall(r"<th [^>]*>(.*?)</th>", head, re.DOTALL)
    texts = (" ".join(re.sub(r"<[^>]+>", "", cell).split()) for cell in cells)
    return [text.strip(" ↓↑") for text in texts]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("q=ALPHA", ["Alpha"]),
        ("q=south", ["Beta", "Gamma"]),
        ("q=m-2", ["Beta", "Gamma"]),
        ("organisation=South", ["Beta", "Gamma"]),
        ("organisation=Sou", ["Alpha", "Beta", "Gamma", "Null agent"]),
        ("model=m-1", ["Alpha", "Gamma"]),
        ("interaction=multi-turn", ["Alpha"]),
        ("reasoning=code", ["Gamma"]),
        ("weights=open", ["Beta"]),
        ("source=baseline", ["Null agent"]),
        ("organisation=South&model=m-1", ["Gamma"]),
    ],
)
def test_each_filter_keeps_the_matching_rows(visitor, board, query, names):
    assert names_in(visitor.get(f"{BOARD}?{query}")) == names


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("organisation", ["Alpha", "Beta", "Gamma", "Null agent"]),
        ("-organisation", ["Beta", "Gamma", "Alpha", "Null agent"]),
        ("models", ["Alpha", "Gamma", "Beta", "Null agent"]),
        ("low", ["Gamma", "Beta", "Alpha", "Null agent"]),
        ("-system", ["Gamma", "Beta", "Alpha", "Null agent"]),
    ],
)
def test_text_columns_are_sorted_with_empty_values_last(visitor, board, sort, names):
    assert names_in(visitor.get(f"{BOARD}?sort={sort}")) == names


def test_a_row_without_the_figure_is_last_in_both_directions_and_never_ranked_first(visitor, demo):
    for name, figure in (("Has one", 0.2), ("Has none", None)):
        put_row(demo, name, figure, metrics={"coverage": figure})
    for key in ("score", "low", "coverage"):
        for sort in (key, f"-{key}"):
            assert names_in(visitor.get(f"{BOARD}?sort={sort}")) == ["Has one", "Has none"], sort
    assert ranks_in(visitor.get(BOARD)) == ["1", "–"]


def test_columns_are_chosen_in_the_address(visitor, board):
    assert read_head(visitor.get(BOARD))[:4] == ["Rank", "System", "Weights", "Success rate %"]
    assert {"Date", "Organisation"} <= set(read_head(visitor.get(BOARD))), "on wide screens"
    head = read_head(visitor.get(f"{BOARD}?columns=models,organisation,nonsense"))
    assert head == ["Rank", "System", "Success rate %", "Organisation", "Models"]
    assert read_head(visitor.get(f"{BOARD}?columns=none")) == ["Rank", "System", "Success rate %"]
    html = visitor.get(f"{BOARD}?columns=models").content.decode()
    assert '<input type="checkbox" name="columns" value="models" checked>' in html
    assert '<input type="checkbox" name="columns" value="date">' in html


def test_no_column_shows_what_the_feedback_level_hides(visitor, board):
    address = f"{BOARD}?columns=query_success_rate,groups,coverage,date"
    put_row(board, "Delta", 0.6, breakdowns={"task_type": {"task1": [1, 2]}})
    head = read_head(visitor.get(address))
    assert "Query %" in head
    assert "Task type" in head
    Board.objects.filter(pk=board.pk).update(feedback=Feedback.OVERALL)
    raise_revision(board)
    head = read_head(visitor.get(address))
    assert "Query %" not in head
    assert "Task type" not in head
    assert head[-1] == "Date"


@pytest.mark.parametrize(
    ("params", "canonical"),
    [
        ("q=&interaction=&weights=&columns=none&columns=interval&columns=counts", "?columns=interval,counts"),
        ("q=&sort=-score", ""),
        ("q=a&model=&columns=none", "?q=a&columns=none"),
        ("source=&q=b+c", "?q=b+c"),
    ],
)
def test_a_form_without_javascript_redirects_to_the_canonical_url(visitor, board, params, canonical):
    response = visitor.get(f"{BOARD}?{params}")
    assert (response.status_code, response["Location"]) == (302, BOARD + canonical)
    assert visitor.get(response["Location"]).status_code == 200


def test_the_columns_of_the_default_are_left_out_of_the_address(visitor, board):
    page = visitor.get(BOARD).content.decode()
    keys = re.findall(r'name="columns" value="(\w+)" checked', page)
    params = "&".join(f"columns={key}" for key in ["none", *keys])
    assert visitor.get(f"{BOARD}?q=&{params}")["Location"] == BOARD


def test_links_keep_the_query_and_go_back_to_the_first_page(visitor, board):
    content = unescape(visitor.get(f"{BOARD}?q=a&sort=system&page=9&nonsense=1").content.decode())
    assert f'href="{BOARD}?q=a&sort=-system"' in content
    assert f'href="{BOARD}?q=a&sort=-low"' in content
    assert f'href="{BOARD}?q=a"' in content.split("sort-score")[1][:200]


def test_htmx_gets_only_the_results_with_their_url_and_an_announcement(visitor, board):
    assert 'id="filters"' in visitor.get(f"{BOARD}?q=south").content.decode()
    response = visitor.get(f"{BOARD}?q=south&interaction=&columns=none&columns=date", headers=HTMX)
    content = response.content.decode()
    assert response.status_code == 200
    assert response["HX-Push-Url"] == f"{BOARD}?q=south&columns=date"
    assert content.lstrip().startswith('<div id="results"')
    assert "<html" not in content
    assert 'id="filters"' not in content
    assert re.search(r'id="announcement" hx-swap-oob="innerHTML">\s*2 systems match', content)
    assert "HX-Request" in response["Vary"]


def test_systems_that_were_rescored_here_can_be_picked_for_comparing(visitor, demo, three):
    put_row(demo, "Printed", 0.5)
    content = visitor.get(BOARD).content.decode()
    picks = re.findall(r'name="system" value="(\d+)" form="compare" aria-label="([^"]+)"', content)
    assert picks == [(str(three[name].system_id), f"Compare {name}") for name in "ABC"]
    assert re.search(
        rf'<form\s+id="compare"\s+class="compare"\s+method="get"\s+action="{BOARD}compare/"', content
    )


def test_the_finding_links_to_its_method(visitor, demo, three):
    content = visitor.get(BOARD).content.decode()
    assert f'href="{BOARD}about/#uncertainty">Methods' in content
    # The link comes before any row.
    assert content.index("Methods") < content.index("<tbody>")


def test_a_past_board_states_its_date_and_marks_removed_rows(visitor, demo, three, user):
    number = BoardEvent.objects.filter(board=demo).latest("number").number
    names_before = names_in(visitor.get(BOARD))
    withdraw(submission_id=three["A"].pk, team=personal_team(user), by=user, reason="A leak")
    staff = make_user("staff@example.org", is_staff=True)
    disqualify.disqualify(submission_id=three["B"].pk, by=staff, reason="Copied")
    assert names_in(visitor.get(BOARD)) == ["C"]
    past_response = visitor.get(f"{BOARD}?as_of={number}")
    text = text_of(past_response)
    assert names_in(past_response) == names_before == ["A", "B", "C"]
    assert ranks_in(past_response) == ["1", "2", "3"]
    assert f"(event {number})" in text
    assert "withdrawn since: A leak" in text
    assert "disqualified since: Copied" in text
    assert (
        f'<a class="today" href="{BOARD}">See the current leaderboard</a>' in past_response.content.decode()
    )
    # Filters and column heads keep the date.
    assert f'href="{BOARD}?as_of={number}&amp;sort=system"' in past_response.content.decode()
    assert f'name="as_of" value="{number}"' in past_response.content.decode()
    assert names_in(visitor.get(f"{BOARD}?as_of={number}&source=reported")) == []


@pytest.mark.parametrize("as_of", ["2999-01-01", "yesterday", "99999", "-1", "2026-13-45", "\x00"])
def test_a_moment_that_cannot_be_read_is_refused(visitor, board, as_of):
    response = visitor.get(BOARD, {"as_of": as_of})
    assert response.status_code == 400
    assert "Another day" not in text_of(response)
    assert "Another day" in text_of(visitor.get(BOARD))


def test_the_source_of_a_reported_row_is_linked_only_if_it_is_an_http_url(visitor, demo):
    put_row(demo, "Bad", 0.5, source_url="javascript:alert(1)")
    put_row(demo, "Good", 0.4, source_url="https://example.org/paper")
    content = visitor.get(BOARD).content.decode()
    assert "javascript:" not in content
    assert 'href="https://example.org/paper"' in content


NAMES = (
    "q",
    "source",
    "interaction",
    "weights",
    "model",
    "judge",
    "organisation",
    "columns",
    "sort",
    "page",
    "as_of",
    "compare",
)
anything = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=60)
likely = st.sampled_from(
    ["", "1", "0", "-1", "score", "-date", "none", "date,groups", "2026-01-01", "%", "_", "'"]
)


@given(params=st.lists(st.tuples(st.sampled_from(NAMES), anything | likely), max_size=8), htmx=st.booleans())
@example(params=[("page", "9" * 40), ("as_of", "9" * 40)], htmx=False)
@example(params=[("q", "İ" * 100), ("sort", "-\x00")], htmx=True)
@settings(max_examples=examples(60))
def test_no_query_string_breaks_the_page(board, params, htmx):
    from urllib.parse import urlencode

    response = Client().get(f"{BOARD}?{urlencode(params)}", headers=HTMX if htmx else {})
    # An `as_of` that names no moment is refused.
    assert response.status_code in (200, 302, 400)
    if response.status_code == 302:
        assert Client().get(response["Location"]).status_code in (200, 400)


def test_ticked_systems_are_kept_in_links_but_not_in_exports(visitor, demo, three):
    a, c = three["A"].system_id, three["C"].system_id
    content = unescape(visitor.get(f"{BOARD}?q=A&compare={c}&compare={a}&compare=x").content.decode())
    assert f'value="{a}" form="compare" aria-label="Compare A" autocomplete="off" checked>' in content
    assert "2 systems selected" in content
    assert f'href="{BOARD}?q=A&sort=system&compare={c}&compare={a}"' in content
    assert f'<a href="{BOARD}?compare={c}&compare={a}" data-keeps-ticks>Clear the filters' in content
    for system in (a, c):
        assert f'<input type="hidden" name="compare" value="{system}" form="filters">' in content
    assert f'href="{BOARD}board.csv?q=A"' in content


def test_systems_ticked_on_another_page_stay_chosen(visitor, demo, three, monkeypatch):
    monkeypatch.setattr("leaderboard.services.boards.sections.PAGE_SIZE", 2)
    system = three["A"].system_id
    content = visitor.get(f"{BOARD}?page=2&compare={system}").content.decode()
    assert f'<input type="hidden" name="system" value="{system}">' in content
    assert "Not on this page: A" in text_of(visitor.get(f"{BOARD}?page=2&compare={system}"))


def test_at_most_four_systems_of_the_board_are_ticked(visitor, demo, three):
    text = text_of(visitor.get(BOARD + "?" + "&".join(f"compare={n}" for n in range(900, 910))))
    assert "4 systems selected" in text
    assert "Not on this page" not in text


def test_one_ticked_system_prompts_for_another(visitor, demo, three):
    text = text_of(visitor.get(f"{BOARD}compare/?system={three['A'].system_id}"))
    assert "Choose one more to compare it with." in text


def test_filters_are_chips_that_keep_the_rest_of_the_query(visitor, board):
    content = unescape(visitor.get(f"{BOARD}?weights=open&model=m-2&sort=system").content.decode())
    chips = content.split('id="chips"')[1].split("</ul>")[0]
    found = re.findall(r'href="([^"]*)"\s+(aria-current="true")?\s+data-keeps-ticks>([^<]+)', chips)
    assert [
        (address.removeprefix(BOARD), bool(current), label.strip()) for address, current, label in found
    ] == [
        ("?sort=system", False, "All"),
        ("?model=m-2&sort=system", True, "Open weights"),
        ("?weights=open&interaction=multi-turn&model=m-2&sort=system", False, "Multi-turn"),
        ("?weights=open&sort=system", True, "Model: m-2"),
    ]


def test_an_unknown_value_is_named_with_the_nearest_and_not_applied(visitor, board):
    response = visitor.get(f"{BOARD}?weights=opne&organisation=Sou&sort=scroe&columns=modles")
    text = text_of(response)
    for value, nearest in (("weights=opne", "weights=open"), ("organisation=Sou", "organisation=South")):
        assert f"{value} is not a value of this leaderboard, so it was not applied." in text
        assert f"Did you mean {nearest}" in text
    assert "sort=scroe" in text
    assert "Did you mean columns=models" in text
    assert names_in(response) == ["Alpha", "Beta", "Gamma", "Null agent"]
    refused = visitor.get(f"{BOARD}board.csv?weights=opne")
    assert (refused.status_code, b"Did you mean weights=open?" in refused.content) == (400, True)


def test_a_baseline_does_not_count_as_a_system(visitor, board):
    assert "All 3" in text_of(visitor.get(BOARD))
    assert "0 of 3 systems" in text_of(visitor.get(f"{BOARD}?source=baseline"))
    assert "See all 3 systems" in text_of(visitor.get("/"))


@pytest.mark.parametrize(
    ("ends", "axis"),
    [
        ([], (0, 1)),
        ([(None, None)], (0, 1)),
        ([(0.412, 0.438), (0.55, 0.601)], (0.4, 0.65)),
        ([(0.023, 0.937)], (0, 1)),
        ([(0.5, 0.5)], (0.5, 0.55)),
        ([(0.0, 0.0)], (0, 0.05)),
        ([(1.0, 1.0)], (0.95, 1)),
        # Whole steps, but for the error of floating point.
        ([(0.15, 0.55)], (0.15, 0.55)),
        ([(0.29, 0.58)], (0.25, 0.6)),
        ([(0.1, 0.7)], (0.1, 0.7)),
    ],
)
def test_the_axis_of_intervals_is_fitted_to_the_rows_in_whole_steps(ends, axis):
    assert axis_of([make_row(Kind.RESCORED, *pair) for pair in ends]) == axis


def make_row(kind, low, high):
    return SimpleNamespace(kind=kind, low=low, high=high)


def test_weak_results_as_published_do_not_stretch_the_axis_and_strong_ones_do():
    best, strong = make_row(Kind.RESCORED, 0.87, 0.94), make_row(Kind.RESCORED, 0.81, 0.88)
    weak, first = make_row(Kind.REPORTED, 0.02, 0.07), make_row(Kind.REPORTED, 0.92, 0.97)
    assert axis_of([first, best, strong, weak]) == (0.8, 1)
    assert axis_of([best, weak]) == (0, 1)
    assert axis_of([weak]) == (0, 0.1)


@pytest.mark.parametrize(
    ("ends", "elements"),
    [
        ((0.6, 0.65, 0.7), {"span", "mark"}),
        ((0.5, 0.55, 0.9), {"span", "mark"}),
        # A floating-point error past the end of the axis is not beyond it.
        ((0.4999999999, 0.5, 0.9000000001), {"span", "mark"}),
        ((0.45, 0.52, 0.6), {"span", "mark", "M0"}),
        ((0.45, 0.48, 0.55), {"span", "M0"}),
        ((0.02, 0.04, 0.07), {"M0"}),
        ((0.92, 0.95, 0.97), {"M170"}),
        ((0.1, 0.7, 0.97), {"span", "mark", "M0", "M170"}),
    ],
)
def test_an_arrowhead_points_beyond_the_axis(ends, elements):
    svg = interval(*ends, 0.5, 0.9)
    parts = {name for name in ("span", "mark") if f'class="{name}"' in svg}
    assert parts | set(re.findall(r'class="beyond" d="(M\d+) ', svg)) == elements
    boxes = re.findall(r'x="([\d.]+)" y="\d" width="([\d.]+)"', svg)
    assert len(boxes) == 5 + len(parts), "five ticks, the bar and the mark"
    for x, width in boxes:
        assert float(x) + float(width) <= 171
