"""The fonts that pages load."""

import gettext
import re

from django.conf import settings

FOLDER = settings.BASE_DIR / "leaderboard" / "static" / "leaderboard" / "fonts"


def test_the_font_for_chinese_pages_has_nearly_all_of_their_characters():
    css = (FOLDER / "noto-sans-tc.css").read_text()
    known = {chr(int(code, 16)) for code in re.findall(r"U\+([0-9A-F]+)", css)}
    with (settings.BASE_DIR / "leaderboard/locale/zh_Hant/LC_MESSAGES/django.mo").open("rb") as file:
        text = "".join(gettext.GNUTranslations(file)._catalog.values())
    documents = (
        *settings.BASE_DIR.glob("docs/zh_Hant/*.md"),
        *settings.BASE_DIR.glob("scoring/*/guide/zh_Hant.md"),
    )
    assert len(documents) > 4
    text += "".join(document.read_text() for document in documents)
    shown = [character for character in text if "\u4e00" <= character <= "\u9fff"]
    missing = [character for character in shown if character not in known]
    # Those of later texts are in a font of the system until `python -m tools.fonts` runs again.
    assert len(missing) < 0.01 * len(shown), sorted(set(missing))
    # Each character is in one part alone: a page loads no part twice over.
    assert len(known) == len(re.findall(r"U\+", css))


def test_each_font_has_its_licence_beside_it():
    fonts = list(FOLDER.glob("*.*f*"))
    assert len(fonts) > 1
    for font in fonts:
        benchmark = re.sub(r"-\d+$", "", font.stem)
        assert "SIL Open Font License" in (FOLDER / f"{benchmark}-OFL.txt").read_text()
