"""Take pictures of the pages: python -m tools.pictures.screenshots [--only NAME ...] [--into FOLDER]

Starts the service on a scratch database of invented systems and photographs the pages in a headless
Chromium (the variable CHROMIUM may name one). Needs the dev requirements and a
font with Chinese characters (Debian's package fonts-noto-cjk).

Without options it takes the ten pictures that README.md shows, into docs/img; with --all or --only it
takes all pictures, or those of some pages, into var/gallery. A file is named after its page and width,
with `-dark` for the dark scheme and `-zh` for Traditional Chinese. --exact keeps every colour, for
`python -m tools.pictures.compare`.
"""

import argparse
import io
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize

from tools.pictures.scratch_service import ROOT, service_and_browser, sign_in
from tools.pictures.shots import DOWNLOADS, README, SHOTS, Shot

README_FOLDER = ROOT / "docs" / "img"
GALLERY_FOLDER = ROOT / "var" / "gallery"
HEIGHTS = {1280: 850, 390: 844}
_MOST_COLOURS = 96


@dataclass(frozen=True, slots=True)
class Variant:
    """Name one way to look at a page: width in CSS pixels, colour scheme, language."""

    width: int
    scheme: Literal["light", "dark"]
    language: Literal["en", "zh"]

    @property
    def suffix(self) -> str:
        dark = "-dark" if self.scheme == "dark" else ""
        chinese = "-zh" if self.language == "zh" else ""
        return f"{self.width}{dark}{chinese}.png"

    def includes(self, shot: Shot) -> bool:
        return shot.in_every_variant or (self.scheme == "light" and self.language == "en")


_SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_LANGUAGES: tuple[Literal["en", "zh"], ...] = ("en", "zh")
VARIANTS = tuple(Variant(*each) for each in product(HEIGHTS, _SCHEMES, _LANGUAGES))


def all_files(names: Sequence[str] = ()) -> list[str]:
    """Return the file names of all pictures, or of those of the pages in `names`."""
    pictures = [
        f"{shot.name}-{variant.suffix}"
        for shot in SHOTS
        for variant in VARIANTS
        if variant.includes(shot) and (not names or shot.name in names)
    ]
    return pictures + ([] if names else list(DOWNLOADS))


def take(files: Sequence[str], folder: Path, *, full_page: bool = False, exact: bool = False) -> None:
    """Take the pictures named by `files` into `folder`, and print their names."""
    _check_fonts()
    folder.mkdir(parents=True, exist_ok=True)
    with service_and_browser() as (address, keys, browser):
        for name, raw in _downloads(files, browser, address, keys):
            (folder / name).write_bytes(raw)
        for variant in VARIANTS:
            shots = [shot for shot in SHOTS if f"{shot.name}-{variant.suffix}" in files]
            for name, raw in _photographs(browser, address, keys, shots, variant, full_page=full_page):
                (folder / name).write_bytes(raw if exact else _reduce_colours(raw))
                print(name, flush=True)


def _check_fonts() -> None:
    """Raise RuntimeError where Chinese names would be drawn as empty boxes."""
    command = shutil.which("fc-list")
    if command and not subprocess.run([command, ":lang=zh-tw"], capture_output=True, check=True).stdout:  # noqa: S603 - our own command
        raise RuntimeError("no font has Chinese characters: install Debian's package fonts-noto-cjk")


def _photographs(
    browser: Browser,
    address: str,
    keys: dict[str, str],
    shots: Sequence[Shot],
    variant: Variant,
    *,
    full_page: bool,
) -> Iterator[tuple[str, bytes]]:
    prefix = "/zh-hant" if variant.language == "zh" else ""
    size = ViewportSize(width=variant.width, height=HEIGHTS[variant.width])
    context = browser.new_context(viewport=size, color_scheme=variant.scheme, reduced_motion="reduce")
    page = context.new_page()
    account = ""
    for shot in shots:
        if shot.account not in ("", account):
            context.clear_cookies()
            sign_in(page, address, shot.account)
            account = shot.account
        page.set_viewport_size(size)
        response = page.goto(address + prefix + shot.path.format(**keys))
        if response is None or response.status >= 500:
            raise RuntimeError(f"{shot.path} failed")
        shot.prepare(page)
        _wait_for_images(page, beyond_screen=full_page)
        raw = page.screenshot(animations="disabled", full_page=full_page)
        yield f"{shot.name}-{variant.suffix}", raw
    context.close()


def _wait_for_images(page: Page, *, beyond_screen: bool) -> None:
    # An image further down loads only when the page is scrolled to it.
    page.evaluate(
        """all => {
            const wanted = [...document.images]
                .filter(image => all || image.getBoundingClientRect().top < innerHeight);
            wanted.forEach(image => { image.loading = 'eager'; });
            return Promise.all(wanted.map(image => image.decode().catch(() => 0)));
        }""",
        beyond_screen,
    )


def _reduce_colours(raw: bytes) -> bytes:
    """Return a smaller PNG with as many colours as a page needs to look the same."""
    picture = Image.open(io.BytesIO(raw)).convert("RGB")
    reduced = picture.quantize(_MOST_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    reduced.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _downloads(
    files: Sequence[str], browser: Browser, address: str, keys: dict[str, str]
) -> Iterator[tuple[str, bytes]]:
    context = browser.new_context()
    for name, path in DOWNLOADS.items():
        if name in files:
            yield name, context.request.get(address + path.format(**keys)).body()
    context.close()


def main() -> None:
    """Take the pictures that the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="all pictures, into var/gallery")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=(), help="the pictures of these pages")
    parser.add_argument("--into", type=Path, help="another folder")
    parser.add_argument("--full", action="store_true", help="whole pages, however long")
    parser.add_argument("--exact", action="store_true", help="keep every colour (larger files)")
    options = parser.parse_args()
    of_readme = not (options.all or options.only)
    files = README if of_readme else all_files(options.only)
    folder = options.into or (README_FOLDER if of_readme else GALLERY_FOLDER)
    take(files, folder, full_page=options.full, exact=options.exact)


if __name__ == "__main__":
    main()
