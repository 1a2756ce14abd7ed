"""Compare two folders of pictures: python -m tools.pictures.compare OLD_FOLDER NEW_FOLDER [--into FOLDER]

Prints the share of differing pixels for each picture that either folder holds, the worst first. With --into
it also writes, for each picture that differs, a sheet of the old one, the differing pixels in red, and the
new one. The exit code is 1 when anything differs.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

# Colours are reduced for each picture anew, so shades may shift by a few steps of 255.
TOLERANCE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureChange:
    """Describe how two pictures of one name differ.

    share: of differing pixels, 0 to 1; None where there is nothing to compare.
    reason: why there is nothing to compare.
    """

    name: str
    share: float | None
    reason: str = ""

    @property
    def differs(self) -> bool:
        return self.share != 0

    def __str__(self) -> str:
        result = self.reason if self.share is None else f"{self.share:9.4%}"
        return f"{self.name:40} {result}"


def compare_folders(old: Path, new: Path, *, tolerance: int = TOLERANCE) -> list[PictureChange]:
    """Return a change for each PNG that `old` or `new` holds, the most different first."""
    names = sorted({path.name for folder in (old, new) for path in folder.glob("*.png")})
    changes = [_compare(name, old / name, new / name, tolerance) for name in names]
    return sorted(changes, key=lambda each: (each.share is not None, -(each.share or 0)))


def _compare(name: str, old: Path, new: Path, tolerance: int) -> PictureChange:
    if not (old.exists() and new.exists()):
        return PictureChange(
            name=name, share=None, reason="only in the " + ("old" if old.exists() else "new")
        )
    with Image.open(old) as before, Image.open(new) as after:
        if before.size != after.size:
            return PictureChange(name=name, share=None, reason=f"size {before.size} became {after.size}")
        mask = _differing_pixels(before, after, tolerance)
    return PictureChange(name=name, share=mask.histogram()[255] / (mask.width * mask.height))


def _differing_pixels(before: Image.Image, after: Image.Image, tolerance: int) -> Image.Image:
    """Return a mask: 255 where any channel differs by more than `tolerance`, 0 elsewhere."""
    channels = ImageChops.difference(before.convert("RGB"), after.convert("RGB")).split()
    furthest = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    return furthest.point([255 if value > tolerance else 0 for value in range(256)])


def draw_difference(old: Path, new: Path, *, tolerance: int = TOLERANCE) -> Image.Image:
    """Return the old picture, the differing pixels in red, and the new picture side by side."""
    with Image.open(old) as old_image, Image.open(new) as new_image:
        before, after = old_image.convert("RGB"), new_image.convert("RGB")
    marked = Image.blend(after, Image.new("RGB", after.size, "white"), 0.7)
    if before.size == after.size:
        marked.paste("red", mask=_differing_pixels(before, after, tolerance))
    panels = (before, marked, after)
    sheet = Image.new(
        "RGB", (sum(each.width for each in panels), max(each.height for each in panels)), "white"
    )
    left = 0
    for panel in panels:
        sheet.paste(panel, (left, 0))
        left += panel.width
    return sheet


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the changes and return 1 when a picture differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--into", type=Path, help="folder for sheets of what differs")
    parser.add_argument("--tolerance", type=int, default=TOLERANCE, help="of a channel, 0 to 255")
    options = parser.parse_args(arguments)
    changes = compare_folders(options.old, options.new, tolerance=options.tolerance)
    for change in changes:
        print(change)
        old, new = options.old / change.name, options.new / change.name
        if options.into and change.differs and old.exists() and new.exists():
            options.into.mkdir(parents=True, exist_ok=True)
            draw_difference(old, new, tolerance=options.tolerance).save(options.into / change.name)
    different = sum(change.differs for change in changes)
    print(f"{different} of {len(changes)} pictures differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
