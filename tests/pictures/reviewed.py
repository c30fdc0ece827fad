"""A researcher's pages of studies that look at scored items again."""

from collections.abc import Callable
from functools import cache
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from annotation.answering.services import assignments, instructions, judgments, phases
from annotation.baselines.queries.measures import Measure
from annotation.basics import keys
from annotation.basics.categories import Categories
from annotation.core.services import jobs
from annotation.designs.services import designs
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.kinds.label.answer import LabelAnswer
from annotation.kinds.shown import PresentedQuestion
from annotation.models import Job, Study
from annotation.reviews import services as reviews
from annotation.studies.services import studies
from tests.pictures.research import Desk
from tests.pictures.scenes import Scene, send
from tests.pictures.waiting import arrive


@cache
def scored(desk: Desk) -> Study:
    """Dialogues that people have compared: closed, and scored."""
    study = desk.add_items(desk.create("Replies, as judged by people"), 8)
    design = study.design
    design.parameters = {**design.parameters, "annotations_per_tuple": 2}
    design.save(update_fields=["parameters"])
    designs.make(design=design)
    study = studies.open_study(study=study)
    given = {item.key: 1 - (int(item.intended_class) - 1) / 4 for item in study.items.iterator()}
    taste = draw_best_worst_taste(study, noise=0.2, seed=5, given=given)
    for number in range(design.booklets.count() * 2):
        desk.answer(study, taste, number, is_complete=True)
    jobs.run_here(study=study, kind=Job.Kind.SCORE, parameters={"n_splits": 20}, by=desk.user)
    return studies.close(study=study)


def _draft(desk: Desk, preset: str, title: str) -> Study:
    return desk.create(title, preset=preset, earlier_round=scored(desk))


@cache
def to_check(desk: Desk) -> Study:
    """A draft whose items are still to be chosen."""
    return _draft(desk, "expert-check", "Are the scores right?")


@cache
def to_review(desk: Desk) -> Study:
    return _draft(desk, "discrepancy-review", "What does the measure miss?")


@cache
def checked(desk: Desk) -> Study:
    """Two experts have answered; they find that what is third best is not above the middle."""
    study = _draft(desk, "expert-check", "Expert check")
    reviews.choose_for_experts(study=study)
    return _labelled(study, lambda rank, person: (0 if rank <= 2 - person % 2 else 1,))


@cache
def reviewed(desk: Desk) -> Study:
    """What a measure that goes by the length of a text says otherwise."""
    study = _draft(desk, "discrepancy-review", "Review of text length")
    items = scored(desk).items.select_related("candidate_turn")
    measure = Measure("text length", {i.key: float(len(i.candidate)) for i in items})
    reviews.choose_discrepancies(study=study, measure=measure, n=12)
    return _labelled(study, lambda rank, person: (1, 3) if rank < 3 else (1 + person, 4))


def _labelled(study: Study, choose: Callable[[int, int], tuple[int, ...]]) -> Study:
    """Two people choose categories by an item's rank in its dialogue."""
    designs.make(design=study.design)
    study = studies.open_study(study=study)
    categories = Categories.of(study.categories)
    for person in range(2):
        joined = assignments.join(
            study=study, nonce=keys.new_nonce(), consent=studies.current_consent(study)
        )
        instructions.begin(annotator=joined.annotator)
        assignment = assignments.current(joined.annotator)
        run = phases.latest(assignment)
        for question in run.questions.select_related("item"):
            assert question.item is not None  # it asks about an item
            chosen = choose(int(question.item.intended_class), person)
            judgments.record(
                assignment=assignment,
                question=question,
                answer=LabelAnswer(tuple(categories.names[n] for n in chosen)),
                shown=PresentedQuestion(
                    (), timezone.now(), "pictures", run=run.pk, categories=categories
                ),
                idempotency_key=uuid4(),
            )
        assignments.submit(assignment=assignment, run=run.pk)
    return study


def _new(page: Page, desk: Desk) -> None:
    add = reverse("admin:annotation_study_add")
    desk.go(page, f"{add}?earlier_round={scored(desk).pk}&preset=expert-check")


def _new_wrong(page: Page, desk: Desk) -> None:
    scored(desk)
    desk.go(page, reverse("admin:annotation_study_add"))
    page.locator("#id_title").fill("Are the scores right?")
    page.locator("#preset-expert-check").check()
    send(page, "form.narrow")
    page.locator(".errorlist").first.wait_for()
    arrive(page)


def _choose(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(to_check(desk), "choose"))


def _choose_discrepancies(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(to_review(desk), "choose"))


def _choose_wrong(page: Page, desk: Desk) -> None:
    _choose_discrepancies(page, desk)
    page.locator("#id_table").fill("id\tBLEU\nd1-1\tmuch\nd99-1\t0.4\n")
    page.locator("#id_least_of_each").fill("-1")
    send(page, "form.narrow")
    page.locator(".errorlist").first.wait_for()
    arrive(page)


def _choose_values_wrong(page: Page, desk: Desk) -> None:
    _choose_discrepancies(page, desk)
    page.locator("#id_table").fill("id\tBLEU\nd1-1\tmuch\nd99-1\t0.4\n")
    send(page, "form.narrow")
    page.locator(".problems").first.wait_for()
    arrive(page)


def _items(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(to_check(desk), "items"))


def _results(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(checked(desk), "results"))


def _results_of_review(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(reviewed(desk), "results"))


def _question(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(reviewed(desk), "try_screen", 1, 1))


def _of_check(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(checked(desk), "try_screen", 1, 1))


CHOOSE, RESULTS = ("annotation_study_choose",), ("annotation_study_results",)
TRY = ("annotation_study_try_screen",)
SCENES: tuple[Scene[Desk], ...] = (
    Scene("new-expert-check", "reviews", ("annotation_study_add",), _new),
    Scene("new-expert-check-wrong", "reviews", ("annotation_study_add",), _new_wrong, 400),
    Scene("items-of-a-check", "reviews", ("annotation_study_items",), _items),
    Scene("choose-for-experts", "reviews", CHOOSE, _choose),
    Scene("choose-discrepancies", "reviews", CHOOSE, _choose_discrepancies),
    Scene("choose-wrong", "reviews", CHOOSE, _choose_wrong, 400),
    Scene("choose-wrong-values", "reviews", CHOOSE, _choose_values_wrong, 400),
    Scene("try-expert-check", "reviews", TRY, _of_check),
    Scene("try-discrepancies", "reviews", TRY, _question),
    Scene("results-of-a-check", "reviews", RESULTS, _results),
    Scene("results-of-a-review", "reviews", RESULTS, _results_of_review),
)
