"""`make run`: database, web server, Celery worker and beat in one process, on one machine."""

import contextlib
import logging
import os
import secrets
import shlex
import signal
import socket
import sys
import threading
from argparse import ArgumentParser
from importlib import import_module
from types import FrameType
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.checks import Tags
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.urls import reverse
from django.utils.module_loading import import_string

from annotation.core import middleware
from annotation.core.services import workers
from annotation.models import Study
from annotation.monitoring.services import worker_watch
from config import static
from config.celery import app, make_app, require_server
from config.webserver import WebServer

logger = logging.getLogger("annotation.serve")

DEMO_SLUGS = ("demo-de", "demo-en")


class Command(BaseCommand):
    help = (
        "Start the web server, the workers and beat on this machine, in one process. Redis and a"
        " database server are not needed."
    )
    # Without those of the URLs and of the admin site, which load all pages; `make check` has them.
    requires_system_checks = [
        *(Tags.caches, Tags.compatibility, Tags.files, Tags.models, Tags.security),
        *(Tags.staticfiles, Tags.templates, Tags.translation),
    ]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--host",
            default=os.environ.get("HOST", "127.0.0.1"),
            help="address to listen on (default: HOST, or 127.0.0.1)",
        )
        parser.add_argument(
            "--port",
            type=int,
            default=int(os.environ.get("PORT") or 8000),
            help="port to listen on (default: PORT, or 8000)",
        )
        parser.add_argument(
            "--threads", type=int, default=8, help="threads of the web server (default: 8)"
        )
        parser.add_argument("--no-worker", action="store_true", help="start no workers here")
        parser.add_argument("--no-demo", action="store_true", help="do not load the demo studies")

    def handle(self, *args: Any, **options: Any) -> None:
        # Asked for before anything is written: a taken port is the commonest mistake.
        listener = _listen(options["host"], options["port"])
        settings.DATA.mkdir(mode=0o700, parents=True, exist_ok=True)
        _migrate()
        static.collect_changed()
        base = f"http://{options['host']}:{listener.getsockname()[1]}"
        lines = [f"Likeness is ready: {base}/", ""]
        lines += _researcher(base)
        if not options["no_demo"]:
            lines += _demo(base)
        # Of all threads: whoever answers a request may send a job.
        app.finalize()
        app.set_default()
        server = _web_server(listener, threads=options["threads"])
        worker_watch.start()
        lines += ["", f"Data: {settings.DATA}", "Press Ctrl-C to stop."]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()
        threading.Thread(
            target=_finish_start, args=[not options["no_worker"]], name="start", daemon=True
        ).start()
        _serve(server)


def _migrate() -> None:
    try:
        call_command("migrate", check_unapplied=True, verbosity=0)
    except SystemExit:
        call_command("migrate", verbosity=0, interactive=False)


def _finish_start(has_worker: bool) -> None:
    """Start the workers and load the researchers' pages; annotators are answered meanwhile."""
    try:
        if has_worker:
            _start_workers()
        import_module(settings.ROOT_URLCONF)
    except Exception:
        logger.exception("Likeness cannot start")
        os._exit(1)
    finally:
        connections.close_all()


def _listen(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        raise CommandError(
            f"{host}:{port} cannot be used ({error.strerror}); choose another port, as in"
            f" PORT={port + 1} make run."
        ) from error
    return listener


def _of_this_data() -> str:
    """What a command needs in front to change these data; whoever started this may have set it."""
    if settings.DATA == settings.BASE_DIR / "var":
        return ""
    return f"LIKENESS_DATA={shlex.quote(str(settings.DATA))} "


def _researcher(base: str) -> list[str]:
    """Make the first account; its password is shown this once."""
    page = f"{base}/admin/"
    if User.objects.filter(is_superuser=True).exists():
        return [
            f"Researcher:  {page}   (account and password as before; to change the password:"
            f" {_of_this_data()}.venv/bin/python manage.py changepassword researcher)"
        ]
    password = secrets.token_urlsafe(9)
    User.objects.create_superuser("researcher", password=password)
    return [
        f"Researcher:  {page}",
        "  account    researcher",
        f"  password   {password}   (shown once; change it in the admin site)",
    ]


def _demo(base: str) -> list[str]:
    owner = User.objects.filter(is_superuser=True).order_by("pk").first()
    assert owner is not None  # made just above
    if not Study.objects.exists():
        import_string("annotation.simulation.demo.load")(owner=owner)
    links = [
        f"  {study.title:<44} {base}{_link_of(study)}"
        for study in Study.objects.filter(slug__in=DEMO_SLUGS, state=Study.State.OPEN).order_by(
            "slug"
        )
    ]
    return ["", "Annotator links:", *links] if links else []


def _link_of(study: Study) -> str:
    return reverse("annotator:join", "config.annotator_urls", args=[study.join_token])


def _start_workers() -> None:
    """A Celery worker for each queue, and beat, each in a thread; they end with the process."""
    from celery.beat import Service  # noqa: PLC0415 - slow, as workers are
    from celery.signals import beat_init  # noqa: PLC0415

    from config.beat import Scheduler  # noqa: PLC0415

    # The broker of this process alone is enough here.
    beat_init.disconnect(require_server)

    ready = [_start_worker(queue) for queue in settings.QUEUES]
    beat = Service(app=app, scheduler_cls=Scheduler, max_interval=1)
    threading.Thread(
        target=beat.start, kwargs={"embedded_process": False}, name="beat", daemon=True
    ).start()
    for event in ready:
        event.wait(15)
    workers.seen(workers.SHORT)
    workers.seen(workers.LONG)


def _start_worker(queue: str) -> threading.Event:
    """Start a worker of one queue; the event is set when it is ready."""
    from celery.worker import WorkController  # noqa: PLC0415 - slow, and not for --no-worker

    ready = threading.Event()
    worker = WorkController(
        # Which queues a worker listens to is kept in its application.
        app=make_app(),
        queues=[queue],
        pool="solo",
        concurrency=1,
        hostname=f"{queue}-{os.getpid()}@localhost",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        ready_callback=lambda consumer: ready.set(),
    )
    threading.Thread(target=worker.start, name=f"worker of {queue}", daemon=True).start()
    return ready


def _web_server(listener: socket.socket, *, threads: int) -> WebServer:
    settings.WEB_THREADS = threads
    return WebServer(
        get_wsgi_application(),
        [listener],
        threads=threads,
        long_body_sender=middleware.long_body_sender,
    )


def _serve(server: WebServer) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    # SIGINT too: a process started in the background by a script ignores it until told otherwise.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            server.poll()
    # Jobs in the worker's thread are not waited for: the next start takes them up again.
    sys.stdout.flush()
    os._exit(0)
