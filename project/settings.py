"""Django's settings. Everything that a site may choose is read in ``env.py``."""

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from project.env import BASE_DIR, HOME, channel_layers, database, env, secret_key, url_passwords
from project.logs import logging_config

SECRET_KEY = secret_key()
# Keys of before: what they sealed and signed is still read, nothing new is made with them.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]", env.str("HOST", default="localhost")]
)
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.admin",
    "django.contrib.humanize",
    "channels",
    "django_htmx",
    "csp",
    "axes",
    "agents",
    "reviews",
    "project",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "project.urls"
ASGI_APPLICATION = "project.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "reviews.context.shell",
            ],
        },
    }
]

DATABASES = {"default": database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CHANNEL_LAYERS = channel_layers()
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "inbox"
LOGOUT_REDIRECT_URL = "sign-in"
# A pair of account and address is slowed down, so that a stranger cannot lock an account out.
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_VERBOSE = False
# The socket of the server is the only address trusted: no forwarded header is, unless a proxy is named.
AXES_IPWARE_PROXY_COUNT = env.int("PROXY_COUNT", default=0)

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="UTC")

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = HOME / "static"
SERVESTATIC_USE_FINDERS = True
MEDIA_ROOT = HOME / "files"
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(MEDIA_ROOT)},
    },
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

# Cookies are marked secure when the site says that it is served over HTTPS.
HTTPS = env.bool("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.int("PROXY_COUNT", default=0) else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_AGE = 14 * 24 * 3600
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# Uploads: a file is refused at the door above these.
UPLOAD_MAX_BYTES = env.int("UPLOAD_MAX_BYTES", default=50 * 1024 * 1024)
UPLOAD_MAX_PAGES = env.int("UPLOAD_MAX_PAGES", default=300)
UPLOAD_MAX_SECONDS = env.int("UPLOAD_MAX_SECONDS", default=20)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024

# The engine.
DAYBOOK_HOME = HOME
DAYBOOK_LEASE_SECONDS = env.float("DAYBOOK_LEASE_SECONDS", default=30.0)
DAYBOOK_WORKERS = env.int("DAYBOOK_WORKERS", default=2)
DAYBOOK_FAULT = env.str("DAYBOOK_FAULT", default="")
DAYBOOK_TOOL_HOSTS = env.list("DAYBOOK_TOOL_HOSTS", default=[])
DAYBOOK_TOOLS = env.list("DAYBOOK_TOOLS", default=[])
# Programs that owners of studies, not only administrators, may start as MCP servers.
DAYBOOK_MCP_COMMANDS = env.list("DAYBOOK_MCP_COMMANDS", default=[])
# "off" forbids the sandbox on this site, whatever a study says.
DAYBOOK_SANDBOX = env.str("DAYBOOK_SANDBOX", default="auto")
# Where instruments reach this site: their callbacks go to an address that begins with it.
DAYBOOK_PUBLIC_URL = env.str("DAYBOOK_PUBLIC_URL", default="")
CHROMA_URL = env.str("CHROMA_URL", default="")
REDIS_URL = env.str("REDIS_URL", default="")
EMBEDDINGS_MODEL = env.str("EMBEDDINGS_MODEL", default="")
OPENAI_API_KEY = env.str("OPENAI_API_KEY", default="")
OPENAI_BASE_URL = env.str("OPENAI_BASE_URL", default="")
DAYBOOK_MODELS = {
    role: env.str(f"DAYBOOK_MODEL_{role.upper()}", default=env.str("DAYBOOK_MODEL", default="gpt-5-mini"))
    for role in ("reason", "refine", "digest", "review")
}
# The window of the models in tokens; prompts are packed to fit. 0 keeps the built-in 16,384.
DAYBOOK_CONTEXT_TOKENS = env.int("DAYBOOK_CONTEXT_TOKENS", default=0)
# Price in money per million tokens: {"model": [prompt, cached prompt, completion]}.
DAYBOOK_PRICES = env.json("DAYBOOK_PRICES", default={})

# Telling people. Without EMAIL_URL there is no mail: notices then stay in the application.
DAYBOOK_URL = env.str(
    "DAYBOOK_URL", default=f"http://{env.str('HOST', default='127.0.0.1')}:{env.str('PORT', default='8000')}"
)
EMAIL_IS_CONFIGURED = bool(env.str("EMAIL_URL", default=""))
vars().update(env.email_url("EMAIL_URL", default="consolemail://"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="Daybook <daybook@localhost>")
# Hosts inside the network that webhooks may reach, and services of Apprise besides the public ones.
DAYBOOK_NOTIFY_HOSTS = env.list("DAYBOOK_NOTIFY_HOSTS", default=[])
DAYBOOK_APPRISE_SCHEMAS = env.list("DAYBOOK_APPRISE_SCHEMAS", default=[])

CELERY_BROKER_URL = REDIS_URL or None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1

# The memory that this process should stay below, in megabytes; 0: what its container allows.
DAYBOOK_MEMORY_MB = env.int("DAYBOOK_MEMORY_MB", default=0)
LOGGING = logging_config(
    level=env.str("LOG_LEVEL", default="WARNING"),
    as_json=env.str("DAYBOOK_LOG", default="plain") == "json",
    file=env.str("DAYBOOK_LOG_FILE", default=""),
    secrets=[
        SECRET_KEY,
        *SECRET_KEY_FALLBACKS,
        OPENAI_API_KEY,
        *url_passwords("DATABASE_URL", "REDIS_URL", "CHROMA_URL"),
    ],
)
