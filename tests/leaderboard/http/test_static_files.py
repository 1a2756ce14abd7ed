"""Static files that were not collected break no page."""

import os

from django.core.files.base import ContentFile

from leaderboard.http.static_files import LenientStaticFilesStorage

CSS = "leaderboard/wardboard.css"


def test_a_file_has_a_digest_in_its_name_and_one_that_was_not_collected_its_own(settings, tmp_path, caplog):
    settings.DEBUG = False
    storage = LenientStaticFilesStorage(location=str(tmp_path), base_url="/static/")
    assert storage.url(CSS) == f"/static/{CSS}"
    assert storage.url("leaderboard/of-no-file.css") == "/static/leaderboard/of-no-file.css"
    assert caplog.text.count("was not collected") == 1, caplog.text
    before = os.umask(0o077)
    try:
        storage.save(CSS, ContentFile(b"body {}"))
        list(storage.post_process({CSS: (storage, CSS)}))
    finally:
        os.umask(before)
    assert storage.url(CSS) != f"/static/{CSS}"
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert tmp_path / "staticfiles.json" in written
    assert not any(path.stat().st_mode & 0o077 for path in written), "the umask decides who reads them"
