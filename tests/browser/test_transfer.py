"""The bytes that a first page costs a reader: page, styles, scripts, fonts and pictures."""

import gzip

import pytest

from leaderboard.models import Board
from tests.support.factories import make_published, make_user, with_wrong

MOST_BYTES = 100_000
# As in wardboard.css, before our own font.
SYSTEM_FONTS = '"PingFang TC", "Noto Sans TC", "Noto Sans CJK TC", "Microsoft JhengHei", '


@pytest.fixture
def twenty_systems(board, good_file):
    # The front page shows boards that are not demonstrations.
    Board.objects.filter(pk=board.pk).update(is_demo=False)
    user = make_user()
    for n in range(20):
        make_published(user, board, with_wrong(good_file, n), system=f"System {n}", organisation=f"Team {n}")
    return board


@pytest.mark.parametrize("language", ["", "/zh-hant"])
@pytest.mark.parametrize("path", ["/", "/benchmarks/medagentbench-demo/"])
def test_the_first_page_transfers_less_than_100_kb_in_all_even_without_a_chinese_font_of_the_system(
    twenty_systems, open_page, language, path
):
    page = open_page()
    page.route("**/wardboard*.css", _without_system_fonts)
    sizes = _sizes_of(page, f"{language}{path}")
    assert any(url.endswith("inter.woff2") for url in sizes)
    assert any("noto-sans-tc-1" in url for url in sizes) == bool(language)
    assert sum(sizes.values()) < MOST_BYTES, sizes


def _without_system_fonts(route) -> None:
    response = route.fetch()
    assert response.text().count(SYSTEM_FONTS) == 1
    route.fulfill(response=response, body=response.text().replace(SYSTEM_FONTS, ""))


def _sizes_of(page, address: str) -> dict[str, int]:
    """Return the compressed size in bytes of each response that a page needs."""
    responses = []

    def note(response):
        responses.append(response)

    page.on("response", note)
    page.goto(address, wait_until="networkidle")
    # Chromium in a window lays out what is folded, too; its headless shell only when asked for a size.
    page.evaluate("document.querySelectorAll('details *').forEach((part) => part.offsetWidth)")
    page.wait_for_timeout(200)
    page.evaluate("document.fonts.ready")
    return {response.url: _size_compressed(response) for response in responses}


def _size_compressed(response) -> int:
    """Return the size of the body as a proxy would send it, who compresses all but fonts and pictures."""
    body = response.body()
    return min(len(body), len(gzip.compress(body, 6)))
