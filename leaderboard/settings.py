"""Django settings, grouped by subject. A deployment changes only environment variables.

docs/operators.md lists the variables.
"""

import logging
from datetime import timedelta
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from leaderboard.web import accounts
from scoring import registry
from scoring.reading.limits import MIB

BASE_DIR = Path(__file__).resolve().parent.parent
# The folder of all data that is written: uploads, and the SQLite database unless DATABASE_URL is set.
DATA = Path(env.text("WARDBOARD_DATA") or BASE_DIR / "var")

DEBUG = env.flag("DEBUG")
SECRET_KEY = env.text("SECRET_KEY")
if not SECRET_KEY:
    if not DEBUG:
        raise ImproperlyConfigured("SECRET_KEY is not set (DEBUG=1 does without, for development only)")
    SECRET_KEY = "only-for-development"
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
# Whether X-Forwarded-Proto and X-Forwarded-For are those of a proxy, and not of whoever sends a request.
BEHIND_PROXY = env.flag("BEHIND_PROXY")
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
    "allauth.mfa",
    "rest_framework",
    "knox",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    # Before WhiteNoise, which answers requests itself: static files need a policy too.
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.web.shared.caching.default_cache_control",
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

# Simultaneous requests of a process, as in leaderboard.gunicorn.
WEB_THREADS = env.number("WEB_THREADS", 8)
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
                "leaderboard.web.site.pages.navigation",
            ],
            "builtins": [
                "leaderboard.web.templatetags.figures",
                "leaderboard.web.templatetags.drawings",
                "leaderboard.web.templatetags.addresses",
                "leaderboard.web.templatetags.languages",
                "leaderboard.web.templatetags.passkeys",
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
        # The lock is taken when a transaction begins, so that writers queue instead of failing half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        # FULL: a commit survives a power cut, not only a killed process.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-20000;",
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Caches: one per process; keys name what they depend on, so none has to be shared -------------
CACHES = {
    # The limits on sign-ins and requests alone: if visitors could fill this cache, an evicted entry would end
    # a lock-out.
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # Statistics and drawings of leaderboards; keys have the revision, or a digest of the figures.
    "boards": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "boards",
        "OPTIONS": {"MAX_ENTRIES": 1000},
    },
    # Pages as visitors get them; leaderboard.http.page_cache says how large one may be.
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
    # Read by Redis alone. Without them a broker that accepts connections and never answers would block an
    # upload for ever. Longer than the second that a worker waits for a message.
    "socket_connect_timeout": 3,
    "socket_timeout": 5,
    # For senders; a worker retries without end.
    "max_retries": 0,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A broker that is down must not delay the response to an upload: the sweep queues the task again.
CELERY_TASK_PUBLISH_RETRY = False
# The sweep takes up a submission that has been queued for so long, or checked or scored without a report.
# Longer than the check of the largest file, which reports nothing.
STALLED_AFTER = timedelta(seconds=env.number("STALLED_AFTER_SECONDS", 180))
# Interruptions without progress before a submission is given up.
SCORING_ATTEMPTS = env.number("SCORING_ATTEMPTS", 12)
# After so long a worker passes on a submission that waits for a judge. A broker regards a worker that is
# silent for half an hour as dead.
SCORING_SLICE = timedelta(seconds=env.number("SCORING_SLICE_SECONDS", 60))

# --- Uploads --------------------------------------------------------------------------------------
# Web servers and workers must share this folder.
UPLOADS = DATA / "uploads"
# Each benchmark has limits; those set here override them all (fields of scoring.reading.limits.Limits).
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
# Larger files are checked in the background.
CHECK_AT_ONCE_BYTES = env.number("CHECK_AT_ONCE_BYTES", 32 * MIB)
# The largest file that is checked for someone without an account.
ANONYMOUS_CHECK_BYTES = env.number("ANONYMOUS_CHECK_BYTES", 64 * MIB)
# Seconds that a check of a file may take; what is sent in may take `Limits.seconds`, in the background.
CHECK_SECONDS_ANONYMOUS = env.number("CHECK_SECONDS_ANONYMOUS", 5)
CHECK_SECONDS = env.number("CHECK_SECONDS", 60)
# Seconds of checking, and of scoring, after which a request passes its submission on to the background.
REQUEST_SECONDS = env.number("REQUEST_SECONDS", 5)
# An upload that would leave less free space is refused: the database needs room too.
UPLOAD_MIN_FREE_BYTES = env.number("UPLOAD_MIN_FREE_BYTES", 1024 * MIB)
# Rejected files per team in 24 hours; 0 for no limit. Each may cost a worker a minute.
UPLOAD_REJECTED_PER_DAY = env.number("UPLOAD_REJECTED_PER_DAY", 50)
FILE_UPLOAD_HANDLERS = ["leaderboard.http.uploads.StoreUploadHandler"]
# The form fields beside the file.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * MIB
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
DATA_UPLOAD_MAX_NUMBER_FILES = 5

# --- The LLM that judges free-text answers --------------------------------------------------------
# Any server with OpenAI's chat completions API; scoring.fhir_agentbench.judge.LlmOptions.
JUDGE = {
    "model": env.text("JUDGE_MODEL", "o4-mini"),
    # Its name on leaderboards; by default the model, with the server's name where it is not OpenAI's.
    "name": env.text("JUDGE_NAME") or None,
    "base_url": env.text("JUDGE_BASE_URL") or None,
    "api_key": env.text("JUDGE_API_KEY") or None,
    "concurrency": env.number("JUDGE_CONCURRENCY", 16),
    "timeout": env.number("JUDGE_TIMEOUT_SECONDS", 60),
    # Of a hundred answers so many are also judged against a wrong true answer.
    "wrong_truth_share": env.number("JUDGE_WRONG_TRUTH_PERCENT", 2) / 100,
    # US dollars per million tokens.
    "price_prompt": env.amount("JUDGE_PRICE_PROMPT") or 0.0,
    "price_completion": env.amount("JUDGE_PRICE_COMPLETION") or 0.0,
}
# For a submission, and for a day (UTC) over all submissions. Cost in US dollars; None for no limit.
JUDGE_BUDGET = {
    "submission_calls": env.amount("JUDGE_SUBMISSION_CALLS"),
    "submission_cost": env.amount("JUDGE_SUBMISSION_COST"),
    "day_calls": env.limit("JUDGE_DAY_CALLS"),
    "day_cost": env.limit("JUDGE_DAY_COST"),
}
# No LLM is asked before the operator has set what a day may take, were it with the word `none`.
JUDGE_HAS_DAY_BUDGET = bool(env.text("JUDGE_DAY_CALLS") or env.text("JUDGE_DAY_COST"))
if any(JUDGE_BUDGET[f"{whose}_cost"] is not None for whose in ("submission", "day")) and not (
    JUDGE["price_prompt"] and JUDGE["price_completion"]
):
    raise ImproperlyConfigured(
        "A budget in dollars needs JUDGE_PRICE_PROMPT and JUDGE_PRICE_COMPLETION: else every call costs 0"
    )
# A submission fails after being resumed so often in a row without one usable reply.
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
ACCOUNT_FORMS = accounts.FORMS
# The password, or a second factor, is asked for before an email address is added, removed or made primary.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
# Each address that is added gets an email.
ACCOUNT_MAX_EMAIL_ADDRESSES = 10
ACCOUNT_ADAPTER = "leaderboard.web.accounts.adapter.AccountAdapter"
ACCOUNT_RATE_LIMITS = accounts.RATE_LIMITS
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
MFA_ADAPTER = "leaderboard.web.accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = accounts.SECOND_FACTOR_FORMS
MFA_TOTP_ISSUER = "Wardboard"
MFA_TOTP_TOLERANCE = 1  # The clock of a phone may be half a minute off.
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Wardboard: "
_HAS_MAIL = bool(env.text("EMAIL_HOST"))
# Without a mail server nothing is sent, so verification cannot be required.
VERIFIES_EMAIL = _HAS_MAIL
# Where addresses can be verified, nobody protects an account with the address of someone else.
MFA_ALLOW_UNVERIFIED_EMAIL = not VERIFIES_EMAIL
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if VERIFIES_EMAIL else "optional"
# Links in emails reset passwords: they are printed only where that was asked for, as `make run` does.
_UNSENT = (
    "django.core.mail.backends.console.EmailBackend"
    if env.flag("EMAIL_TO_CONSOLE", default=DEBUG)
    else "leaderboard.web.accounts.unsent.UnsentEmailBackend"
)
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend" if _HAS_MAIL else _UNSENT
EMAIL_HOST = env.text("EMAIL_HOST", "localhost")
EMAIL_PORT = env.number("EMAIL_PORT", 587)
EMAIL_HOST_USER = env.text("EMAIL_USER")
EMAIL_HOST_PASSWORD = env.text("EMAIL_PASSWORD")
EMAIL_USE_TLS = env.flag("EMAIL_TLS", default=True)
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "Wardboard <no-reply@localhost>")

# --- API ------------------------------------------------------------------------------------------
# Live tokens of an account; 0 for no limit.
TOKENS_PER_ACCOUNT = env.number("TOKENS_PER_ACCOUNT", 20)
KNOX_TOKEN_MODEL = "leaderboard.ApiToken"
# Its migrations would create a token table that is not used.
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
    # Without a proxy, X-Forwarded-For is whatever the client sent.
    "NUM_PROXIES": 1 if BEHIND_PROXY else 0,
}

# --- Pages ----------------------------------------------------------------------------------------
# English has no prefix in URLs. The API, the admin site, logs and exports are in English.
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
# Within the container image, static files are apart from the data: they belong to the release.
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
SESSION_ENGINE = "leaderboard.web.shared.sessions"
# Staff need a second factor for the admin site, and to see submissions of others.
STAFF_SECOND_FACTOR = env.flag("STAFF_SECOND_FACTOR", default=HTTPS)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_SSL_REDIRECT = HTTPS
# Health checks reach the process directly, without the proxy that terminates HTTPS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
# HSTS for subdomains and preload lists are decisions of the domain's owner.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # Without it sign-in limits would count all clients as one, the proxy.
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


def _lower_client_errors(record: logging.LogRecord) -> bool:
    # A wrong host or too many parameters: anyone can send these, and there is nothing to fix. To refuse a
    # request while the service is busy or the disk is full is expected; the cause has a line of its own.
    is_refusal = record.name == "django.request" and getattr(record, "status_code", 0) in (503, 507)
    if record.name.startswith("django.security.") or is_refusal:
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = record.exc_text = None
    return True


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "leaderboard.log_format.LineFormatter"}},
    "filters": {"client_errors": {"()": "django.utils.log.CallbackFilter", "callback": _lower_client_errors}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["client_errors"]}
    },
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
    # A line for each call of the judge would be thousands for a submission.
    "loggers": {"httpx2": {"level": "WARNING"}},
}
