"""Make the gallery of all pages: python -m tools.pictures.gallery [FOLDER]

Takes every picture into var/gallery, or FOLDER, and writes an index.html of them beside the pictures.
"""

import sys
from html import escape
from pathlib import Path

from tools.pictures.screenshots import GALLERY_FOLDER, VARIANTS, all_files, take
from tools.pictures.shots import DOWNLOADS, SHOTS, Shot

_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Wardboard: all pages</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem; }
img { border: 1px solid #999; max-width: 100%; vertical-align: top; }
</style>
<h1>All pages</h1>
<p>The systems are invented, and so are the reference answers that they were scored against. Rows marked as
published are real.</p>
"""


def index() -> str:
    """Return the HTML page that shows every picture under its caption."""
    downloads = "\n".join(_image(name, "") for name in DOWNLOADS)
    sections = "\n".join(_section(shot) for shot in SHOTS)
    return f"{_HEAD}{sections}\n<h2>Badge and cards for links</h2>\n{downloads}\n</html>\n"


def _section(shot: Shot) -> str:
    images = (
        _image(f"{shot.name}-{variant.suffix}", f"{variant.width}, {variant.scheme}, {variant.language}")
        for variant in VARIANTS
        if variant.includes(shot)
    )
    return "\n".join((f"<h2>{escape(shot.caption)}</h2>", *images))


def _image(name: str, variant: str) -> str:
    return f'<img src="{name}" alt="{variant or name}" title="{variant or name}" loading="lazy">'


def main() -> None:
    """Take all pictures and write their index."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else GALLERY_FOLDER
    take(all_files(), folder)
    path = folder / "index.html"
    path.write_text(index())
    print(path)


if __name__ == "__main__":
    main()
