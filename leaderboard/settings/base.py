"""The folders, the keys, the applications, the templates, the security of pages, and who runs the service."""

from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from wardboard.scoring import registry

BASE_DIR = Path(__file__).resolve().parents[2]
# Templates and documents: beside the packages in a checkout and in the image, inside ours in a wheel.
_BUNDLED = BASE_DIR / "leaderboard" / "bundled"
RESOURCES = _BUNDLED if _BUNDLED.is_dir() else BASE_DIR
# The folder that the service writes to: uploads, and the SQLite database unless DATABASE_URL is set.
DATA = env.data_folder(BASE_DIR / "var")
if RESOURCES == _BUNDLED and not env.text("WARDBOARD_DATA"):
    raise ImproperlyConfigured("WARDBOARD_DATA is not set: name the folder that the service writes to")

DEBUG = env.flag("DEBUG")
SECRET_KEY = env.text("SECRET_KEY")
if not SECRET_KEY:
    if not DEBUG:
        raise ImproperlyConfigured("SECRET_KEY is not set (DEBUG=1 does without, for development only)")
    SECRET_KEY = "only-for-development"
# Earlier keys: what they signed or encrypted stays valid.
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
# Whether a proxy sets X-Forwarded-Proto and X-Forwarded-For. Without one, any client could forge them.
BEHIND_PROXY = env.flag("BEHIND_PROXY")
# Whether the service is reached by HTTPS alone.
HTTPS = env.flag("HTTPS")

INSTALLED_APPS = [
    "leaderboard",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.sitemaps",
    "django.contrib.humanize",
    "django.forms",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    # First, so that all that is logged about a request has its id.
    "leaderboard.http.watch.watch_requests",
    "django.middleware.security.SecurityMiddleware",
    # Before WhiteNoise, which answers requests itself: static files need a policy too.
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.http.compression.AnswerCompression",
    "leaderboard.web.shared.caching.DefaultCacheControl",
    "leaderboard.web.shared.language.language_of_address",
    # Before what reads the body or the database.
    "leaderboard.http.uploads.discard_leftovers",
    "leaderboard.api.errors.ProblemDocuments",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "leaderboard.web.submissions.uploads.UploadGate",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "leaderboard.web.shared.error_pages.ErrorPages",
]

# Simultaneous requests of a process, as in leaderboard.gunicorn.
WEB_THREADS = env.number("WEB_THREADS", 8 if env.text("DATABASE_URL").startswith("postgres") else 64, least=1)
ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [RESOURCES / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.web.site.pages.navigation",
            ],
            "builtins": [
                "leaderboard.web.templatetags.seasons",
                "django.templatetags.i18n",
                "django.templatetags.static",
                "django.contrib.humanize.templatetags.humanize",
                "allauth.templatetags.allauth",
                "allauth.socialaccount.templatetags.socialaccount",
                "leaderboard.web.templatetags.figures",
                "leaderboard.web.templatetags.drawings",
                "leaderboard.web.templatetags.addresses",
                "leaderboard.web.templatetags.languages",
                "leaderboard.web.templatetags.leaderboards",
                "leaderboard.web.templatetags.page_links",
                "leaderboard.web.docs.tags",
                "leaderboard.web.traces.rendering",
            ],
        },
    },
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "NAME": "jinja2",
        "DIRS": [RESOURCES / "templates"],
        "OPTIONS": {"environment": "leaderboard.web.shared.jinja.environment"},
    },
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# English has no prefix in URLs. The API, the admin site, logs and exports are in English.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hant", "繁體中文")]
# Texts of a benchmark are translated beside it.
LOCALE_PATHS = [
    BASE_DIR / "leaderboard" / "locale",
    *(registry.code_folder(benchmark) / "locale" for benchmark in registry.BENCHMARKS.values()),
]
FORMAT_MODULE_PATH = ["leaderboard.formats"]
TIME_ZONE = "UTC"
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

# The umask decides who reads collected files, their manifest included.
FILE_UPLOAD_PERMISSIONS = None
SESSION_ENGINE = "leaderboard.web.shared.sessions"
# Staff need a second factor for the admin site, and to see submissions of others.
STAFF_SECOND_FACTOR = env.flag("STAFF_SECOND_FACTOR", default=HTTPS)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_SSL_REDIRECT = HTTPS
# Health checks and Prometheus reach the process directly, without the proxy that terminates HTTPS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
# HSTS for subdomains and preload lists are decisions of the domain's owner.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # Without it sign-in limits would count all clients as one, the proxy.
    ALLAUTH_TRUSTED_PROXY_COUNT = 1
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# The Ed25519 key that signs receipts and the log, in PEM; made when the service first signs. Processes on
# several machines must have the same.
SIGNING_KEY_FILE = Path(env.text("SIGNING_KEY_FILE") or DATA / "signing-key.pem")
# The commit of the source, which receipts state.
COMMIT = env.text("WARDBOARD_COMMIT")[:64]


def _document(name: str, value: str) -> dict[str, str]:
    """Return the URL of a text elsewhere, or the content of the file that the variable `name` names."""
    if not value or env.is_url(value):
        return {"url": value, "text": ""}
    try:
        return {"url": "", "text": Path(value).read_text()}
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name} is neither a URL nor a text file in UTF-8: {error}") from error


_host = next((name for name in ALLOWED_HOSTS if name != "*"), "localhost").removeprefix(".")
# For links in emails that no request asked for, without a slash at the end.
SITE_URL = (env.url("SITE_URL") or f"{'https' if HTTPS else 'http'}://{_host}").rstrip("/")
# For a proxy that changes the host of requests: the origin of their pages.
CSRF_TRUSTED_ORIGINS = [SITE_URL] if env.text("SITE_URL") else []
_contact = env.text("CONTACT")
_licence = env.text("DATA_LICENCE")
SITE: dict[str, Any] = {
    "organiser": env.text("ORGANISER"),
    "contact": _contact,
    "contact_url": _contact if env.is_url(_contact) else f"mailto:{_contact}" if "@" in _contact else "",
    # Under which readers may use the published results: a name such as CC BY 4.0, or a URL.
    "data_licence": _licence,
    "data_licence_url": _licence if env.is_url(_licence) else "",
    "terms": _document("TERMS", env.text("TERMS")),
    "privacy": _document("PRIVACY", env.text("PRIVACY")),
    "citation": _document("CITATION", env.text("CITATION")),
}
