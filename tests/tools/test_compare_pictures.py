"""Pictures before and after a change are compared by their share of differing pixels."""

import pytest
from PIL import Image

from tools.pictures.compare import compare_folders, main


@pytest.fixture
def folders(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    picture = Image.new("RGB", (10, 10), "white")
    for name in ("same", "changed", "shaded", "larger", "removed"):
        picture.save(old / f"{name}.png")
    picture.save(new / "same.png")
    picture.save(new / "added.png")
    Image.new("RGB", (10, 10), (250, 250, 250)).save(new / "shaded.png")
    Image.new("RGB", (10, 12), "white").save(new / "larger.png")
    picture.paste("black", (0, 0, 5, 5))
    picture.save(new / "changed.png")
    return old, new


def test_the_share_of_differing_pixels_is_that_of_the_picture(folders):
    shares = {each.name: each.share for each in compare_folders(*folders)}
    assert shares["changed.png"] == 0.25
    assert shares["same.png"] == 0


def test_a_slight_shade_counts_only_with_the_option(folders):
    strict = {each.name: each.share for each in compare_folders(*folders, tolerance=0)}
    tolerant = {each.name: each.share for each in compare_folders(*folders)}
    assert (tolerant["shaded.png"], strict["shaded.png"]) == (0, 1)


def test_pictures_that_cannot_be_compared_come_first_with_the_reason(folders):
    reasons = {each.name: each.reason for each in compare_folders(*folders)[:3]}
    assert reasons == {
        "added.png": "only in the new",
        "removed.png": "only in the old",
        "larger.png": "size (10, 10) became (10, 12)",
    }


def test_the_command_prints_the_worst_first_and_fails_when_something_differs(folders, capsys, tmp_path):
    old, new = folders
    assert main([str(old), str(new), "--into", str(tmp_path / "sheets")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].split() == ["changed.png", "25.0000%"]
    assert lines[-1] == "4 of 6 pictures differ"
    with Image.open(tmp_path / "sheets" / "changed.png") as sheet:
        assert sheet.size == (30, 10)
        assert sheet.getpixel((11, 1)) == (255, 0, 0)


def test_the_command_succeeds_when_nothing_differs(folders):
    old, _ = folders
    assert main([str(old), str(old)]) == 0
