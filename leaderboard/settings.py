"""Settings. Everything that a deployment may change is an environment variable, read here.

docs/operators.md lists the variables.
"""

import logging
from datetime import timedelta
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from scoring import registry
from scoring.reading.limits import MIB

BASE_DIR = Path(__file__).resolve().parent.parent
# The database and what else is written, in the embedded default.
DATA = Path(env.text("WARDBOARD_DATA") or BASE_DIR / "var")

DEBUG = env.flag("DEBUG")
SECRET_KEY = env.text("SECRET_KEY")
if not SECRET_KEY:
    if not DEBUG:
        raise ImproperlyConfigured("SECRET_KEY is not set (DEBUG=1 does without, for development only)")
    SECRET_KEY = "only-for-development"
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "leaderboard",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.forms",
    "django_htmx",
    "allauth",
    "allauth.account",
    "rest_framework",
    "knox",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    # Before WhiteNoise, which answers itself: static files have a policy too.
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.web.shared.caching.nobodys_own",
    "leaderboard.web.shared.language.language_of_address",
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
]

# How many requests a process answers at once, as leaderboard.gunicorn has it.
WEB_THREADS = env.number("WEB_THREADS", 4)
ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.web.shared.context.site",
            ],
            "builtins": [
                "leaderboard.web.templatetags.figures",
                "leaderboard.web.templatetags.differences",
                "leaderboard.web.templatetags.drawings",
                "leaderboard.web.templatetags.addresses",
                "leaderboard.web.templatetags.languages",
            ],
        },
    },
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "NAME": "jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {"environment": "leaderboard.web.shared.jinja.environment"},
    },
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# --- Database: SQLite in WAL mode unless DATABASE_URL says otherwise ------------------------------
DATABASES = {
    "default": dj_database_url.parse(
        env.text("DATABASE_URL") or f"sqlite:///{DATA / 'wardboard.sqlite3'}",
        conn_max_age=60,
        conn_health_checks=True,
    )
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        # Writers queue instead of failing half-way: the lock is taken when a transaction begins.
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        # FULL: a commit that was answered for survives a power cut, not only a killed process.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-20000;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Caches: of a process, and found right by key, so that processes need not share them ----------
CACHES = {
    # The limits on signing in and on requests, and nothing that a reader could fill it with: an entry that is
    # put out is a lock-out that ends.
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # What is worked out of boards, and drawn; a key has the board's revision, or a digest of the figures.
    "boards": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "boards",
        "OPTIONS": {"MAX_ENTRIES": 1000},
    },
    # Pages as visitors get them; leaderboard.http.rendered says how large one may be.
    "pages": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pages",
        "OPTIONS": {"MAX_ENTRIES": 100},
    },
}

# --- Background work: Celery where a broker is configured, in place otherwise ---------------------
BROKER_URL = env.text("BROKER_URL")
CELERY_BROKER_URL = BROKER_URL or "memory://"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 900
CELERY_BROKER_CONNECTION_TIMEOUT = 3
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Redis alone reads these two: without them a broker that takes connections and says nothing holds an
    # upload for ever. Longer than the second for which a worker waits for a message.
    "socket_connect_timeout": 3,
    "socket_timeout": 5,
    # Of a sender; a worker tries for as long as it takes.
    "max_retries": 0,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A broker that is down must not hold the upload's response: the sweep enqueues again.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BEAT_SCHEDULE = {"sweep": {"task": "leaderboard.tasks.sweep", "schedule": timedelta(seconds=30)}}
# How long a submission may stay queued, or in checking or scoring without a sign of life, before the sweep
# takes it up again. Longer than the check of a file of the largest size takes, which gives no sign.
STALLED_AFTER = timedelta(seconds=env.number("STALLED_AFTER_SECONDS", 180))
# How often work on a submission may be cut off without getting on before it is given up.
SCORING_ATTEMPTS = env.number("SCORING_ATTEMPTS", 12)
# After this long a worker leaves a submission that waits for a judge to the next: a broker takes a worker
# that does not answer for half an hour for dead.
SCORING_SLICE = timedelta(seconds=env.number("SCORING_SLICE_SECONDS", 300))

# --- Uploads --------------------------------------------------------------------------------------
# Where files are kept; web servers and workers must see the same folder.
UPLOADS = DATA / "uploads"
# Each benchmark has limits of its own; those set here hold for all (fields of scoring.reading.limits.Limits).
UPLOAD_LIMITS = {
    name: env.number(variable, 0)
    for name, variable in {
        "body_bytes": "UPLOAD_MAX_BODY_BYTES",
        "unpacked_bytes": "UPLOAD_MAX_UNPACKED_BYTES",
        "record_bytes": "UPLOAD_MAX_RECORD_BYTES",
        "ratio": "UPLOAD_MAX_RATIO",
        "depth": "UPLOAD_MAX_DEPTH",
        "text_bytes": "UPLOAD_MAX_TEXT_BYTES",
        "results": "UPLOAD_MAX_RESULTS",
        "history_items": "UPLOAD_MAX_HISTORY_ITEMS",
        "seconds": "UPLOAD_MAX_SECONDS",
    }.items()
    if env.text(variable)
}
# A larger file is taken in at once and checked in the background.
CHECK_AT_ONCE_BYTES = env.number("CHECK_AT_ONCE_BYTES", 32 * MIB)
# The largest file that is checked for somebody without an account.
ANONYMOUS_CHECK_BYTES = env.number("ANONYMOUS_CHECK_BYTES", 64 * MIB)
# An upload that would leave less on the disk is refused: the database beside it needs room too.
UPLOAD_MIN_FREE_BYTES = env.number("UPLOAD_MIN_FREE_BYTES", 1024 * MIB)
# Files of one team that may be rejected in 24 hours; 0 for any number. Each may cost the worker a minute.
UPLOAD_REJECTED_PER_DAY = env.number("UPLOAD_REJECTED_PER_DAY", 50)
FILE_UPLOAD_HANDLERS = ["leaderboard.http.uploads.StoreUploadHandler"]
# The form fields beside the file.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * MIB
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 5

# --- The judge of answers in words, on boards that ask an LLM ------------------------------------------
# Any server that speaks OpenAI's chat completions will do; scoring.fhir_agentbench.judge.LlmOptions.
JUDGE = {
    "model": env.text("JUDGE_MODEL", "o4-mini"),
    # What it is called on boards; else the model, with the server's name where it is not OpenAI's.
    "name": env.text("JUDGE_NAME") or None,
    "base_url": env.text("JUDGE_BASE_URL") or None,
    "api_key": env.text("JUDGE_API_KEY") or None,
    "concurrency": env.number("JUDGE_CONCURRENCY", 16),
    "timeout": env.number("JUDGE_TIMEOUT_SECONDS", 60),
    # US dollars for a million tokens.
    "price_prompt": env.amount("JUDGE_PRICE_PROMPT") or 0.0,
    "price_completion": env.amount("JUDGE_PRICE_COMPLETION") or 0.0,
}
# None: no limit. Cost in US dollars; of a submission, and of a day (UTC) over all.
JUDGE_BUDGET = {
    "submission_calls": env.amount("JUDGE_SUBMISSION_CALLS"),
    "submission_cost": env.amount("JUDGE_SUBMISSION_COST"),
    "day_calls": env.amount("JUDGE_DAY_CALLS"),
    "day_cost": env.amount("JUDGE_DAY_COST"),
}
if any(JUDGE_BUDGET[f"{whose}_cost"] is not None for whose in ("submission", "day")) and not (
    JUDGE["price_prompt"] and JUDGE["price_completion"]
):
    raise ImproperlyConfigured(
        "A budget in dollars needs JUDGE_PRICE_PROMPT and JUDGE_PRICE_COMPLETION: else every call costs 0"
    )
# How often in a row a submission is resumed whose last answers get no usable reply before it fails.
JUDGE_RESUMPTIONS = env.number("JUDGE_RESUMPTIONS", 10)

# --- Accounts -------------------------------------------------------------------------------------
AUTH_USER_MODEL = "leaderboard.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_REDIRECT_URL = "web:submissions"
ACCOUNT_LOGOUT_REDIRECT_URL = "web:front"
LOGIN_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "leaderboard.web.accounts.forms.SignUpForm"
ACCOUNT_FORMS = {"login": "leaderboard.web.accounts.sign_in.SignInForm"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Wardboard: "
_HAS_MAIL = bool(env.text("EMAIL_HOST"))
# Without a mail server the letters go to the console, where no one could be made to wait for one.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if _HAS_MAIL else "optional"
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if _HAS_MAIL else 'console'}.EmailBackend"
EMAIL_HOST = env.text("EMAIL_HOST", "localhost")
EMAIL_PORT = env.number("EMAIL_PORT", 587)
EMAIL_HOST_USER = env.text("EMAIL_USER")
EMAIL_HOST_PASSWORD = env.text("EMAIL_PASSWORD")
EMAIL_USE_TLS = env.flag("EMAIL_TLS", default=True)
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "Wardboard <no-reply@localhost>")

# --- API ------------------------------------------------------------------------------------------
KNOX_TOKEN_MODEL = "leaderboard.ApiToken"
# Its migrations make a token table of its own, which nobody uses.
MIGRATION_MODULES = {"knox": None}
REST_KNOX = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_PREFIX": "wb_", "TOKEN_TTL": timedelta(days=365)}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "leaderboard.api.authentication.ApiTokenAuthentication",
        "leaderboard.api.authentication.BrowserSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "EXCEPTION_HANDLER": "leaderboard.api.errors.problem_response",
    "DEFAULT_THROTTLE_RATES": {
        "validations": env.text("RATE_VALIDATIONS", "60/min"),
        "submissions": env.text("RATE_SUBMISSIONS", "600/min"),
    },
    # Without a proxy of ours, X-Forwarded-For is whatever the client wrote.
    "NUM_PROXIES": 1 if env.flag("BEHIND_PROXY") else 0,
}

# --- Pages ----------------------------------------------------------------------------------------
# English has no prefix in addresses; the API, the admin, logs and exports are in it.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hant", "繁體中文")]
# Texts of a benchmark are translated beside it.
LOCALE_PATHS = [
    BASE_DIR / "leaderboard" / "locale",
    *(registry.locale_folder(family) for family in registry.FAMILIES.values()),
]
FORMAT_MODULE_PATH = ["leaderboard.formats"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
STATIC_URL = "static/"
# Apart from the data in the image, where they belong to the release.
STATIC_ROOT = Path(env.text("STATIC_ROOT") or DATA / "static")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG or env.flag("STATIC_UNHASHED")
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

# --- Security -------------------------------------------------------------------------------------
HTTPS = env.flag("HTTPS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_SSL_REDIRECT = HTTPS
# A health check asks the process itself, without the proxy that ends HTTPS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
# Subdomains, and lists that browsers ship, are for the owner of the domain to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if env.flag("BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # Else sign-in limits would take the proxy for every client.
    ALLAUTH_TRUSTED_PROXY_COUNT = 1
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "leaderboard.web.shared.error_pages.csrf_failure"
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


def _of_the_asker(record: logging.LogRecord) -> bool:
    # A wrong host, or too many parameters: anybody can ask so, and nobody has to mend it.
    if record.name.startswith("django.security."):
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = record.exc_text = None
    return True


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"of_the_asker": {"()": "django.utils.log.CallbackFilter", "callback": _of_the_asker}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["of_the_asker"]}
    },
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
    # A line for each call of the judge's model would be thousands for a submission.
    "loggers": {"httpx2": {"level": "WARNING"}},
}
