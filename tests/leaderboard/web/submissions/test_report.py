"""Reports on a file for people."""

from leaderboard.web.templatetags.figures import ticked


def test_ticks_become_code_and_markup_in_a_message_stays_text():
    assert ticked("`a` is <script>`<b>`") == "<code>a</code> is &lt;script&gt;<code>&lt;b&gt;</code>"
