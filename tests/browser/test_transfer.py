"""The bytes that a first page costs a reader: page, styles, scripts, fonts and pictures."""

import gzip

import pytest

from leaderboard.models import Benchmark
from tests.support.factories import make_published, make_user, with_wrong

# A Chinese page also has the characters of its texts.
MOST_BYTES = {"": 100_000, "/zh-hant": 130_000}


@pytest.fixture
def twenty_systems(board, good_file):
    # The front page shows boards that are not demonstrations.
    Benchmark.objects.filter(pk=board.pk).update(is_demo=False)
    user = make_user()
    for n in range(20):
        make_published(user, board, with_wrong(good_file, n), system=f"System {n}", organisation=f"Team {n}")
    return board


@pytest.mark.parametrize("language", MOST_BYTES)
@pytest.mark.parametrize("path", ["/", "/benchmarks/medagentbench-demo/"])
def test_the_first_page_transfers_less_than_100_kb_in_all_and_130_in_chinese(
    twenty_systems, open_page, language, path
):
    page = open_page()
    responses = []

    def note(response):
        responses.append(response)

    page.on("response", note)
    page.goto(f"{language}{path}", wait_until="networkidle")
    page.evaluate("document.fonts.ready")
    sizes = {response.url: _size_compressed(response) for response in responses}
    assert any(url.endswith("inter.woff2") for url in sizes)
    assert sum(sizes.values()) < MOST_BYTES[language], sizes


def _size_compressed(response) -> int:
    """Return the size of the body as a proxy would send it, who compresses all but fonts and pictures."""
    body = response.body()
    return min(len(body), len(gzip.compress(body, 6)))
