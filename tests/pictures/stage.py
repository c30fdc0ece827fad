"""An installation for the length of a visit: an empty database, a web server, a browser."""

import logging
import os
import secrets
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]


@contextmanager
def installation() -> Iterator[str]:
    """A web server on loopback, with a database that is gone afterwards; yields its address.

    To be called before anything of Django is imported: settings read the environment.
    """
    with tempfile.TemporaryDirectory(prefix="likeness-pictures-") as folder:
        for name in ("DATABASE_URL", "REDIS_URL", "STATIC_ROOT", "ALLOWED_HOSTS", "DEBUG"):
            os.environ.pop(name, None)
        os.environ["LIKENESS_DATA"] = folder
        os.environ["SECRET_KEY"] = secrets.token_hex(32)
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        # Playwright's loop runs in this thread, where Django would not touch a database.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        _prepare(Path(folder))
        yield from _serve()


def _prepare(folder: Path) -> None:
    import django
    from django.conf import settings
    from django.core.management import call_command

    # Compressed files with a mark of their content are of no use here, and take long to make.
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.WHITENOISE_AUTOREFRESH = settings.WHITENOISE_USE_FINDERS = True
    # Nobody here reads: what is answered at once is not held for review.
    settings.SCREEN_SECONDS = 0
    # Nothing here is worth a disk's time or a slow hash.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    options = settings.DATABASES["default"]["OPTIONS"]
    options["init_command"] = options["init_command"].replace("FULL", "OFF")
    (folder / "static").mkdir()
    django.setup()
    call_command("migrate", verbosity=0)


def _serve() -> Iterator[str]:
    from django.core.wsgi import get_wsgi_application
    from django.db import connections
    from waitress.server import create_server

    application = get_wsgi_application()
    # Answers other than 200 are meant, and counted elsewhere.
    for name in ("django.request", "waitress.queue"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    server = create_server(application, host="127.0.0.1", port=0, threads=4)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}"
    finally:
        server.close()
        thread.join(10)
        connections.close_all()
