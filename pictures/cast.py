"""Annotators at every point of their way, in studies of one language."""

import io
import json
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from annotation import keys, presets
from annotation.answer_kinds import BestWorstAnswer
from annotation.models import Annotator, Question, Study
from annotation.services import (
    assignments,
    designs,
    imports,
    instructions,
    judgments,
    people,
    studies,
)

HERE = Path(__file__).parent
# Right-to-left text; the controls stay English.
RIGHT_TO_LEFT = "ar"


@cache
def dialogues(language: str, n: int) -> bytes:
    """So many dialogues as lines of JSON: the demo's, or our own where the demo has none."""
    demo = settings.BASE_DIR / "demo" / f"dialogues.{language}.jsonl"
    path = demo if demo.exists() else HERE / f"dialogues.{language}.jsonl"
    with path.open("rb") as file:
        return b"".join(islice(file, n))


def long_dialogues(language: str) -> bytes:
    """Dialogues in which many turns come before the target."""
    rows = [json.loads(line) for line in dialogues(language, 4).splitlines()]
    before = [turn for row in rows for turn in row["turns"]] * 2
    for row in rows:
        row["turns"] = before + row["turns"]
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def single_items(language: str) -> bytes:
    rows = [json.loads(line) for line in dialogues(language, 4).splitlines()]
    return "\n".join(c["text"] for row in rows for c in row["candidates"]).encode()


class Cast:
    """Makes studies once and people as often as they are asked for."""

    def __init__(self, base: str, language: str) -> None:
        self.base = base.rstrip("/")
        self.language = language
        self._studies: dict[str, Study] = {}
        self._owner = User.objects.create_user(f"owner-{uuid4().hex[:8]}", is_staff=True)

    # -- studies --------------------------------------------------------------------------------

    def study(self, name: str = "open") -> Study:
        """The study of this name: its state, or what is special about its texts."""
        if name not in self._studies:
            self._studies[name] = self._make(name)
        return self._studies[name]

    def another(self) -> str:
        """The name of an open study that nothing else happens to."""
        return f"another {len(self._studies)}"

    def _make(self, name: str) -> Study:
        language = RIGHT_TO_LEFT if name == "right to left" else self.language
        rows = {
            "long": lambda: long_dialogues(language),
            "items": lambda: single_items(language),
        }.get(name, lambda: dialogues(language, 4))()
        study = studies.create(
            owner=self._owner,
            title=presets.texts(self.language)["title"],
            language=language,
            preset="best-worst" if name == "items" else "giccs",
            seed=7,
        )
        filename = "items.txt" if name == "items" else "dialogues.jsonl"
        imports.import_items(study=study, path=io.BytesIO(rows), filename=filename)
        design = study.design
        design.parameters = {
            **design.parameters,
            "screens_per_booklet": 100 if name == "full" else 3,
            "annotations_per_tuple": 1 if name == "full" else 15,
        }
        design.save(update_fields=["parameters"])
        designs.make(design=design)
        study = studies.open_study(study=study)
        if name == "full":
            self._join(study)
        move = {"paused": studies.pause, "closed": studies.close, "finished": studies.finish}
        return move[name](study=study) if name in move else study

    # -- people -----------------------------------------------------------------------------------

    def _join(self, study: Study) -> tuple[str, Annotator]:
        joined = assignments.join(
            study=study, nonce=keys.new_nonce(), consent=studies.current_consent(study)
        )
        return joined.key, joined.annotator

    def newcomer(self, study: str = "open") -> str:
        """The key of somebody on a roster, who has not come yet."""
        entry = people.RosterEntry(uuid4().hex[:8])
        return people.add_roster(study=self.study(study), entries=[entry])[0].key

    def reader(self, study: str = "open") -> str:
        """Somebody who agreed and has the instructions before them."""
        return self._join(self.study(study))[0]

    def beginner(self, study: str = "open", *, answered: int = 0) -> str:
        """Somebody at work, with their first `answered` questions answered."""
        key, annotator = self._join(self.study(study))
        instructions.begin(annotator=annotator)
        assignment = assignments.current(annotator)
        asked = assignment.booklet.questions.order_by("screen", "position")
        for question in asked[:answered]:
            answer(assignment, question)
        return key

    def answer_first(self, key: str) -> None:
        """Answer their first question, as if on another device."""
        assignment = assignments.current(self.of(key))
        question = assignment.booklet.questions.order_by("screen", "position").first()
        assert question is not None  # no booklet is empty
        answer(assignment, question)

    def ready(self) -> str:
        """Somebody who has answered everything and not sent it yet."""
        return self.beginner(answered=1000)

    def done(self) -> str:
        key = self.ready()
        assignments.submit(assignment=assignments.current(self.of(key)))
        return key

    def withdrawn(self) -> str:
        key = self.beginner(answered=2)
        people.withdraw(annotator=self.of(key))
        return key

    def of(self, key: str) -> Annotator:
        return Annotator.objects.get(key_hash=keys.key_hash(key))

    # -- addresses --------------------------------------------------------------------------------

    def url(self, name: str, *arguments: Any) -> str:
        return self.base + reverse(f"annotator:{name}", args=arguments)

    def link(self, study: str = "open", name: str = "join") -> str:
        return self.url(name, self.study(study).join_token)


def answer(assignment: Any, question: Question, comment: str = "") -> None:
    """The second option as best, the first as worst."""
    worst, best, *_ = judgments.members(question)
    judgments.record(
        assignment=assignment,
        question=question,
        answer=BestWorstAnswer(best, worst, comment=comment),
        shown=judgments.Shown(
            order=judgments.members(question), at=timezone.now(), page="pictures"
        ),
        idempotency_key=uuid4(),
    )
