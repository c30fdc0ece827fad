"""A researcher with studies at every point of their way."""

import io
import random
from collections.abc import Callable
from functools import cached_property
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from annotation.answering.services import (
    assignments,
    instructions,
    judgments,
    phases,
    rosters,
    withdrawal,
)
from annotation.answering.services.rosters import RosterEntry
from annotation.basics import keys
from annotation.basics.scale import Scale
from annotation.core.services import jobs, workers
from annotation.designs.services import designs, pilots
from annotation.items.imports.relabels import RequestedChange
from annotation.items.services import imports, relabellings
from annotation.kinds.best_worst.answer import BestWorstAnswer
from annotation.kinds.best_worst.taste import BestWorstTaste, draw_best_worst_taste
from annotation.kinds.rating.answer import RatingAnswer
from annotation.kinds.registry import kind_of
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Annotator, Assignment, Job, PhaseRun, Study, WorkerMark
from annotation.models.kinds import Source
from annotation.people.services import exclusions
from annotation.releases.release_description import Description
from annotation.releases.services import releases
from annotation.results.services import adjudications
from annotation.simulation import through_services
from annotation.studies import presets
from annotation.studies.services import researchers, studies
from tests.pictures.cast import Cast, dialogues, pairs_in_context
from tests.pictures.scenes import Scene, go

ROSTER = [RosterEntry("s17", "Ada Lovelace", "ada@example.org"), RosterEntry("s18", "Ben Okri")]


class Desk:
    """Somebody signed in, and the studies that they see."""

    def __init__(self, base: str, language: str) -> None:
        self.base = base.rstrip("/")
        self.language = language
        mark = uuid4().hex[:6]
        self.user = User.objects.create_user(
            f"grace-{mark}", first_name="Grace", is_staff=True, is_superuser=True
        )
        self.colleague = User.objects.create_user(f"alan-{mark}", is_staff=True)
        self.newcomer = User.objects.create_user(f"mary-{mark}", is_staff=True)

    # -- who looks, and at what -------------------------------------------------------------------

    def go(
        self, page: Page, path: str, *, user: User | None = None, has_worker: bool = True
    ) -> None:
        """Open a page of the admin site, signed in; a worker was seen just now, or never."""
        if has_worker:
            workers.seen()
        else:
            WorkerMark.objects.all().delete()
        client = Client()
        client.force_login(user or self.user)
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        page.context.add_cookies(
            [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": self.base}]
        )
        go(page, self.base + path)

    def leave(self, page: Page, path: str) -> None:
        """Open it as somebody who is not signed in."""
        page.context.clear_cookies()
        go(page, self.base + path)

    def of(self, study: Study, name: str, *arguments: Any) -> str:
        return reverse(f"admin:annotation_study_{name}", args=[study.pk, *arguments])

    # -- studies ----------------------------------------------------------------------------------

    def create(self, title: str, **options: Any) -> Study:
        options = {"preset": "giccs", "language": self.language, "seed": 11, **options}
        return studies.create(owner=self.user, title=title, **options)

    def add_items(self, study: Study, n: int = 16) -> Study:
        rows = io.BytesIO(dialogues(self.language, n))
        imports.import_items(study=study, path=rows, filename="dialogues.jsonl")
        return study

    @cached_property
    def empty(self) -> Study:
        """A draft without items."""
        return self.create("Pilot, April")

    @cached_property
    def filled(self) -> Study:
        """A draft with items, without a design."""
        return self.add_items(self.create("Replies on the phone"))

    @cached_property
    def piloted(self) -> Study:
        """The pilot of a draft, half answered; it words a question differently."""
        whole = self.add_items(self.create("Replies of strangers"))
        pilot = pilots.begin(study=whole, n_parts=4)
        changes = {"thanks": f"{pilot.thanks} ✓", "most_question": f"{pilot.most_question} (!)"}
        pilot = studies.edit(study=pilot, changes=changes)
        designs.make(design=pilot.design)
        pilot = studies.open_study(study=pilot)
        taste = draw_best_worst_taste(pilot, noise=0.3, seed=5)
        self.answer(pilot, taste, 1, is_complete=True)
        return pilot

    @cached_property
    def paired(self) -> Study:
        """A draft with pairs that are to be rated."""
        study = self.create("Pairs, second round", preset="sts-context")
        lines = ["id\ttarget\tcandidate", *(f"p{n}\tT{n}\tC" for n in range(1, 10)), ""]
        rows = io.BytesIO("\n".join(lines).encode())
        imports.import_items(study=study, path=rows, filename="pairs.tsv")
        return study

    @cached_property
    def made(self) -> Study:
        """A draft whose design is made: it could be opened."""
        study = self.add_items(self.create("Replies in writing"))
        designs.make(design=study.design)
        return study

    @cached_property
    def fresh(self) -> Study:
        """Open, and nobody came yet."""
        study = self.add_items(self.create("Replies, second round"))
        designs.make(design=study.design)
        return studies.open_study(study=study)

    @cached_property
    def failed(self) -> Study:
        """Its design could not be made."""
        study = self.add_items(self.create("Too few candidates"), 3)
        design = study.design
        design.parameters = {**design.parameters, "tuple_size": 5, "factor": 40.0}
        design.save(update_fields=["parameters"])
        jobs.run_here(study=study, kind=Job.Kind.MAKE_DESIGN, by=self.user)
        return study

    def busy(self, state: Job.State, **columns: Any) -> Job:
        """A study with a job in this state, which nobody works on."""
        study = self.add_items(self.create("Being made"), 4)
        return Job.objects.create(
            study=study,
            kind=Job.Kind.MAKE_DESIGN,
            state=state,
            requested_by=self.user,
            queued_at=timezone.now(),
            **columns,
        )

    @cached_property
    def collected(self) -> Study:
        """Answers of people and of simulated ones, results of both, somebody excluded."""
        study = self.create(presets.texts(self.language)["title"])
        design = self.add_items(study).design
        designs.make(design=design)
        study = studies.open_study(study=study)
        rosters.add_roster(study=study, entries=ROSTER)
        researchers.share(study=study, username=self.colleague.username)
        given = {
            item.key: 1 - (int(item.intended_class) - 1) / 4 for item in study.items.iterator()
        }
        taste = draw_best_worst_taste(study, noise=0.3, seed=5, given=given)
        through_services.answer(study=study, taste=taste, n_annotators=8, booklets_each=1)
        for number in range(14):
            self.answer(study, taste, number, is_complete=number < 12)
        exclusions.exclude(
            annotator=self.excluded_of(study), reason="clicked at random", by=self.user
        )
        for population in ("people", "simulated"):
            jobs.run_here(
                study=study,
                kind=Job.Kind.SCORE,
                parameters={"population": population, "n_splits": 200},
                by=self.user,
            )
        study.refresh_from_db()
        return study

    @cached_property
    def rated(self) -> Study:
        """Pairs rated in two phases: by simulated people, and by one who waits."""
        cast = Cast(self.base, self.language)
        cast.rater("ratings twice", phases_sent=1)
        study = cast.study("ratings twice")
        taste = kind_of(study).simulation.taste(study, noise=None, seed=5)
        through_services.answer(study=study, taste=taste, n_annotators=6)
        jobs.run_here(
            study=study,
            kind=Job.Kind.SCORE,
            parameters={"population": "simulated"},
            by=self.user,
        )
        return study

    @cached_property
    def labelled(self) -> Study:
        """Pairs to be put into categories: a draft whose design is made."""
        study = studies.create(
            owner=self.user, title="Which error?", language=self.language, preset="labels", seed=7
        )
        pairs = io.BytesIO(pairs_in_context(self.language))
        imports.import_items(study=study, path=pairs, filename="pairs.jsonl")
        designs.make(design=study.design)
        return study

    @cached_property
    def disputed(self) -> Study:
        """Pairs in context that people rated otherwise; an expert decided on one."""
        cast = Cast(self.base, self.language)
        study = cast.study("ratings in context")
        rng = random.Random(5)
        scale = Scale.of(study.scale)
        for _person in range(5):
            run = phases.latest(assignments.current(cast.of(cast.rater("ratings in context"))))
            for question in run.questions.order_by("screen", "position"):
                judgments.record(
                    assignment=run.assignment,
                    question=question,
                    answer=RatingAnswer(rng.choice(scale.points)),
                    shown=PresentedQuestion((), timezone.now(), "pictures", scale, run.pk),
                    idempotency_key=uuid4(),
                )
            assignments.submit(assignment=run.assignment, run=run.pk)
        decided, taken_back = study.items.order_by("number")[:2]
        for item in (decided, taken_back):
            made = adjudications.adjudicate(
                study=study,
                item=item,
                phase=study.design.phases.get(),
                rating=scale.points[1],
                reason="The second text is about another day.",
                by=self.user,
            )
        adjudications.lift(adjudication=made)
        context = study.contexts.order_by("pk")[0]
        relabellings.relabel(
            study=study,
            wanted=[
                RequestedChange(context.key, "domain", "weather", "context"),
                RequestedChange(decided.key, "difficulty", "hard", "item"),
            ],
            reason="As agreed on in April.",
            by=self.user,
        )
        jobs.run_here(
            study=study,
            kind=Job.Kind.SCORE,
            parameters={"population": "people"},
            by=self.user,
        )
        return study

    def waiting_run(self) -> PhaseRun:
        return PhaseRun.objects.get(
            assignment__annotator__study=self.rated,
            assignment__annotator__source=Source.REAL,
            completed_at=None,
        )

    def answer(
        self, study: Study, taste: BestWorstTaste, number: int, *, is_complete: bool
    ) -> None:
        joined = assignments.join(
            study=study, nonce=keys.new_nonce(), consent=studies.current_consent(study)
        )
        instructions.begin(annotator=joined.annotator)
        assignment = assignments.current(joined.annotator)
        self.answer_booklet(assignment, taste, number, n_questions=None if is_complete else 7)
        if is_complete:
            assignments.submit(assignment=assignment)

    @staticmethod
    def answer_booklet(
        assignment: Assignment, taste: BestWorstTaste, number: int, *, n_questions: int | None
    ) -> None:
        """Pick by the taste what a booklet asks, or its first questions."""
        rng = random.Random(number)
        asked = assignment.booklet.questions.select_related("tuple")
        for question in asked.order_by("screen", "position")[:n_questions]:
            members = judgments.members(question)
            best, worst = taste.pick(members, person=number, question=question.pk)
            judgments.record(
                assignment=assignment,
                question=question,
                answer=BestWorstAnswer(
                    best,
                    worst,
                    active_ms=int(rng.lognormvariate(9.2, 0.5)),
                    n_away=int(rng.random() < 0.1),
                    n_pasted=0,
                ),
                shown=PresentedQuestion(order=members, at=timezone.now(), page="pictures"),
                idempotency_key=uuid4(),
            )

    @cached_property
    def released(self) -> Study:
        """Two releases; somebody withdrew between them, and somebody was excluded since."""
        study = self.add_items(self.create("Replies, published"), 4)
        designs.make(design=study.design)
        study = studies.open_study(study=study)
        given = {item.key: item.number / 20 for item in study.items.iterator()}
        taste = draw_best_worst_taste(study, noise=0.3, seed=6, given=given)
        for number in range(4):
            self.answer(study, taste, number, is_complete=number < 3)
        leaves, excluded = study.annotators.order_by("pk")[:2]
        description = Description.of(
            {
                "title": "Replies to what was said",
                "summary": "Human judgments of how alike replies are.",
                "authors": [
                    {
                        "name": "Ada Lovelace",
                        "affiliation": "Analytical Engines",
                        "orcid": "0000-0002-1825-0097",
                    },
                    {"name": "Grace Hopper"},
                ],
                "licence": "CC-BY-4.0",
                "doi": "10.5281/zenodo.1234567",
                "keywords": ["similarity", "dialogue"],
            }
        )
        releases.make_here(study=study, description=description, by=self.user)
        withdrawal.withdraw(annotator=leaves)
        notes = "A person withdrew."
        releases.make_here(study=study, description=description, notes=notes, by=self.user)
        exclusions.exclude(annotator=excluded, reason="clicked at random", by=self.user)
        return study

    @staticmethod
    def excluded_of(study: Study) -> Annotator:
        found = study.annotators.filter(source=Source.REAL, person=None).order_by("pk").first()
        assert found is not None  # fourteen came by the link
        return found

    @cached_property
    def ended(self) -> Study:
        study = self.add_items(self.create("Replies, last year"), 4)
        designs.make(design=study.design)
        return studies.finish(study=studies.open_study(study=study))

    def everything(self) -> None:
        """Make what the overview lists."""
        made: list[Callable[[], Study]] = [
            lambda: self.empty,
            lambda: self.filled,
            lambda: self.made,
            lambda: self.fresh,
            lambda: self.failed,
            lambda: self.collected,
            lambda: self.ended,
        ]
        for make in made:
            make()


def at(
    name: str,
    group: str,
    url_name: str,
    which: Callable[[Desk], Study],
    *arguments: int,
    query: str = "",
) -> Scene[Desk]:
    """A page of a study that is there to be opened."""

    def show(page: Page, desk: Desk) -> None:
        desk.go(page, desk.of(which(desk), url_name, *arguments) + query)

    return Scene(name, group, (f"annotation_study_{url_name}",), show)
