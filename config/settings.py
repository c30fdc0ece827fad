"""Django's settings. Everything that differs between machines comes from the environment."""

import os
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from config.documentation import add_headers
from config.environment import (
    addresses,
    database,
    endpoints,
    flag,
    number,
    origins,
    secret_key,
    words,
)

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = "0.1.0"

# The folder of the SQLite file, uploads, exports and logs.
DATA = Path(os.environ.get("LIKENESS_DATA") or BASE_DIR / "var").resolve()
# Models for baselines: folders with their configuration, tokenizer and weights (safetensors).
MODELS = Path(os.environ.get("LIKENESS_MODELS") or DATA / "models").resolve()

# Whether jobs may fetch models from the hub, with the operator's token where there is one.
HUB = flag("LIKENESS_HUB", default=False)

SECRET_KEY = secret_key(DATA)
SECRET_KEY_FALLBACKS = words("SECRET_KEY_FALLBACKS")
DEBUG = flag("DEBUG", default=False)
ALLOWED_HOSTS = words("ALLOWED_HOSTS", default="localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = words("CSRF_TRUSTED_ORIGINS")
# How many proxies stand in front and append to X-Forwarded-For; 0: the header is not believed.
TRUSTED_PROXIES = number("TRUSTED_PROXIES", default=0)

INSTALLED_APPS = [
    "config.admin.ResearchersAdmin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "annotation",
]

MIDDLEWARE = [
    "annotation.core.access_log.AccessLog",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "annotation.basics.languages.BrowserLanguage",
    "annotation.core.middleware.AnnotatorsDoor",
    "annotation.core.middleware.ApiDoor",
    "annotation.core.middleware.UnreadBody",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "annotation.core.fair_share.FairShare",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

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
            ],
            "libraries": {"kinds": "annotation.kinds.template_filters"},
        },
    },
]

DATABASES = {
    "default": database(
        default=f"sqlite:///{DATA / 'likeness.sqlite3'}",
        conn_max_age=600,
        # A connection that PostgreSQL closed while it restarted is replaced, not handed to a page.
        conn_health_checks=True,
        # A pool that gives each transaction another connection keeps neither cursors nor
        # prepared statements; annotation/core/queries/statements.py heeds this, too.
        disable_server_side_cursors=flag("DATABASE_POOLED", default=False),
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A deferred transaction that reads before it writes fails at once when somebody else wrote;
    # an immediate one waits its turn. FULL: an acknowledged answer survives a power cut.
    # What is deleted is overwritten, so that a withdrawn name is gone from the file, too.
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        " PRAGMA secure_delete=ON;",
    }
_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
# Of each process.
CACHES = {
    "default": {"BACKEND": _MEMORY},
    # Pieces of pages, named by all that they show; the least recently shown ones go.
    "template_fragments": {
        "BACKEND": _MEMORY,
        "LOCATION": "fragments",
        "OPTIONS": {"MAX_ENTRIES": 500},
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# So long may an invited researcher take to set a password.
PASSWORD_RESET_TIMEOUT = 7 * 24 * 3600
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
LOGOUT_REDIRECT_URL = "admin:login"

LANGUAGE_CODE = "en"
# Of the researcher's pages. The annotator's speak every language that has a folder in locale/.
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = os.environ.get("TIME_ZONE", "UTC")
USE_TZ = True
FORMAT_MODULE_PATH = "config.formats"

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT") or DATA / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
# What `make docs` has built, for everybody at /help/.
_SITE = BASE_DIR / "build" / "site"
WHITENOISE_ROOT = _SITE if _SITE.is_dir() else None
WHITENOISE_INDEX_FILE = True
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_ADD_HEADERS_FUNCTION = add_headers
MEDIA_ROOT = DATA / "files"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static.HashedStaticFiles"},
}
FILE_UPLOAD_PERMISSIONS = 0o600
# An import may have 64 MiB; Django keeps what is larger than 2.5 MB on disk while it arrives.
IMPORT_LIMIT_BYTES = 64 * 1024 * 1024
# So much of a file is read within a request, for a preview: about a second or two. The import
# reads all of it in the background.
IMPORT_PREVIEW_BYTES = 1024 * 1024
# New labels are compared with the items, and stored, within the request.
RELABEL_LIMIT_BYTES = 4 * 1024 * 1024
# Of uploads that one researcher has not imported yet; they are forgotten after two days.
IMPORT_QUOTA_BYTES = 4 * IMPORT_LIMIT_BYTES
# Unfinished jobs that one researcher may have at a time, in all studies.
MAX_UNFINISHED_JOBS = number("MAX_UNFINISHED_JOBS", default=20)
# Of a web process; no account keeps more than half of them busy.
WEB_THREADS = number("WEB_THREADS", default=2)
# An export of as many answers is prepared in the background, with a progress bar.
EXPORT_IN_BACKGROUND_FROM = number("EXPORT_IN_BACKGROUND_FROM", default=20_000)
# Twice what a pool may have; more would fill the memory of whoever reads the file.
IMPORT_LIMIT_ITEMS = 200_000
# No form but the import needs more; the annotator's pages allow less still.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = flag("HTTPS", default=False)
CSRF_FAILURE_VIEW = "annotation.core.pages.refusing.csrf_failure"
SECURE_SSL_REDIRECT = False
SECURE_HSTS_SECONDS = 31_536_000 if flag("HTTPS", default=False) else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# Reminders of annotators who asked for one, alerts, personal links of rosters; without a server
# none is offered, and none is sent.
EMAIL_HOST = os.environ.get("EMAIL_HOST", "")
EMAIL_PORT = number("EMAIL_PORT", default=587)
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = flag("EMAIL_USE_TLS", default=True)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "likeness@localhost")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation.core.api.authentication.ByToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "annotation.core.api.authentication.MayWrite",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_THROTTLE_CLASSES": ["annotation.core.api.throttling.PerUser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "annotation.core.api.errors.handler",
    # Addresses name what they answer by parameters of their own.
    "URL_FORMAT_OVERRIDE": None,
}
# Of one user of the API, in one minute; 0: no limit.
API_REQUESTS_PER_MINUTE = number("API_REQUESTS_PER_MINUTE", default=600)
SPECTACULAR_SETTINGS = {
    "TITLE": "Likeness",
    "DESCRIPTION": "Studies in which people judge how alike two texts are: docs/api.md.",
    # Of the API: it changes where an answer does, and by a whole number where that breaks callers.
    "VERSION": "1.3.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "DEFAULT_GENERATOR_CLASS": "annotation.core.api.documents.English",
    # Choices stand where they are used; a name for each would change with every other.
    "POSTPROCESSING_HOOKS": [],
    "GENERIC_ADDITIONAL_PROPERTIES": "bool",
}

# Without a Redis the worker is a thread of `manage.py serve`, and messages stay in that process.
# A message is only a nudge: what is to be done stands in `Job` rows, which a sweep looks after.
REDIS_URL = os.environ.get("REDIS_URL", "")
CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
REDIS_TRANSPORT_OPTIONS = {
    "visibility_timeout": 1800,
    "unacked_restore_throttle": 1,
    # Sending a message to a Redis that is away or frozen fails after these seconds.
    "socket_connect_timeout": 2,
    "socket_timeout": 3,
    "max_retries": 0,
    "interval_start": 0,
}
CELERY_BROKER_TRANSPORT_OPTIONS = (
    REDIS_TRANSPORT_OPTIONS if REDIS_URL else {"polling_interval": 0.05}
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Worker and beat wait for a broker that is away, however long it takes.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A message that cannot be sent is not tried again: the sweep will find the job.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "likeness"
# Work that may take hours has a queue and workers of its own, so that nothing short waits for it.
LONG_QUEUE = "likeness-long"
QUEUES = (CELERY_TASK_DEFAULT_QUEUE, LONG_QUEUE)
CELERY_TASK_QUEUES = [Queue(name) for name in QUEUES]
CELERY_TASK_ROUTES = {
    "annotation.core.services.jobs.run_long_job": {"queue": LONG_QUEUE},
    "annotation.core.tasks.mark_long_worker": {"queue": LONG_QUEUE},
}
# Crowd platforms in the order in which they are offered, by the key that rows keep. Each is loaded
# where it is used: its libraries are not needed by every page.
CROWD_PLATFORMS = {
    "panel": "annotation.crowds.platforms.panel.Panel",
    "prolific": "annotation.crowds.platforms.prolific.platform.Prolific",
    "mturk": "annotation.crowds.platforms.mturk.platform.MTurk",
    "connect": "annotation.crowds.platforms.connect.platform.Connect",
}
# Seconds between two looks at a platform's listing; unset: one to five minutes while people are
# sent, then an hour. Only for platforms on this machine (`make crowd`): real ones forbid haste.
_HASTE = number("LIKENESS_POLL_SECONDS", default=0)
POLL_SECONDS = (_HASTE or 60, _HASTE or 300)
POLL_SECONDS_AFTERWARDS = _HASTE or 3600
# Modules with receivers of the signals of annotation/core/signals.py, in the order in which these
# are called; they are loaded when a signal is sent.
RECEIVERS = [
    "annotation.kinds.rating.services.continuing",
    "annotation.kinds.selection.services.continuing",
    "annotation.items.services.uploads",
    "annotation.releases.services.downloads",
    "annotation.reviews.services",
    "annotation.people.services.retention",
]
CELERY_BEAT_SCHEDULER = "config.beat:PersistentScheduler"
# Seconds after which beat looks at the clock again, at the latest.
CELERY_BEAT_MAX_LOOP_INTERVAL = 5
CELERY_BEAT_SCHEDULE = {
    "sweep jobs": {
        "task": "annotation.site.tasks.sweep_jobs",
        "schedule": 5.0,
        "options": {"expires": 10},
    },
    "mark long worker": {
        "task": "annotation.core.tasks.mark_long_worker",
        "schedule": 30.0,
        # Behind a job that takes hours they do not pile up: the worker throws them away.
        "options": {"expires": 25},
    },
    "send reminders": {
        "task": "annotation.answering.tasks.send_reminders",
        "schedule": 60.0,
        "options": {"expires": 50},
    },
    "send intents": {
        "task": "annotation.crowds.tasks.send_intents",
        "schedule": 5.0,
        "options": {"expires": 10},
    },
    "poll listings": {
        "task": "annotation.crowds.tasks.poll_listings",
        "schedule": float(_HASTE or 60),
        "options": {"expires": 50},
    },
    "erase what is due": {
        "task": "annotation.people.tasks.erase_personal_data",
        "schedule": 600.0,
        "options": {"expires": 550},
    },
    "forget outdated": {
        "task": "annotation.core.tasks.forget_outdated",
        "schedule": 3600.0,
        "options": {"expires": 3500},
    },
    "look for alerts": {
        "task": "annotation.monitoring.tasks.look_for_alerts",
        "schedule": 60.0,
        "options": {"expires": 50},
    },
    "send alerts": {
        "task": "annotation.monitoring.tasks.send_alerts",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "grant phases": {
        "task": "annotation.crowds.tasks.grant_phases",
        "schedule": float(_HASTE or 60),
        "options": {"expires": 50},
    },
    "watch studies": {
        "task": "annotation.monitoring.tasks.watch_studies",
        "schedule": 60.0,
        "options": {"expires": 50},
    },
}

# A line for each request (annotation/core/access_log.py): without network addresses; or with them,
# in files of the data folder that are deleted after so many days.
ACCESS_LOG = flag("ACCESS_LOG", default=False)
ACCESS_LOG_ADDRESS_DAYS = number("ACCESS_LOG_ADDRESS_DAYS", default=0)
if ACCESS_LOG_ADDRESS_DAYS < 0:
    raise ImproperlyConfigured("ACCESS_LOG_ADDRESS_DAYS is a number of days from 0 on.")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "full_disk": {"()": "config.logs.FullDisk"},
        "mask_keys": {"()": "config.logs.MaskKeys"},
    },
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "filters": ["full_disk", "mask_keys"],
            "formatter": "line",
        }
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        # Django's own handlers would write unmasked paths, or mail them.
        "django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "annotation": {"level": "INFO"},
        # A line for each task that beat sends would fill a disk; failures are errors.
        "celery.beat": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        # Below, it writes whole addresses, and the one of SONA's credit holds a token.
        "urllib3": {"level": "INFO"},
        "likeness.access": {"level": "INFO"},
        # The web servers have handlers of their own, and may name an address in an error.
        "gunicorn.error": {"filters": ["mask_keys"]},
        "waitress": {"filters": ["mask_keys"]},
        # Of every request that has to wait for a thread.
        "waitress.queue": {"level": "ERROR"},
    },
}

# How people reach this server from outside: platforms that pay send them here.
PUBLIC_URL = os.environ.get("LIKENESS_PUBLIC_URL", "").strip().rstrip("/")
# Installations of paid platforms beside their own, named by the operator: of Mechanical Turk the
# requester's address and the workers' site, of Prolific the API's and the participants' site, of
# Connect the API's.
MTURK_ENDPOINTS = endpoints("LIKENESS_MTURK_ENDPOINTS", n=2)
PROLIFIC_ENDPOINTS = endpoints("LIKENESS_PROLIFIC_ENDPOINTS", n=2)
CONNECT_ENDPOINTS = endpoints("LIKENESS_CONNECT_ENDPOINTS", n=1)
# Sites of SONA, such as https://school.sona-systems.com, at which a panel may give credit.
SONA_SITES = addresses("LIKENESS_SONA_SITES")
# Webhooks of alerts go to https addresses of the public internet only, and to these origins:
# inside the operator's own network, or by plain http.
WEBHOOK_ORIGINS = origins("LIKENESS_WEBHOOK_ORIGINS")

# -- Likeness ---------------------------------------------------------------------------------
# The function that tells the time. Only a test's own settings name another one.
CLOCK = "django.utils.timezone.now"
# Without activity for this long an assignment gives its place back (a study may say otherwise).
IDLE_MINUTES = 120
# Names, addresses and ids of platforms are erased so many days after a study was finished, or
# else closed (a study may say fewer or more, up to the maximum). 0: nothing is erased by itself
# unless a study says so.
RETENTION_DAYS = number("LIKENESS_RETENTION_DAYS", default=365)
RETENTION_MAX_DAYS = max(
    1, RETENTION_DAYS, number("LIKENESS_RETENTION_MAX_DAYS", default=max(3650, RETENTION_DAYS))
)
if RETENTION_DAYS < 0 or number("LIKENESS_RETENTION_MAX_DAYS", default=1) < 1:
    raise ImproperlyConfigured(
        "LIKENESS_RETENTION_DAYS is a number of days from 0 on, LIKENESS_RETENTION_MAX_DAYS from 1"
        " on."
    )
# What each limit is good for, and how it answers, stands in docs/limits.md.
# Joins of one study by its open link from one address: a tenth of its places an hour, and at least
# so many. Whoever has the invitation code, or comes with an announced class, is not counted.
JOINS_PER_ADDRESS_PER_HOUR = number("JOINS_PER_ADDRESS_PER_HOUR", default=3)
# Launches of one listing of a paid platform from one address.
LAUNCHES_PER_ADDRESS_PER_HOUR = number("LAUNCHES_PER_ADDRESS_PER_HOUR", default=300)
# Sittings of one person that are said to be returned, by unsigned launches from one address.
TAKE_OVERS_PER_PERSON_PER_HOUR = 5
# Of one task on a platform; somebody who returns it makes room for another.
JOINS_PER_TICKET_PLACE_PER_HOUR = 10
# Whoever comes while more sittings are open than the task has is asked to come back after this.
CROWDED_RETRY_MINUTES = 5
# Who joined by the open link so long ago and has completed no answer (a draft is none) gives the
# place to whoever comes while no other is free, and goes on all the same when they begin later.
SILENT_MINUTES = number("SILENT_MINUTES", default=30)
# Whoever answers screens in less time than this is held for review (a study may say otherwise; 0:
# nobody is). To recognise one word and press a key takes people more than half a second.
SCREEN_SECONDS = number("SCREEN_SECONDS", default=1)
# Whom no platform vouches for and who has answered nothing holds a place no longer than this:
# launches can be forged. Assumed to be longer than most people read before they begin; whoever
# reads longer goes on all the same.
SILENT_LAUNCH_MINUTES = 15
# Wrong codes to come back by: per address and per study, in a minute.
CODE_TRIES_PER_ADDRESS = number("CODE_TRIES_PER_ADDRESS", default=10)
CODE_TRIES_PER_STUDY = number("CODE_TRIES_PER_STUDY", default=100)
# How often one answer may be changed, and how many answers one person may have stored in a minute
# when they change one: far more than people do, and what a program cannot fill a disk with.
REVISIONS_PER_QUESTION = number("REVISIONS_PER_QUESTION", default=200)
ANSWERS_PER_MINUTE = number("ANSWERS_PER_MINUTE", default=120)
# Sign-ins of researchers from one address in a minute, with whatever password: looking at it takes
# time. A browser in which somebody has signed in before is not counted.
LOGIN_TRIES_PER_ADDRESS = number("LOGIN_TRIES_PER_ADDRESS", default=20)
# Wrong passwords: a browser in which somebody has signed in before is counted by itself.
# By one name from one address: in a minute, and in an hour; so 480 in a day.
LOGIN_TRIES_PER_NAME = 5
LOGIN_TRIES_PER_NAME_HOUR = 20
# After so many by one name in an hour, wherever from, each address has only the next number.
LOGIN_TRIES_PER_NAME_ANYWHERE = 30
LOGIN_TRIES_PER_NAME_ATTACKED = 3
# A job whose heartbeat is older is taken to be dead; a queued one older than this is sent again.
JOB_HEARTBEAT_SECONDS = 2
JOB_DEAD_AFTER_SECONDS = number("JOB_DEAD_AFTER_SECONDS", default=15)
JOB_MAX_ATTEMPTS = 5
# After so many a job that computes measures or trains a model fails; 0: never.
JOB_HOURS = number("LIKENESS_JOB_HOURS", default=24)
