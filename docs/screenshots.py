"""Takes the pictures in docs/img: python -m docs.screenshots [--only NAME ...] [--into FOLDER] [--full]

Starts the service on a scratch database with invented systems (invented_systems.py), and photographs each
page in a headless Chromium (CHROMIUM names another than /usr/bin/chromium). Needs the dev extras. A picture
is named after its page, the width, and what is not the rule: `-dark`, `-zh` (Traditional Chinese).
"""

import argparse
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from docs.scratch_service import ROOT, service, service_and_browser, sign_in

__all__ = ["service"]

PICTURES = ROOT / "docs" / "img"
WIDTHS = {1280: 850, 390: 844}
DEMO = ROOT / "scoring" / "medagentbench" / "demo"
_MOST_COLOURS = 96
_BOARD, _FHIR = "/benchmarks/medagentbench-300/", "/benchmarks/fhir-agentbench/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A picture. path: with {keys} of what `fill` returned. act: what is done on the page first. is_own: of
    somebody signed in. in_all: in both schemes and both languages, else light and in English."""

    name: str
    path: str
    act: Callable[[Page], object] | None = None
    is_own: bool = False
    in_all: bool = False


def _to(selector: str) -> Callable[[Page], object]:
    return lambda page: page.evaluate("s => document.querySelector(s).scrollIntoView()", selector)


def _check(page: Page) -> None:
    page.locator("input[type=file]").set_input_files(DEMO / "malformed.json")
    page.locator(".report.problems").wait_for()


def _submit_with_problems(page: Page) -> None:
    page.locator("input[type=file]").set_input_files(DEMO / "malformed.json")
    page.locator("#id_code_url").fill("github.com/example")
    page.locator("main form button[type=submit]").click()
    page.locator(".errorlist").first.wait_for()


def _make_token(page: Page) -> None:
    page.locator("#id_name").fill("nightly CI")
    page.locator("main form.stack button[type=submit]").click()
    page.locator("#token").wait_for()


def _framed(page: Page) -> None:
    """The board as another site shows it, and a badge."""
    page.set_viewport_size({"width": page.viewport_size["width"], "height": 520})


SHOTS = (
    Shot(name="front", path="/", in_all=True),
    Shot(name="board", path=_BOARD, in_all=True),
    Shot(name="board-table", path=_BOARD, act=_to(".filters"), in_all=True),
    Shot(name="board-past", path=_BOARD + "?as_of=2026-06-20", in_all=True),
    Shot(name="system", path="/systems/{system}/", in_all=True),
    Shot(name="compare", path=_BOARD + "compare/?{compared}", in_all=True),
    Shot(name="about", path=_BOARD + "about/#uncertainty", in_all=True),
    Shot(name="changes", path=_BOARD + "changes/", in_all=True),
    Shot(name="view-progress", path=_BOARD + "views/progress/", in_all=True),
    Shot(name="view-forest", path=_BOARD + "views/forest/", in_all=True),
    Shot(name="view-by-task-type", path=_BOARD + "views/by-task-type/", in_all=True),
    Shot(name="view-precision-recall", path=_FHIR + "views/precision-recall/", in_all=True),
    Shot(name="not-found", path="/nothing-here/", in_all=True),
    Shot(name="empty", path="/benchmarks/empty/", in_all=True),
    Shot(name="embed", path="/embed/medagentbench-300/", act=_framed, in_all=True),
    Shot(name="fhir-board", path=_FHIR),
    Shot(name="view-approach-by-model", path=_FHIR + "views/approach-by-model/"),
    Shot(name="view-by-resource-type", path=_FHIR + "views/by-resource-type/"),
    Shot(name="view-by-precision-bucket", path=_FHIR + "views/by-precision-bucket/"),
    Shot(name="view-by-true-resources", path=_FHIR + "views/by-true-resources/"),
    Shot(name="view-distribution", path=_FHIR + "views/distribution/"),
    Shot(name="about-site", path="/about/"),
    Shot(name="check", path="/check/?benchmark=medagentbench-demo", act=_check),
    Shot(name="sign-in", path="/accounts/login/"),
    Shot(name="sign-up", path="/accounts/signup/"),
    Shot(name="password-reset", path="/accounts/password/reset/"),
    Shot(
        name="submit-problems",
        path="/benchmarks/medagentbench-demo/submit/",
        act=_submit_with_problems,
        is_own=True,
        in_all=True,
    ),
    Shot(name="submission", path="/submissions/{own}/", is_own=True, in_all=True),
    Shot(name="submissions", path="/submissions/", is_own=True),
    Shot(name="submit", path=_BOARD + "submit/", is_own=True),
    Shot(name="account", path="/accounts/email/", is_own=True),
    Shot(name="tokens", path="/account/tokens/", act=_make_token, is_own=True),
)
# What other sites show; the same for everybody.
SHOWN_ELSEWHERE = {
    "badge.svg": "/benchmarks/medagentbench-300/systems/{system}/badge.svg",
    "card-board.png": "/benchmarks/medagentbench-300/card.png",
    "card-system.png": "/systems/{system}/card.png",
}


def main() -> None:
    """Take the pictures that are asked for."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--only", nargs="+", metavar="NAME", default=(), help="of these pages")
    asked.add_argument("--into", type=Path, default=PICTURES, help="another folder than docs/img")
    asked.add_argument("--full", action="store_true", help="whole pages, however long")
    options = asked.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    shots = [shot for shot in SHOTS if not options.only or shot.name in options.only]
    with service_and_browser() as (address, keys, browser):
        if not options.only:
            _keep_shown_elsewhere(browser, address, keys, options.into)
        for way in product(WIDTHS, ("light", "dark"), ("en", "zh")):
            for name, raw in _taken(browser, address, keys, shots, way, is_full=options.full):
                path = options.into / f"{name}.png"
                path.write_bytes(raw)
                print(f"{path.name}: {len(raw) // 1024} KB", flush=True)


def _taken(
    browser: Browser,
    address: str,
    keys: dict[str, str],
    shots: list[Shot],
    way: tuple[int, str, str],
    *,
    is_full: bool,
) -> Iterator[tuple[str, bytes]]:
    """Yield the names and pictures of `shots` that are taken at this width, in this scheme and language."""
    width, scheme, language = way
    prefix = "/zh-hant" if language == "zh" else ""
    suffix = f"{width}{'-dark' if scheme == 'dark' else ''}{'-zh' if language == 'zh' else ''}"
    is_plain = scheme == "light" and language == "en"
    size = {"width": width, "height": WIDTHS[width]}
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    is_in = False
    for shot in shots:
        if not (shot.in_all or is_plain):
            continue
        if shot.is_own and not is_in:
            sign_in(page, address)
            is_in = True
        page.set_viewport_size(size)
        response = page.goto(address + prefix + shot.path.format(**keys))
        if response is None or response.status >= 500:
            raise RuntimeError(f"{shot.path} failed")
        if shot.act:
            shot.act(page)
        _wait_for_drawings(page, all_of_them=is_full)
        yield f"{shot.name}-{suffix}", _small(page.screenshot(animations="disabled", full_page=is_full))
    context.close()


def _wait_for_drawings(page: Page, *, all_of_them: bool) -> None:
    # One further down loads when it is scrolled to, which need not be.
    page.evaluate(
        """all => {
            const seen = [...document.images]
                .filter(image => all || image.getBoundingClientRect().top < innerHeight);
            seen.forEach(image => { image.loading = 'eager'; });
            return Promise.all(seen.map(image => image.decode().catch(() => 0)));
        }""",
        all_of_them,
    )


def _small(raw: bytes) -> bytes:
    """Return a PNG of a page with as many colours as it needs to look the same."""
    picture = Image.open(io.BytesIO(raw)).convert("RGB")
    few = picture.quantize(_MOST_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    kept = io.BytesIO()
    few.save(kept, "PNG", optimize=True)
    return kept.getvalue()


def _keep_shown_elsewhere(browser: Browser, address: str, keys: dict[str, str], folder: Path) -> None:
    context = browser.new_context()
    for name, path in SHOWN_ELSEWHERE.items():
        raw = context.request.get(address + path.format(**keys)).body()
        (folder / name).write_bytes(_small(raw) if name.endswith(".png") else raw)
    context.close()


if __name__ == "__main__":
    main()
