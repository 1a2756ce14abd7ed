"""Pictures have the fonts of the pages."""

from leaderboard.services.pictures.fonts import with_chinese


def test_chinese_in_a_text_has_a_chinese_font():
    svg = with_chinese('<svg><text aria-label="系">Agent 系統</text></svg>')
    assert '<text aria-label="系">Agent <tspan font-family="Noto Sans CJK TC' in svg
