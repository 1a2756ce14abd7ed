"""The pictures in the README are those of docs/img, and the gallery shows every picture."""

import re
from io import StringIO

from django.core.management import call_command

from leaderboard.models import Submission
from tests.support.paths import ROOT
from tools.pictures import invented_systems
from tools.pictures.gallery import index
from tools.pictures.screenshots import all_files
from tools.pictures.shots import README


def test_docs_img_holds_ten_pictures_which_the_readme_shows():
    pictures = re.findall(r"!\[[^]]+\]\(docs/img/([^)]+)\)", (ROOT / "README.md").read_text())
    assert sorted(pictures) == sorted(README)
    assert {path.name for path in (ROOT / "docs" / "img").iterdir()} == set(README)
    assert len(README) == 10


def test_every_picture_of_the_readme_is_one_that_can_be_taken():
    assert set(README) <= set(all_files())


def test_the_gallery_shows_every_picture_once():
    assert sorted(re.findall(r'src="([^"]+)"', index())) == sorted(all_files())


def test_the_pictures_of_a_page_can_be_asked_for_by_its_name():
    assert all_files(["check"]) == ["check-1280.png", "check-390.png"]


def test_the_invented_year_passes_the_limits_of_a_real_leaderboard(db, monkeypatch, settings, tmp_path):
    settings.UPLOADS = tmp_path / "uploads"
    monkeypatch.setattr(invented_systems, "DIARY", invented_systems.DIARY[:3])
    call_command("load_demo", stdout=StringIO())
    with invented_systems._clock() as clock:
        invented_systems._Year(clock, invented_systems.BOARD).replay()
    published = Submission.objects.filter(board__slug=invented_systems.BOARD, published_at__isnull=False)
    assert published.count() == 3
