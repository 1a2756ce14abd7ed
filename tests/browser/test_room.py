"""Long names, narrow screens, zoom and paper: nothing is cut off, out of view or covered."""

import pytest

from leaderboard.models import Board
from tests.support.factories import make_published, make_user, with_wrong

BOARD = "/benchmarks/medagentbench-demo/"
# A computer and a phone, and a screen of 1280 x 1024 at 200% and at 400%, as WCAG 1.4.10 measures it.
SCREENS = ((1280, 844), (390, 844), (640, 512), (320, 256))
LONG = "Averyveryverylongname" * 5 + "withoutanyspace"


@pytest.fixture
def long_keys(board, good_file):
    """Fill a board with a long title and the longest names, organisations and models."""
    title = "A benchmark with a title that goes on and on, in three editions"
    Board.objects.filter(pk=board.pk).update(title=title)
    user = make_user()
    facts = {"organisation": "O" * 118, "models": [f"model-{n}-{'x' * 40}" for n in range(8)]}
    submissions = [
        make_published(user, board, good_file, system=LONG, **facts),
        make_published(user, board, with_wrong(good_file, 3), system="系統名稱" * 29),
        make_published(user, board, with_wrong(good_file, 6), system="Short"),
    ]
    return [submission.system_id for submission in submissions]


def test_long_names_make_no_page_wider_than_the_screen_nor_does_zoom(long_keys, open_page):
    query = "&".join(f"system={system}" for system in long_keys)
    views = [f"{BOARD}views/{name}/" for name in ("progress", "forest", "by-task-type", "approach-by-model")]
    pages = [
        "/",
        "/zh-hant/",
        BOARD,
        f"{BOARD}about/",
        *views,
        f"{BOARD}changes/",
        f"{BOARD}compare/?{query}",
    ]
    pages += [f"/systems/{long_keys[0]}/", f"/embed{BOARD.removeprefix('/benchmarks')}", "/submit/"]
    pages += ["/docs/submitters/", "/about/", "/accounts/signup/"]
    page, too_wide = open_page(), {}
    for path in pages:
        page.goto(path)
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            if (excess := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
                too_wide[path, width] = excess
    assert too_wide == {}
