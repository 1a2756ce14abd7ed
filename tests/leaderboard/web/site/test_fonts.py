"""The fonts that pages load."""

import re

from django.conf import settings

FOLDER = settings.BASE_DIR / "leaderboard" / "static" / "leaderboard" / "fonts"


def test_each_font_has_its_licence_beside_it():
    fonts = list(FOLDER.glob("*.*f*"))
    assert len(fonts) > 1
    for font in fonts:
        family = re.sub(r"-\d+$", "", font.stem)
        assert "SIL Open Font License" in (FOLDER / f"{family}-OFL.txt").read_text()
