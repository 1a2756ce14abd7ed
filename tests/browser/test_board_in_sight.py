"""How much of the ranking is on the first screen, measured in Chromium, on both benchmarks."""

import pytest

from leaderboard.models import Board, Standing
from leaderboard.services.publishing.import_references import load_reported
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


# A word has a letter or a digit. The second figure is of the heads that are in sight.
_READ = """() => {
    const nodes = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let words = 0;
    while (nodes.nextNode()) {
        const { data, parentElement } = nodes.currentNode;
        if (!parentElement.checkVisibility() || parentElement.closest(".visually-hidden")) continue;
        for (const { 0: word, index } of data.matchAll(/\\S*[\\p{L}\\p{N}]\\S*/gu)) {
            range.setStart(nodes.currentNode, index);
            range.setEnd(nodes.currentNode, index + word.length);
            const { top, bottom, width } = range.getBoundingClientRect();
            words += width > 0 && bottom > 0 && top < innerHeight;
        }
    }
    const heads = [...document.querySelectorAll("#table thead th")];
    return { words, heads: heads.filter((head) => head.checkVisibility()).length };
}"""


def test_forty_systems_take_few_words_and_wide_screens_have_more_columns(db, open_page):
    board = Board.objects.create(
        slug="medagentbench-300",
        benchmark="medagentbench",
        version="v2",
        title="MedAgentBench",
        question="Q?",
    )
    load_reported(board=board)
    page = open_page()
    heads = {}
    for width, height, most, rows in ((1280, 800, 192, 11), (390, 844, 192, 9), (1400, 900, 320, 12)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"/benchmarks/{board.slug}/")
        read = page.evaluate(_READ)
        assert read["words"] <= most, (width, read)
        assert page.evaluate(_MEASURE)["inSight"] >= rows, (width, page.evaluate(_MEASURE))
        heads[width] = read["heads"]
    assert heads[1400] >= heads[1280] + 5


def test_at_320_pixels_names_are_whole_and_chips_are_dots_with_a_text(boards, open_page):
    page = open_page(viewport={"width": 320, "height": 700})
    page.goto(boards[0])
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    name = page.locator("#table a.name").first
    assert name.evaluate("each => each.scrollWidth <= each.clientWidth")
    chip = page.locator("#table .line > .pill").first
    assert chip.bounding_box()["width"] < 12
    assert chip.text_content() == "tied"


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


def test_the_head_stays_in_view_while_the_page_scrolls(boards, open_page):
    page = open_page(viewport={"width": 1280, "height": 500})
    page.goto(boards[0])
    page.evaluate("scrollTo(0, 400)")
    assert page.locator("#table thead th").first.bounding_box()["y"] == 0


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


def test_a_menu_closes_on_escape_and_on_a_click_beside_it(board, two, open_page):
    page = open_page()
    page.goto(f"/benchmarks/{board.slug}/")
    menu = page.locator("#sharing > summary")
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.locator("h1").click()):
        menu.click()
        assert page.get_by_label("Permalink to this version of the table").is_visible()
        close()
        assert not page.get_by_label("Permalink to this version of the table").is_visible()


def test_own_rows_are_marked_for_their_team_alone_and_an_address_leads_to_one(board, two, open_page, sign_in):
    page = open_page()
    address = f"/benchmarks/{board.slug}/#system-{two[1].system_id}"
    page.goto(address)
    assert page.locator(".pill", has_text="yours").count() == 0
    sign_in(page)
    page.goto(address)
    assert page.locator("tr.own").count() == 2
    assert page.locator("tr:target .name").inner_text() == "B"


_IS_COVERED = """() => {
    const { x, y, width, height } = document.activeElement.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return !top || !(document.activeElement.contains(top) || top.contains(document.activeElement));
}"""


def test_no_link_of_the_table_is_below_its_heads_for_who_goes_back_by_keyboard(boards, open_page):
    page = open_page()
    address = f"{boards[1]}?columns=interval,precision,recall,f1,date,models,judge"
    page.goto(address)
    names = page.locator("tbody a.name")
    # By the height of the screen, another name is at the edge when the focus comes to it.
    for height in range(300, 400, 12):
        page.set_viewport_size({"width": 1280, "height": height})
        names.last.focus()
        for number in reversed(range(names.count())):
            assert page.evaluate("document.activeElement.textContent") == names.nth(number).text_content()
            assert not page.evaluate(_IS_COVERED), (height, number)
            page.keyboard.press("Shift+Tab")
            while number and page.evaluate("!document.activeElement.matches('tbody a.name')"):
                page.keyboard.press("Shift+Tab")


@pytest.mark.parametrize("prefix", ["", "/zh-hant"])
def test_a_system_is_one_screen(boards, open_page, prefix):
    # The one in the middle: others are better and worse.
    system = Standing.objects.filter(board__slug="medagentbench-demo").best_first()[5].system_id
    page = open_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{prefix}/systems/{system}/")
    last = page.locator(".by-group").first.locator("tbody tr").last.bounding_box()
    assert last["y"] + last["height"] <= 800
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto(f"{prefix}/systems/{system}/")
    sentence = page.locator(".card .finding").bounding_box()
    assert sentence["y"] + sentence["height"] <= 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
