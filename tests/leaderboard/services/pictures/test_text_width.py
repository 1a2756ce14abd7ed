"""Texts are cut to the room in a picture."""

import unicodedata

import pytest

from leaderboard.services.pictures.text_width import cut, width_of, wrap_lines


@pytest.mark.parametrize("text", ["a plain name", "W" * 40, "臨床代理人 " * 8, "e\u0301" * 40, "i" * 200])
@pytest.mark.parametrize("room", [0, 10, 55.5, 100, 400])
def test_a_text_is_cut_to_the_longest_that_fits(text, room):
    shortened = cut(text, 10, room)
    whole = " ".join(text.split())
    if width_of(whole, 10) <= room:
        assert shortened == whole
        return
    kept = shortened.removesuffix("…")
    assert whole.startswith(kept)
    assert not kept or width_of(shortened, 10) <= room
    more = whole[: len(kept) + 1].rstrip()
    more = more if more != kept else whole[: len(kept) + 2]
    assert width_of(f"{more}…", 10) > room


def test_cutting_a_text_takes_linear_time(monkeypatch):
    looked_at = []
    combining = unicodedata.combining
    monkeypatch.setattr(unicodedata, "combining", lambda c: looked_at.append(c) or combining(c))
    text = ", ".join(["x" * 120] * 20)
    wrap_lines(text, 30, 1072, 2)
    assert len(looked_at) < 5 * len(text)
