"""Make the fonts of the pages: python -m tools.fonts

Inter for all pages, and Noto Sans TC for the Chinese ones, from two packages of npm whose digests are pinned
below. Each is cut to the characters that pages need:

- Inter to Latin-1 and some marks, and to the weights 400 to 700, as one variable font;
- Noto Sans TC, weight 400, to the characters of our translations and documents, for readers whose system has
  no Chinese font. It is in four parts: the characters that a leaderboard shows when it opens, whatever its
  rows; those of the front page and of closed menus; those on other pages about leaderboards; and the rest.
  A browser loads a part only for a page that shows a character from it, and makes bold characters from it.

The engine that draws pictures on the server reads TrueType files of one weight. For it there are Inter in 400
and 700, and all characters of the four parts in one file.

Writes the fonts, their licences and noto-sans-tc.css into leaderboard/static/leaderboard/fonts/. Needs npm,
and installs fonttools into a temporary environment. Run it after Chinese texts on the first pages have
changed: until then, characters that are new there are in a font of the system.
"""

import base64
import gettext
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterable, Sequence
from pathlib import Path

from babel.messages.pofile import read_po
from playwright.sync_api import Browser

from tools.pictures.scratch_service import ROOT, service_and_browser

FOLDER = ROOT / "leaderboard" / "static" / "leaderboard" / "fonts"
_TOOLS = ("fonttools==4.68.0", "brotli==1.2.1")
_INTER = (
    "@fontsource-variable/inter@5.3.0",
    "OupL48va4JNofb97w6NYeF9S7W/kHNKM0Er8Dem5nqi4jeOLrVJDoE8tZEpnMJmtkvNbB1EIPPwHcdkF6b1oUA==",
)
_NOTO = (
    "@expo-google-fonts/noto-sans-tc@0.4.3",
    "69XAOTLPz0WlAxL6qJEKlDMxHsBd4J1M39HjV0gPF2o1xWVALOsVWvDgistnecVockA9wbU/tH5C/gyS2PdnHg==",
)
# Figures of one width are for digits: Inter widens hyphens and brackets with them, which tears names apart.
_DIGITS_ONLY = """
import sys
from fontTools.ttLib import TTFont
font = TTFont(sys.argv[1])
table = font["GSUB"].table
digits = {font.getBestCmap()[ord(digit)] for digit in "0123456789"}
for record in table.FeatureList.FeatureRecord:
    if record.FeatureTag == "tnum":
        for index in record.Feature.LookupListIndex:
            for subtable in table.LookupList.Lookup[index].SubTable:
                subtable = getattr(subtable, "ExtSubTable", subtable)
                subtable.mapping = {old: new for old, new in subtable.mapping.items() if old in digits}
font.save(sys.argv[1])
"""
# Units per em: coordinates of a quarter of the precision take a fifth fewer bytes, and are still exact to a
# tenth of a pixel in text of 32 pixels.
_SMALLER = """
import sys
from fontTools.ttLib import TTFont
from fontTools.ttLib.scaleUpem import scale_upem
font = TTFont(sys.argv[1])
scale_upem(font, 320)
font.flavor = "woff2" if sys.argv[2].endswith("woff2") else None
font.save(sys.argv[2])
"""
_ONE_WEIGHT = """
import sys
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
font = instantiateVariableFont(TTFont(sys.argv[1]), {"wght": int(sys.argv[2])}, updateFontNames=True)
font.flavor = None
font.save(sys.argv[3])
"""
_LATIN = "U+20-7E,U+A0-FF,U+2009,U+2013-2014,U+2018-2019,U+201C-201D,U+2022,U+2026,U+202F,U+2190-2193,U+2212"
_BOARDS = ("benchmarks/medagentbench-300/", "benchmarks/fhir-agentbench/", "benchmarks/medagentbench-demo/")
# What these may say depends on the rows, and the invented systems do not bring all of it up.
_RARE_TEXTS = (
    "web/boards/summary.py",
    "web/boards/tables.py",
    "boards/partials/results.html",
    "boards/partials/legend.html",
)
_PLACEHOLDERS = "[...document.querySelectorAll('[placeholder]')].map((field) => field.placeholder)"
_BOARD_PAGES = tuple(
    f"benchmarks/medagentbench-300/{page}"
    for page in ("about/", "changes/", "compare/", "views/progress/", "views/forest/", "views/by-task-type/")
)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        _run(folder / "venv/bin/pip", "install", "--quiet", *_TOOLS)
        FOLDER.mkdir(exist_ok=True)
        _make_inter(_unpack(_INTER, folder), folder)
        _make_noto(_unpack(_NOTO, folder), folder)
    for path in sorted(FOLDER.iterdir()):
        print(f"{path.stat().st_size:8,} {path.relative_to(ROOT)}")


def _make_inter(package: Path, folder: Path) -> None:
    cut, fewer_weights = folder / "inter.ttf", folder / "inter-400-700.ttf"
    source = package / "files" / "inter-latin-wght-normal.woff2"
    _subset(folder, source, cut, "--layout-features=kern,tnum,ccmp", f"--unicodes={_LATIN}")
    _run(folder / "venv/bin/python", "-c", _DIGITS_ONLY, cut)
    _run(folder / "venv/bin/fonttools", "varLib.instancer", "-q", cut, "wght=400:700", "-o", fewer_weights)
    _run(
        folder / "venv/bin/fonttools", "ttLib.woff2", "compress", "-o", FOLDER / "inter.woff2", fewer_weights
    )
    for weight in ("400", "700"):
        to = FOLDER / f"inter-{weight}.ttf"
        _run(folder / "venv/bin/python", "-c", _ONE_WEIGHT, fewer_weights, weight, to)
    shutil.copy(package / "LICENSE", FOLDER / "inter-OFL.txt")


def _make_noto(package: Path, folder: Path) -> None:
    source = package / "400Regular" / "NotoSansTC_400Regular.ttf"
    rules = ["/* Made by tools/fonts.py. */"]
    parts = _parts()
    _cut_noto(source, set().union(*parts), "noto-sans-tc.ttf", folder)
    for place, characters in enumerate(parts, start=1):
        name = f"noto-sans-tc-{place}.woff2"
        ranges = _cut_noto(source, characters, name, folder)
        rules.append(
            f'@font-face {{ font-family: "Noto Sans TC Pages"; font-weight: 400; font-display: swap; '
            f'src: url("{name}") format("woff2"); unicode-range: {ranges}; }}'
        )
    (FOLDER / "noto-sans-tc.css").write_text("\n".join(rules) + "\n")
    shutil.copy(package / "LICENSE_FONT", FOLDER / "noto-sans-tc-OFL.txt")


def _cut_noto(source: Path, characters: set[str], name: str, folder: Path) -> str:
    """Write the font `name` with these characters, and return them as a Unicode range of CSS."""
    ranges, cut = _ranges(characters), folder / "cut.ttf"
    _subset(folder, source, cut, "--layout-features=", f"--unicodes={ranges}")
    _run(folder / "venv/bin/python", "-c", _SMALLER, cut, FOLDER / name)
    return ranges


def _parts() -> list[set[str]]:
    """Return the Chinese characters of our texts in four parts, by the pages that show them."""
    rest = _chinese("".join([*_translations(), *_documents()]))
    parts = []
    with service_and_browser() as (address, _, browser):
        pages = f"{address}/zh-hant"
        shown = "".join(_shown_at_first(browser, f"{pages}/{page}") for page in _BOARDS)
        first = "".join(_source(browser, f"{pages}/{page}") for page in ("", *_BOARDS))
        others = "".join(_source(browser, f"{pages}/{page}") for page in _BOARD_PAGES)
        for text, sources in ((shown, ()), (first, _RARE_TEXTS), (others, ())):
            parts.append(rest & _chinese(text + "".join(_translations_in(sources))))
            rest -= parts[-1]
    return [*parts, rest]


def _shown_at_first(browser: Browser, url: str) -> str:
    """Return the text that a page shows before anything is opened, on a wide and a narrow screen."""
    text = ""
    for width in (1280, 390):
        page = browser.new_page(viewport={"width": width, "height": 850})
        page.goto(url)
        text += page.inner_text("body") + str(page.evaluate(_PLACEHOLDERS))
        page.close()
    return text


def _source(browser: Browser, url: str) -> str:
    page = browser.new_page()
    page.goto(url)
    html = page.content()
    page.close()
    return html


def _translations() -> Iterable[str]:
    for path in sorted(ROOT.glob("*/**/locale/zh_Hant/LC_MESSAGES/django.mo")):
        if ".venv" not in path.parts:
            with path.open("rb") as file:
                # The only way to all texts of a catalogue.
                yield from gettext.GNUTranslations(file)._catalog.values()  # type: ignore[attr-defined]


def _documents() -> Iterable[str]:
    for path in (*ROOT.glob("docs/zh_Hant/*.md"), *ROOT.glob("scoring/*/guide/zh_Hant.md")):
        yield path.read_text()


def _translations_in(sources: Sequence[str]) -> Iterable[str]:
    """Yield the translations of the texts in these files, each named by the end of its path."""
    with (ROOT / "leaderboard/locale/zh_Hant/LC_MESSAGES/django.po").open("rb") as file:
        for message in read_po(file):
            if any(place.endswith(source) for place, _ in message.locations for source in sources):
                yield from [message.string] if isinstance(message.string, str) else message.string or []


def _chinese(text: str) -> set[str]:
    """Return the Chinese characters and full-width marks of a text."""
    return {
        character
        for character in text
        if "\u3000" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"
    }


def _ranges(characters: Iterable[str]) -> str:
    return ",".join(f"U+{ord(character):X}" for character in sorted(characters))


def _subset(folder: Path, source: Path, to: Path, *options: str) -> None:
    program = folder / "venv/bin/pyftsubset"
    _run(
        program,
        source,
        f"--output-file={to}",
        "--no-hinting",
        "--desubroutinize",
        "--notdef-outline",
        *options,
    )


def _unpack(package: tuple[str, str], folder: Path) -> Path:
    """Download a package from npm and return its folder. Exits if it is not the one that is pinned."""
    name, digest = package
    answer = _run("npm", "pack", "--json", "--pack-destination", folder, name)
    archive: Path = folder / json.loads(answer)[0]["filename"]
    if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != digest:
        sys.exit(f"{name} is not the package that was pinned")
    to = archive.with_suffix("")
    with tarfile.open(archive) as files:
        files.extractall(to, filter="data")
    return to / "package"


def _run(*words: str | Path) -> str:
    command: Sequence[str] = [str(word) for word in words]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own command
    return run.stdout


if __name__ == "__main__":
    main()
