"""Languages, times and static files."""

from pathlib import Path

from leaderboard import env
from leaderboard.settings.base import BASE_DIR, DATA, DEBUG
from wardboard.scoring import registry

# English has no prefix in URLs. The API, the admin site, logs and exports are in English.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hant", "繁體中文")]
# Texts of a benchmark are translated beside it.
LOCALE_PATHS = [
    BASE_DIR / "leaderboard" / "locale",
    *(registry.locale_folder(benchmark) for benchmark in registry.BENCHMARKS.values()),
]
FORMAT_MODULE_PATH = ["leaderboard.formats"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
STATIC_URL = "static/"
# After a change of the rows, visitors get the page before as long as it is younger than this.
PAGE_SECONDS = 1.0
# In the container image, static files are not in the data folder: they belong to the release.
STATIC_ROOT = Path(env.text("STATIC_ROOT") or DATA / "static")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG or env.flag("STATIC_UNHASHED")
        else "leaderboard.http.static_files.ReleaseStaticFilesStorage"
    },
}
