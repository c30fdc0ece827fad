"""An annotator with a browser that has no JavaScript: joins, reads screens, sends forms."""

from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.answering.services import instructions
from annotation.models import Annotator, Assignment, Question, Study
from tests.support import factories
from tests.support.form_reader import FormReader


def read(response: HttpResponse) -> FormReader:
    return FormReader(response.content.decode())


@dataclass
class Participant:
    """Somebody past the instructions, at their first screen."""

    study: Study
    client: Client = field(default_factory=Client)

    def __post_init__(self) -> None:
        joined = factories.join(self.study)
        instructions.begin(annotator=joined.annotator)
        self.key = joined.key
        self.assignment: Assignment = joined.assignment

    @property
    def annotator(self) -> Annotator:
        return Annotator.objects.get(pk=self.assignment.annotator_id)

    def url(self, rest: str = "") -> str:
        return f"/a/{self.key}/{rest}"

    def get(self, rest: str = "", **options: Any) -> Any:
        return self.client.get(self.url(rest), **options)

    def post(self, rest: str = "", data: dict[str, Any] | None = None, **options: Any) -> Any:
        return self.client.post(self.url(rest), data or {}, **options)

    def form(self, screen: int = 1) -> dict[str, str]:
        """What the form of a screen would send if nothing were touched."""
        return read(self.get(f"s/{screen}/")).forms[self.url(f"s/{screen}/")]

    def questions(self, screen: int = 1) -> list[Question]:
        return list(self.assignment.booklet.questions.filter(screen=screen).order_by("position"))

    def items(self, question: Question) -> list[int]:
        """What may be picked, in the order of the screen."""
        options = read(self.get(f"s/{question.screen}/")).options
        return [int(item) for item in options[f"q{question.pk}-best"]]

    def filled(self, screen: int = 1, *, best: int = 0, worst: int = 1) -> dict[str, str]:
        """The form with the options at these places chosen in every question."""
        page = read(self.get(f"s/{screen}/"))
        data = page.forms[self.url(f"s/{screen}/")]
        for name, options in page.options.items():
            data[name] = options[best if name.endswith("-best") else worst]
        return data

    def choice(self, question: Question, **changes: str) -> dict[str, str]:
        """What the page's script sends when it saves one question."""
        screen = question.screen
        filled = self.filled(screen)
        prefix = f"q{question.pk}-"
        sent = {
            name.removeprefix(prefix): value
            for name, value in filled.items()
            if name.startswith(prefix)
        }
        return {
            **sent,
            "active_ms": "1200",
            "sequence": "1",
            "idempotency_key": "b5a5e0a8-5e0f-4f0e-9d3a-0d5a6f0c1b11",
            **changes,
        }

    def save(self, question: Question, data: dict[str, str], **options: Any) -> Any:
        return self.post(f"q/{question.pk}/", data, headers={"accept": "application/json"})

    def answer_everything(self) -> None:
        for screen in range(1, self.assignment.booklet.n_screens + 1):
            response = self.post(f"s/{screen}/", {**self.filled(screen), "go": "next"})
            assert response.status_code == 303, response.content.decode()


def writes(context: CaptureQueriesContext) -> list[str]:
    """The statements that would change a row."""
    return [
        query["sql"]
        for query in context.captured_queries
        if query["sql"].split()[0] in {"INSERT", "UPDATE", "DELETE", "REPLACE"}
    ]


def watched() -> CaptureQueriesContext:
    return CaptureQueriesContext(connection)
