"""Pictures have the fonts of the pages."""

import os
import subprocess
import sys

from leaderboard.services.pictures.fonts import with_chinese

# Print digests of the pictures of a Latin and of a Chinese text, without and with our fonts.
_DRAW = """
import hashlib, vl_convert
from leaderboard.services.pictures.render_limit import as_png
size = 'xmlns="http://www.w3.org/2000/svg" width="300" height="40"'
texts = ("Ward 95%", "臨床代理")
svgs = [f'<svg {size}><text y="30" font-family="Inter">{text}</text></svg>' for text in texts]
for draw in (vl_convert.svg_to_png, as_png):
    print(*(hashlib.sha256(draw(svg)).hexdigest() for svg in svgs))
"""


def test_a_machine_without_fonts_draws_in_ours(tmp_path):
    empty = tmp_path / "fonts.conf"
    empty.write_text(f"<fontconfig><dir>{tmp_path}</dir></fontconfig>")
    environment = {**os.environ, "FONTCONFIG_FILE": str(empty)}
    drawn = subprocess.run(
        [sys.executable, "-c", _DRAW], env=environment, check=True, capture_output=True, text=True
    ).stdout
    without, ours = (line.split() for line in drawn.splitlines())
    assert not set(without) & set(ours)
    # This machine may have other fonts, and Latin letters look the same.
    here = subprocess.run([sys.executable, "-c", _DRAW], check=True, capture_output=True, text=True).stdout
    assert here.splitlines()[1].split()[0] == ours[0]


def test_chinese_in_a_text_has_a_chinese_font():
    svg = with_chinese('<svg><text aria-label="系">Agent 系統</text></svg>')
    assert '<text aria-label="系">Agent <tspan font-family="Noto Sans CJK TC' in svg
