"""How much of the ranking is on the first screen, measured in Chromium, on both benchmarks."""

import pytest

from leaderboard.models import Board
from leaderboard.services.statistics.compute import compute_statistics
from tests.support import factories
from tests.support.rows import put_row

SCREENS = ((1280, 800), (390, 844))
_MEASURE = """() => {
    const trs = [...document.querySelectorAll("#table tbody tr:not(.divider)")];
    const rows = trs.map((row) => row.getBoundingClientRect());
    return {
        first: rows[0].top,
        inSight: rows.filter((row) => row.bottom <= innerHeight).length,
        height: rows[1].height,
        excess: document.documentElement.scrollWidth - innerWidth,
    };
}"""


@pytest.fixture
def boards(board, user, good_file):
    """Return the addresses of two leaderboards with 12 rows.

    MedAgentBench has verified systems, whose statistics are known, and FHIR-AgentBench results as published.
    The sentence above the ranking names two systems with long names.
    """
    name = "System {} with a rather long name, second generation"
    for number in range(12):
        raw = factories.with_wrong(good_file, 1 + 3 * number)
        factories.make_published(user, board, raw, system=name.format(number))
    compute_statistics(board_id=board.pk)
    other = Board.objects.create(
        slug="fhir-agentbench",
        benchmark="fhir-agentbench",
        version="1",
        title="FHIR-AgentBench",
        question="Q?",
    )
    for number in range(12):
        put_row(other, name.format(number), 0.9 - number / 100)
    return [f"/benchmarks/{each.slug}/" for each in (board, other)]


@pytest.mark.parametrize("screen", SCREENS)
def test_nine_rows_are_in_sight_and_eight_on_a_phone_below_a_short_head(boards, open_page, screen):
    width, height = screen
    page = open_page(viewport={"width": width, "height": height})
    for address in (*boards, *(f"/zh-hant{board}" for board in boards)):
        page.goto(address)
        found = page.evaluate(_MEASURE)
        # On a phone, the sentence that a tie is no equality takes one more line.
        assert found["first"] <= (300 if width > 600 else 330), (address, found)
        assert found["inSight"] >= (9 if width > 600 else 8), (address, found)
        assert found["height"] <= (45 if width > 600 else 57), (address, found)
        assert found["excess"] == 0


@pytest.mark.parametrize("screen", SCREENS)
def test_a_filter_leaves_the_first_row_where_it_is_and_shows_what_it_found(boards, open_page, screen):
    width, height = screen
    page = open_page(viewport={"width": width, "height": height})
    for address in (*boards, *(f"/zh-hant{board}" for board in boards)):
        page.goto(address)
        before = page.locator("#table tbody tr:not(.divider)").first.bounding_box()["y"]
        finding = page.locator("#finding").bounding_box()["height"]
        assert not page.locator("#found a").count()
        page.get_by_role("searchbox").fill("System")
        page.wait_for_url("**?q=System")
        link = page.locator("#found a")
        link.wait_for()
        # The sentence above the filters may take more or fewer lines.
        moved = page.locator("#finding").bounding_box()["height"] - finding
        after = page.locator("#table tbody tr:not(.divider)").first.bounding_box()["y"]
        assert abs(after - before - moved) <= 1, (address, before, after, moved)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        link.scroll_into_view_if_needed()
        link.click()
        page.wait_for_url(f"**{address}")
        assert page.locator("#found a").count() == 0


@pytest.fixture
def two(board, user, good_file):
    """Publish the systems A and B."""
    return [
        factories.make_published(user, board, factories.with_wrong(good_file, wrong), system=name)
        for wrong, name in enumerate("AB", 1)
    ]


@pytest.mark.parametrize("has_script", [True, False])
def test_comparing_is_within_five_tab_stops_of_a_ticked_row(board, two, open_page, has_script):
    page = open_page(java_script_enabled=has_script)
    page.goto(f"/benchmarks/{board.slug}/")
    for name in "AB":
        page.get_by_role("checkbox", name=f"Compare {name}", exact=True).check()
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.form?.id") == "compare":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/?system=**")
    assert page.get_by_role("heading", name="A and B cannot be distinguished").is_visible()
