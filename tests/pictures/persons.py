"""The researcher's pages of single people, and of scores with and without some of them."""

from collections.abc import Callable

from playwright.sync_api import Page

from annotation.core.services import jobs
from annotation.models import Annotator, AnnotatorStatistics, Job, Judgment, Study
from annotation.models.kinds import Source
from tests.pictures.research import Desk
from tests.pictures.scenes import Scene, send

PERSON = ("annotation_study_person",)
COMPARISON = ("annotation_study_comparison",)


def _somebody(study: Study) -> Annotator:
    """One who has answered a whole booklet, with a flag of each of two kinds."""
    row = AnnotatorStatistics.objects.filter(
        result__study=study, annotator__source=Source.REAL
    ).latest("n_judgments", "pk")
    flag = {"annotator": 0, "other": None, "p": 0.001, "is_later": False}
    row.flags = [
        {
            **{**flag, "kind": "agreement", "n": row.n_judgments},
            # As on the page's table: both say how often pairs of items are ordered alike.
            **{"value": row.compliance, "usual": 0.834},
        },
        {**flag, "kind": "run", "value": 6, "usual": 3, "n": row.n_judgments},
    ]
    row.save()
    return row.annotator


def _person(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(desk.collected, "person", _somebody(desk.collected).pk))


def _excluded(page: Page, desk: Desk) -> None:
    who = desk.excluded_of(desk.collected)
    desk.go(page, desk.of(desk.collected, "person", who.pk))


def _rater(page: Page, desk: Desk) -> None:
    who = desk.rated.annotators.filter(source=Source.SIMULATED).earliest("pk")
    desk.go(page, desk.of(desk.rated, "person", who.pk))


def _nobody_yet(page: Page, desk: Desk) -> None:
    who = desk.collected.annotators.filter(assignments=None).earliest("pk")
    desk.go(page, desk.of(desk.collected, "person", who.pk))


def _compared(page: Page, desk: Desk) -> None:
    study = desk.collected
    without = [_somebody(study).pk, desk.excluded_of(study).pk]
    wanted = {"population": "people", "without": sorted(without)}
    job = jobs.run_here(study=study, kind=Job.Kind.COMPARE, parameters=wanted, by=desk.user)
    desk.go(page, desk.of(study, "comparison", job.pk))


def _compared_ratings(page: Page, desk: Desk) -> None:
    study = desk.rated
    who = study.annotators.filter(source=Source.SIMULATED).earliest("pk")
    wanted = {"population": "simulated", "without": [who.pk]}
    job = jobs.run_here(study=study, kind=Job.Kind.COMPARE, parameters=wanted, by=desk.user)
    desk.go(page, desk.of(study, "comparison", job.pk))


def _forgotten(page: Page, desk: Desk) -> None:
    wanted = {"population": "people", "without": [0]}
    job = Job.objects.create(
        study=desk.collected, kind=Job.Kind.COMPARE, state=Job.State.DONE, parameters=wanted
    )
    desk.go(page, desk.of(desk.collected, "comparison", job.pk))


def _several(button: str) -> Callable[[Page, Desk], None]:
    def show(page: Page, desk: Desk) -> None:
        _somebody(desk.collected)
        desk.go(page, desk.of(desk.collected, "people"))
        for box in page.locator("input[name=who]").all()[:2]:
            box.check()
        page.locator(f"button[form=choose-people]{button}").click()
        page.locator("#reason").wait_for()

    return show


def _without_reason(page: Page, desk: Desk) -> None:
    who = desk.excluded_of(desk.collected)
    desk.go(page, desk.of(desk.collected, "include", who.pk))
    send(page)


def _commented(desk: Desk) -> Judgment:
    answers = Judgment.objects.filter(assignment__annotator__study=desk.piloted)
    answer = answers.earliest("pk")
    answers.filter(pk=answer.pk).update(comment="ada@example.org")
    return answer


def _comments(page: Page, desk: Desk) -> None:
    _commented(desk)
    desk.go(page, desk.of(desk.piloted, "comments"))


def _blank_comment(page: Page, desk: Desk) -> None:
    answer = _commented(desk)
    address = desk.of(desk.piloted, "blank_comment", answer.assignment.annotator_id)
    desk.go(page, f"{address}?answer={answer.pk}")


def _sorted(page: Page, desk: Desk) -> None:
    _somebody(desk.collected)
    desk.go(page, f"{desk.of(desk.collected, 'people')}?show=flagged&sort=-seconds")


SCENES: tuple[Scene[Desk], ...] = (
    Scene("person", "persons", PERSON, _person),
    Scene("person-excluded", "persons", PERSON, _excluded),
    Scene("person-of-ratings", "persons", PERSON, _rater),
    Scene("person-without-answers", "persons", PERSON, _nobody_yet),
    Scene("comments", "persons", ("annotation_study_comments",), _comments),
    Scene("blank-comment", "persons", ("annotation_study_blank_comment",), _blank_comment),
    Scene("persons-flagged", "persons", ("annotation_study_people",), _sorted),
    Scene("comparison", "persons", COMPARISON, _compared),
    Scene("comparison-of-ratings", "persons", COMPARISON, _compared_ratings),
    Scene("comparison-forgotten", "persons", COMPARISON, _forgotten),
    Scene(
        "persons-excluded",
        "persons",
        ("annotation_study_exclude_several",),
        _several(":not([formaction])"),
    ),
    Scene(
        "persons-included",
        "persons",
        ("annotation_study_include_several",),
        _several("[formaction$='/include/']"),
    ),
    Scene(
        "include-without-reason", "persons", ("annotation_study_include",), _without_reason, 400
    ),
)
