"""A bare Django application that shows and saves with as many queries as Likeness does.

No middleware, no templates, no forms, no signatures; the same server, the same database settings,
the same addresses. Its rows are people, the tasks of their booklets, three options for each task,
answers and drafts. Every query goes through Django's ORM, finds rows by an index and makes model
instances, as Likeness's do.

BARE_SHOW, BARE_SAVE and BARE_DRAFT tell how many queries the views make (BEGIN and COMMIT are not
counted; saving has one transaction, which locks the person's row). What such an application needs
comes first, what makes it comfortable follows; further ones are look-ups by primary key.

    gunicorn benchmarks.bare
    python -m benchmarks.bare serve PORT THREADS
    python -m benchmarks.bare populate TASKS PEOPLE SCREENS
"""

import json
import os
import sys
from typing import Any
from uuid import UUID, uuid4

import django
from django.conf import settings

from config.settings import DATABASES

settings.configure(
    DATABASES=DATABASES,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    SECRET_KEY="nothing is signed here",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=[],
    LOGGING_CONFIG=None,
    USE_TZ=True,
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402 - models and URLs need the settings
from django.db import connection, models, transaction  # noqa: E402
from django.http import HttpRequest, HttpResponse, JsonResponse  # noqa: E402
from django.urls import path  # noqa: E402
from django.utils import timezone  # noqa: E402

N_SHOW = int(os.environ.get("BARE_SHOW", "6"))
N_SAVE = int(os.environ.get("BARE_SAVE", "9"))
N_DRAFT = int(os.environ.get("BARE_DRAFT", "8"))


class Person(models.Model):
    key = models.CharField(max_length=64, unique=True)
    booklet = models.IntegerField()
    last_active_at = models.DateTimeField()

    class Meta:
        app_label = "bare"


class Task(models.Model):
    booklet = models.IntegerField()
    screen = models.IntegerField()
    text = models.TextField()

    class Meta:
        app_label = "bare"
        unique_together = [("booklet", "screen")]


class Option(models.Model):
    task = models.ForeignKey(Task, models.CASCADE, related_name="options")
    position = models.IntegerField()
    text = models.TextField()

    class Meta:
        app_label = "bare"


class Answer(models.Model):
    person = models.ForeignKey(Person, models.CASCADE, related_name="answers")
    task = models.ForeignKey(Task, models.CASCADE)
    best = models.ForeignKey(Option, models.CASCADE, related_name="+")
    worst = models.ForeignKey(Option, models.CASCADE, related_name="+")
    comment = models.TextField()
    active_ms = models.IntegerField()
    answered_at = models.DateTimeField()
    idempotency_key = models.UUIDField()

    class Meta:
        app_label = "bare"
        unique_together = [("person", "task"), ("person", "idempotency_key")]


class Draft(models.Model):
    person = models.ForeignKey(Person, models.CASCADE, related_name="drafts")
    task = models.ForeignKey(Task, models.CASCADE)
    payload = models.JSONField()

    class Meta:
        app_label = "bare"
        unique_together = [("person", "task")]


def show(request: HttpRequest, key: str, number: int) -> HttpResponse:
    person = Person.objects.get(key=key)
    task = Task.objects.get(booklet=person.booklet, screen=number)
    steps = [
        lambda: list(task.options.order_by("position")),
        lambda: Answer.objects.filter(person=person, task=task).first(),
        person.answers.count,
        lambda: Draft.objects.filter(person=person, task=task).first(),
    ]
    options = steps[0]()
    for step in steps[1 : N_SHOW - 2]:
        step()
    _more(person, N_SHOW - 2 - len(steps))
    radios = "".join(
        f'<p>{o.text}<input type="radio" name="q{task.pk}-best" value="{o.pk}">'
        f'<input type="radio" name="q{task.pk}-worst" value="{o.pk}"></p>'
        for o in options
    )
    return _answer(
        f"<!DOCTYPE html><title>{number}</title><p>{task.text}</p>{radios}"
        f'<input type="hidden" name="q{task.pk}-shown" value="-">'
    )


def save(request: HttpRequest, key: str, pk: int) -> HttpResponse:
    person = Person.objects.get(key=key)
    task = Task.objects.get(pk=pk)
    sent = request.POST
    is_complete = bool(sent["best"] and sent["worst"])
    # Person, task and the row that is written are always there.
    n_left = (N_SAVE if is_complete else N_DRAFT) - 3
    has_lock, has_earlier, touches, has_options, has_other, counts = (n_left > n for n in range(6))
    if has_options:
        options = list(Option.objects.filter(task=task).values_list("pk", flat=True))
        assert not sent["best"] or int(sent["best"]) in options
    with transaction.atomic():
        if has_lock:
            person = Person.objects.select_for_update().get(pk=person.pk)
        if is_complete:
            _record(person, task, sent, has_earlier=has_earlier, drops_draft=has_other)
        else:
            _keep(person, task, sent, has_earlier=has_earlier, looks_for_answer=has_other)
        if touches:
            person.last_active_at = timezone.now()
            person.save(update_fields=["last_active_at"])
    if counts:
        person.answers.count()
    _more(person, n_left - 6)
    return _answer(json.dumps({"state": "saved"}), "application/json")


def _record(
    person: Person, task: Task, sent: Any, *, has_earlier: bool, drops_draft: bool
) -> None:
    if drops_draft:
        Draft.objects.filter(person=person, task=task).delete()
    if has_earlier and Answer.objects.filter(person=person, task=task).first():
        return
    Answer.objects.create(
        person=person,
        task=task,
        best_id=int(sent["best"]),
        worst_id=int(sent["worst"]),
        comment=sent["comment"],
        active_ms=int(sent["active_ms"]),
        answered_at=timezone.now(),
        idempotency_key=UUID(sent["idempotency_key"]),
    )


def _keep(
    person: Person, task: Task, sent: Any, *, has_earlier: bool, looks_for_answer: bool
) -> None:
    if looks_for_answer:
        Answer.objects.filter(person=person, task=task).first()
    if has_earlier and Draft.objects.filter(person=person, task=task).first():
        return
    Draft.objects.create(person=person, task=task, payload={"best": sent["best"]})


def _more(person: Person, n: int) -> None:
    for _ in range(n):
        Person.objects.get(pk=person.pk)


def _answer(content: str, kind: str = "text/html") -> HttpResponse:
    # Without the length a server would send chunks.
    body = content.encode()
    return HttpResponse(body, content_type=kind, headers={"Content-Length": str(len(body))})


def health(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"ok": True})


urlpatterns = [
    path("healthz/", health),
    path("a/<slug:key>/s/<int:number>/", show),
    path("a/<slug:key>/q/<int:pk>/", save),
]
application = get_wsgi_application()


def populate(n_tasks: int, n_people: int, n_screens: int) -> list[tuple[str, int]]:
    """As many tasks and people as the study of Likeness has; every task is answered once."""
    with connection.schema_editor() as editor:
        for model in (Person, Task, Option, Answer, Draft):
            editor.create_model(model)
    now = timezone.now()
    n_booklets = n_tasks // n_screens
    words = "a sentence of about a dozen words, as long as those of the dialogues are"
    with transaction.atomic():
        tasks = Task.objects.bulk_create(
            (
                Task(booklet=n // n_screens, screen=n % n_screens + 1, text=f"{n} {words}")
                for n in range(n_booklets * n_screens)
            ),
            batch_size=2000,
        )
        options = Option.objects.bulk_create(
            (
                Option(task=task, position=position, text=f"{position} {words}")
                for task in tasks
                for position in range(3)
            ),
            batch_size=2000,
        )
        people = Person.objects.bulk_create(
            (
                Person(key=uuid4().hex, booklet=n % n_booklets, last_active_at=now)
                for n in range(n_people + n_booklets)
            ),
            batch_size=2000,
        )
        Answer.objects.bulk_create(
            (
                Answer(
                    person=people[n_people + task.booklet],
                    task=task,
                    best=options[3 * n],
                    worst=options[3 * n + 1],
                    comment="",
                    active_ms=2000,
                    answered_at=now,
                    idempotency_key=uuid4(),
                )
                for n, task in enumerate(tasks)
            ),
            batch_size=2000,
        )
    return [(person.key, n_screens) for person in people[:n_people]]


def main(command: str, *arguments: str) -> None:
    if command == "populate":
        print(json.dumps(populate(*map(int, arguments))))
    else:
        from waitress import serve  # noqa: PLC0415 - gunicorn does without

        port, threads = map(int, arguments)
        serve(
            application,
            host="127.0.0.1",
            port=port,
            threads=threads,
            ident=None,
            connection_limit=1000,
            channel_timeout=60,
            asyncore_use_poll=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
