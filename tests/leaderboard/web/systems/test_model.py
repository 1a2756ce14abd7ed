"""The page of a model: every published result with it."""

from urllib.parse import quote

import pytest

from leaderboard.models import Kind
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row


def test_results_with_a_model_stand_by_leaderboard_with_their_harness_in_any_spelling(visitor, demo):
    put_row(demo, "Low", counts=(26, 50), model_names=["openai/gpt-4o"], harness="official")
    put_row(demo, "High", counts=(35, 50), model_names=["GPT-4o"], harness_name="careful-loop 2")
    put_row(demo, "Third", counts=(40, 50), model_names=["o3"])
    for spelling in ("GPT-4o", "openai/gpt-4o"):
        text = text_of(visitor.get(f"/models/{spelling}/"))
        for words in (
            "run from 52.0% to 70.0% (n = 2",
            "High as published",
            "careful-loop 2",
            "Official harness",
        ):
            assert words in text
        assert "Third" not in text
    system = visitor.get(
        visitor.get("/models/o3/").content.decode().split('class="name" href="')[1].split('"')[0]
    )
    assert 'href="/models/o3/"' in system.content.decode()


@pytest.mark.parametrize(
    "name", ["a/b//c", "x" * 200, "模型 ؟#?%", "\u202eevil\u202c", "<b>bold</b>", "…/.."]
)
def test_a_hostile_name_is_a_page_and_an_unknown_one_is_not_found(visitor, demo, name):
    assert visitor.get(f"/models/{quote(name)}/").status_code == 404
    put_row(demo, "System", counts=(40, 50), kind=Kind.REPORTED, model_names=[name])
    page = visitor.get(f"/models/{quote(name)}/")
    assert page.status_code == 200
    assert "<b>" not in page.content.decode()
    assert f"/models/{quote(name)}/" in visitor.get("/sitemap.xml").content.decode()
