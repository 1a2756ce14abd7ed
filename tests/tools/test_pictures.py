"""The pictures of pages: how they are asked for, and the invented year that they show."""

from io import StringIO

from django.core.management import call_command

from leaderboard.models import Submission
from tools.pictures import invented_systems
from tools.pictures.screenshots import all_files


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
