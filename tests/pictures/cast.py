"""Annotators at every point of their way, in studies of one language."""

import io
import json
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from annotation.answering.services import (
    assignments,
    instructions,
    judgments,
    phases,
    rosters,
    withdrawal,
)
from annotation.basics import keys
from annotation.basics.categories import Categories
from annotation.basics.scale import Scale
from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.kinds.design_parameters import (
    PhaseParameters,
    RatingParameters,
    SelectionParameters,
)
from annotation.kinds.label.answer import LabelAnswer
from annotation.kinds.rating.answer import RatingAnswer
from annotation.kinds.selection.answer import SelectionAnswer
from annotation.kinds.shown import Shown
from annotation.models import Annotator, Phase, PhaseRun, Question, Study, Turn
from annotation.studies import presets
from annotation.studies.services import studies

HERE = Path(__file__).parent
# Right-to-left text; the controls stay English.
RIGHT_TO_LEFT = "ar"
_FREE, _DEPENDENT = Phase.Condition.FREE.value, Phase.Condition.DEPENDENT.value
# Rating studies by name: the preset whose scale they have, and the condition of each phase.
RATINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "ratings": ("training", (_FREE,)),
    "ratings in context": ("training", (_DEPENDENT,)),
    "ratings twice": ("training", (_FREE, _DEPENDENT)),
    "ratings with words": ("answer-similarity", (_FREE,)),
    "fine ratings": ("stss-131", (_FREE,)),
    "labels": ("labels", (_FREE,)),
    "several labels": ("labels", (_DEPENDENT,)),
}


# Studies that compare items, where the plan is not that of GiCCS.
_PRESETS = {"items": "best-worst", "ranking": "ranking", "ranked items": "ranking"}


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


def pairs_in_context(language: str) -> bytes:
    """The last turn of each dialogue, in its dialogue, with two of its candidates."""
    rows = [json.loads(line) for line in dialogues(language, 4).splitlines()]
    pairs = [
        {
            "id": f"{row['id']}-{n}",
            "target": {
                "context": f"dialogue {row['id']}",
                **({"sentences": row["turns"]} if n == 0 else {}),
                "position": len(row["turns"]),
            },
            # Between two sentences of others: a document without speakers.
            "candidate": {
                "sentences": [turn["text"] for turn in row["turns"][:2]] + [candidate["text"]],
                "position": 3,
            },
        }
        for row in rows
        for n, candidate in enumerate(row["candidates"][:2])
    ]
    return "\n".join(json.dumps(pair, ensure_ascii=False) for pair in pairs).encode()


def incidents(language: str) -> bytes:
    """Of each dialogue the turns as a summary, and what answers to it as two reports."""
    rows = [json.loads(line) for line in dialogues(language, 4).splitlines()]
    made = [
        {
            "id": row["id"],
            "summary": [turn["text"] for turn in row["turns"]],
            "reports": [
                {"id": f"{row['id']}-{n}", "sentences": sentences}
                for n, sentences in enumerate(
                    (
                        [candidate["text"] for candidate in row["candidates"]],
                        [f"{turn['text']} {turn['text']}" for turn in row["turns"]],
                    )
                )
            ],
        }
        for row in rows
    ]
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in made).encode()


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

    def keep(self, name: str, make: Callable[[User, str], Study]) -> None:
        """Have a study of this name as a scene wants it: made of an owner and a language, once."""
        if name not in self._studies:
            self._studies[name] = make(self._owner, self.language)

    def another(self) -> str:
        """The name of an open study that nothing else happens to."""
        return f"another {len(self._studies)}"

    def _make(self, name: str) -> Study:
        if name in RATINGS:
            return self._make_ratings(name)
        if name == "selection":
            return self._make_selection()
        language = RIGHT_TO_LEFT if name == "right to left" else self.language
        rows = {
            "long": lambda: long_dialogues(language),
            "items": lambda: single_items(language),
            "ranked items": lambda: single_items(language),
        }.get(name, lambda: dialogues(language, 4))()
        study = studies.create(
            owner=self._owner,
            title=presets.texts(self.language)["title"],
            language=language,
            preset=_PRESETS.get(name, "giccs"),
            seed=7,
        )
        filename = "items.txt" if name in ("items", "ranked items") else "dialogues.jsonl"
        imports.import_items(study=study, path=io.BytesIO(rows), filename=filename)
        design = study.design
        design.parameters = {
            **design.parameters,
            "screens_per_booklet": 100 if name == "full" else 3,
            "annotations_per_tuple": 1 if name == "full" else 15,
        }
        if name == "ranking":
            # A dialogue's five candidates give five tuples of four.
            design.parameters["factor"] = 1.0
        design.save(update_fields=["parameters"])
        designs.make(design=design)
        study = studies.open_study(study=study)
        if name == "full":
            self._join(study)
        move = {"paused": studies.pause, "closed": studies.close, "finished": studies.finish}
        return move[name](study=study) if name in move else study

    def _make_ratings(self, name: str) -> Study:
        """Pairs to be rated: alone, in context, or alone and then in context."""
        preset, conditions = RATINGS[name]
        study = studies.create(
            owner=self._owner,
            title=presets.texts(self.language, "ratings")["title"],
            language=self.language,
            preset=preset,
            seed=7,
        )
        if name == "several labels":
            studies.edit(
                study=study, changes={"categories": {**study.categories, "several": True}}
            )
        pairs = io.BytesIO(pairs_in_context(self.language))
        imports.import_items(study=study, path=pairs, filename="pairs.jsonl")
        passes = [
            PhaseParameters(condition, delay_hours=72.0 if n else 0.0, closes_after_days=14.0)
            for n, condition in enumerate(conditions)
        ]
        parameters = RatingParameters(
            ratings_per_item=15, items_per_booklet=8, questions_per_screen=2, phases=passes
        )
        designs.set_parameters(study=study, parameters=parameters, seed=7)
        designs.make(design=study.design)
        return studies.open_study(study=study)

    def _make_selection(self) -> Study:
        study = studies.create(
            owner=self._owner,
            title=presets.texts(self.language, "selection")["title"],
            language=self.language,
            preset="czech-round-1",
            seed=7,
        )
        lines = io.BytesIO(incidents(self.language))
        imports.import_items(study=study, path=lines, filename="incidents.jsonl")
        parameters = SelectionParameters(people_per_incident=30)
        designs.set_parameters(study=study, parameters=parameters, seed=7)
        designs.make(design=study.design)
        return studies.open_study(study=study)

    # -- people -----------------------------------------------------------------------------------

    def _join(self, study: Study) -> tuple[str, Annotator]:
        joined = assignments.join(
            study=study, nonce=keys.new_nonce(), consent=studies.current_consent(study)
        )
        return joined.key, joined.annotator

    def newcomer(self, study: str = "open") -> str:
        """The key of somebody on a roster, who has not come yet."""
        entry = rosters.RosterEntry(uuid4().hex[:8])
        return rosters.add_roster(study=self.study(study), entries=[entry])[0].key

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

    def rater(self, study: str, *, phases_sent: int = 0) -> str:
        """Somebody who has sent so many phases of a rating study, and none of the next."""
        key, annotator = self._join(self.study(study))
        instructions.begin(annotator=annotator)
        assignment = assignments.current(annotator)
        assignment.annotator = annotator
        for _phase in range(phases_sent):
            run = phases.latest(assignment)
            for question in run.questions.order_by("screen", "position"):
                rate(run, question)
            assignments.submit(assignment=assignment, run=run.pk)
        return key

    def rate_first(self, key: str) -> None:
        """Rate their first pair, as if on another device."""
        assignment = assignments.current(self.of(key))
        run = phases.latest(assignment)
        question = run.questions.order_by("screen", "position").first()
        assert question is not None  # no booklet is empty
        rate(run, question)

    def label_first(self, key: str) -> None:
        """Put their first pair into the last category, as if on another device."""
        run = phases.latest(assignments.current(self.of(key)))
        question = run.questions.order_by("screen", "position").first()
        assert question is not None  # no booklet is empty
        categories = Categories.of(run.assignment.annotator.study.categories)
        judgments.record(
            assignment=run.assignment,
            question=question,
            answer=LabelAnswer((categories.names[-1],)),
            shown=Shown((), timezone.now(), "pictures", run=run.pk, categories=categories),
            idempotency_key=uuid4(),
        )

    def select(self, key: str, *, screen: int) -> None:
        """Select and rate sentences on one screen, as if on another device."""
        assignment = assignments.current(self.of(key))
        run = phases.latest(assignment)
        question = run.questions.get(screen=screen)
        assert question.turn is not None  # a selection is for a sentence
        reports = Turn.objects.filter(context__group=question.turn.context.group_id)
        turns: list[int] = list(
            reports.exclude(context=question.turn.context_id)
            .order_by("context", "position")
            .values_list("pk", flat=True)
        )
        scale = Scale.of(run.assignment.annotator.study.scale)
        shown = Shown(turns, timezone.now(), "pictures", scale, run.pk)
        judgments.record(
            assignment=assignment,
            question=question,
            answer=SelectionAnswer(
                similar=turns[0],
                middle=turns[1],
                dissimilar=turns[2],
                similar_rating=scale.high,
                middle_rating=scale.points[3],
                dissimilar_rating=scale.low,
            ),
            shown=shown,
            idempotency_key=uuid4(),
        )

    def move_phase(self, key: str, *, hours: float) -> None:
        """Let the phase that somebody waits for have opened so many hours ago."""
        run = phases.latest(assignments.current(self.of(key)))
        assert run.closes_at is not None  # every phase here closes
        by = run.opens_at - timezone.now() + timedelta(hours=hours)
        PhaseRun.objects.filter(pk=run.pk).update(
            opens_at=run.opens_at - by, closes_at=run.closes_at - by
        )

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
        withdrawal.withdraw(annotator=self.of(key))
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
        shown=Shown(order=judgments.members(question), at=timezone.now(), page="pictures"),
        idempotency_key=uuid4(),
    )


def rate(run: PhaseRun, question: Question) -> None:
    """In the middle of the scale."""
    scale = Scale.of(run.assignment.annotator.study.scale)
    judgments.record(
        assignment=run.assignment,
        question=question,
        answer=RatingAnswer(scale.points[scale.n_points // 2]),
        shown=Shown((), timezone.now(), "pictures", scale, run.pk),
        idempotency_key=uuid4(),
    )
