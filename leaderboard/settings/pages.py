"""Languages, times and static files."""

from leaderboard.settings.base import BASE_DIR, DATA, DEBUG, RESOURCES
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
# In the container image, this folder is there: a volume for data would hide the files, or keep those of an
# older release.
_STATIC_OF_IMAGE = RESOURCES / "static"
STATIC_ROOT = _STATIC_OF_IMAGE if _STATIC_OF_IMAGE.is_dir() else DATA / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "leaderboard.http.static_files.LenientStaticFilesStorage"
    },
}
