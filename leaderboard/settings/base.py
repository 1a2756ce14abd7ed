"""The folders, the keys, the applications, the middleware and the templates."""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env

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
    "leaderboard.web.shared.caching.default_cache_control",
    "leaderboard.web.shared.language.language_of_address",
    # Before what reads the body or the database.
    "leaderboard.http.uploads.discard_leftovers",
    "leaderboard.api.errors.problem_documents",
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
WEB_THREADS = env.number("WEB_THREADS", 8, least=1)
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
