"""Static files of another release are refused at the start, and break no page."""

import json

import pytest
from django.core.files.base import ContentFile

from leaderboard.http import static_files

CSS = "leaderboard/wardboard.css"


@pytest.fixture
def storage(settings, tmp_path, monkeypatch):
    """Return a storage with nothing in it, in place of the one that templates use."""
    settings.DEBUG = False
    storage = static_files.ReleaseStaticFilesStorage(location=str(tmp_path), base_url="/static/")
    monkeypatch.setattr(static_files, "staticfiles_storage", storage)
    static_files._warn_once.cache_clear()
    return storage


def test_a_file_that_was_not_collected_keeps_its_name_and_is_logged_once(storage, caplog):
    assert [storage.url(CSS) for _ in range(2)] == [f"/static/{CSS}"] * 2
    assert caplog.text.count("was not collected") == 1


def test_a_file_that_was_collected_has_a_digest_in_its_name(storage):
    storage.save(CSS, ContentFile(b"body {}"))
    list(storage.post_process({CSS: (storage, CSS)}))
    assert storage.url(CSS) != f"/static/{CSS}"


def test_nothing_starts_without_static_files_or_with_those_of_another_release(storage, tmp_path):
    with pytest.raises(SystemExit, match=r"no collected static files.*collectstatic"):
        static_files.check_at_start()
    storage.save_manifest()
    static_files.check_at_start()
    # Collected again, by the same release.
    storage.save_manifest()
    static_files.check_at_start()
    (tmp_path / "release.json").write_text(json.dumps({"digest": "0" * 64}))
    with pytest.raises(SystemExit, match=r"of another release.*collectstatic"):
        static_files.check_at_start()


def test_the_digest_depends_on_names_and_contents(tmp_path, settings):
    digests = set()
    for name, content in (("x", "1"), ("y", "1"), ("y", "2")):
        folder = tmp_path / f"{name}{content}"
        folder.mkdir()
        (folder / name).write_text(content)
        settings.STATICFILES_DIRS = [folder]
        digests.add(static_files.digest_of_sources())
    assert len(digests) == 3
