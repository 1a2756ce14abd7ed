"""Pictures before and after a change are compared by their share of differing pixels."""

from PIL import Image

from tools.pictures.compare import compare_folders, main


def test_pictures_are_compared_by_pixels_and_the_command_draws_where_they_differ(tmp_path, capsys):
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
    found = compare_folders(old, new)
    # Those that cannot be compared come first.
    assert {each.name: each.reason for each in found[:3]} == {
        "added.png": "only in the new",
        "removed.png": "only in the old",
        "larger.png": "size (10, 10) became (10, 12)",
    }
    shares = {each.name: each.share for each in found}
    assert (shares["changed.png"], shares["same.png"], shares["shaded.png"]) == (0.25, 0, 0)
    strict = {each.name: each.share for each in compare_folders(old, new, tolerance=0)}
    assert strict["shaded.png"] == 1
    assert main([str(old), str(new), "--into", str(tmp_path / "sheets")]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "4 of 6 pictures differ"
    with Image.open(tmp_path / "sheets" / "changed.png") as sheet:
        assert (sheet.size, sheet.getpixel((11, 1))) == ((30, 10), (255, 0, 0))
    assert main([str(old), str(old)]) == 0
