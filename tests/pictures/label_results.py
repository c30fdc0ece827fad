"""What a researcher sees of labels: agreement, categories, items that need a decision."""

import io
import json
import random
from collections.abc import Callable
from functools import cache
from uuid import uuid4

from django.utils import timezone
from playwright.sync_api import Page

from annotation.answering.services import assignments, instructions, judgments, phases
from annotation.basics import keys
from annotation.basics.categories import Categories
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.items.services import imports
from annotation.kinds.design_parameters import PhaseParameters, RatingParameters
from annotation.kinds.label.answer import LabelAnswer
from annotation.kinds.shown import Shown
from annotation.models import Adjudication, Assignment, Job, Phase, PhaseRun, Study
from annotation.studies.services import studies
from tests.pictures.cast import pairs_in_context
from tests.pictures.research import Desk
from tests.pictures.scenes import Scene

N_PEOPLE = 5


@cache
def collected(desk: Desk) -> Study:
    """Pairs that five people labelled twice, without context and in it; one was adjudicated."""
    study = studies.create(
        owner=desk.user,
        title="How do the two sentences relate?",
        language=desk.language,
        preset="labels",
        seed=7,
    )
    pairs = [json.loads(line) for line in pairs_in_context(desk.language).splitlines()]
    lines = "\n".join(
        json.dumps({**pair, "domain": ("travel", "repair")[n // 2 % 2]}, ensure_ascii=False)
        for n, pair in enumerate(pairs)
    )
    imports.import_items(study=study, path=io.BytesIO(lines.encode()), filename="pairs.jsonl")
    parameters = RatingParameters(
        ratings_per_item=N_PEOPLE,
        items_per_booklet=len(pairs),
        n_repeats=2,
        repeat_distance=3,
        phases=[PhaseParameters(condition.value) for condition in Phase.Condition],
    )
    designs.set_parameters(study=study, parameters=parameters, seed=7)
    designs.make(design=study.design)
    study = studies.open_study(study=study)
    rng = random.Random(3)
    for _person in range(N_PEOPLE):
        joined = assignments.join(
            study=study, nonce=keys.new_nonce(), consent=studies.current_consent(study)
        )
        instructions.begin(annotator=joined.annotator)
        for _phase in range(2):
            _label(joined.assignment, rng)
    _decide(desk, study)
    jobs.run_here(
        study=study, kind=Job.Kind.SCORE, parameters={"population": "people"}, by=desk.user
    )
    return study


def _label(assignment: Assignment, rng: random.Random) -> None:
    """All questions of one phase; most people see an item alike."""
    PhaseRun.objects.filter(assignment=assignment, completed_at=None).update(
        opens_at=timezone.now(), closes_at=None
    )
    run = phases.latest(assignment)
    categories = Categories.of(run.assignment.annotator.study.categories)
    for question in run.questions.order_by("screen", "position"):
        assert question.item_id is not None  # constraint question_rating_or_label_has_item
        usual = question.item_id % len(categories.names)
        name = categories.names[usual] if rng.random() < 0.6 else rng.choice(categories.names)
        judgments.record(
            assignment=assignment,
            question=question,
            answer=LabelAnswer((name,), active_ms=int(rng.lognormvariate(8.5, 0.4))),
            shown=Shown((), timezone.now(), "pictures", run=run.pk, categories=categories),
            idempotency_key=uuid4(),
        )
    assignments.submit(assignment=assignment, run=run.pk)


def _decide(desk: Desk, study: Study) -> None:
    item = study.items.order_by("number").first()
    assert item is not None  # imported above
    Adjudication.objects.create(
        study=study,
        item=item,
        phase=Phase.objects.get(design=study.design, number=1),
        categories=[study.categories["names"][1]],
        reason="Said in the guidelines.",
        by=desk.user,
        made_at=timezone.now(),
    )


def _at(name: str, query: str = "") -> Callable[[Page, Desk], None]:
    def show(page: Page, desk: Desk) -> None:
        desk.go(page, f"{desk.of(collected(desk), name)}{query}")

    return show


ITEMS = ("annotation_study_result_items",)
SCENES: tuple[Scene[Desk], ...] = (
    Scene("results-of-labels", "results", ("annotation_study_results",), _at("results")),
    Scene("items-of-labels", "results", ITEMS, _at("result_items")),
    Scene("items-of-labels-undecided", "results", ITEMS, _at("result_items", "?show=undecided")),
    Scene("people-of-labels", "results", ("annotation_study_people",), _at("people")),
    Scene("download-of-labels", "results", ("annotation_study_download",), _at("download")),
)
