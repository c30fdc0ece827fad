"""A researcher's live page: a study that people answer for three days."""

from datetime import timedelta
from functools import cache

from django.db.models import F
from playwright.sync_api import Page

from annotation.basics import clock
from annotation.designs.services import designs
from annotation.kinds.best_worst.taste import draw_best_worst_taste
from annotation.models import Assignment, Judgment, LiveCount, PhaseRun, ProgressPoint, Study
from annotation.monitoring.services import live
from annotation.studies.services import studies
from tests.pictures.research import Desk, at
from tests.pictures.scenes import Scene

N_PEOPLE = 22


@cache
def watched(desk: Desk) -> Study:
    """Answers of people who came over the last days, counted and measured as they came."""
    study = desk.add_items(desk.create("Replies, as they come in"))
    designs.make(design=study.design)
    study = studies.open_study(study=study)
    taste = draw_best_worst_taste(study, noise=0.3, seed=5)
    for number in range(N_PEOPLE):
        desk.answer(study, taste, number, is_complete=number < N_PEOPLE - 2)
        # As long ago as if everybody came three hours after the one before.
        earlier = timedelta(hours=3 * (N_PEOPLE - 1 - number))
        newest = Assignment.objects.filter(annotator__study=study).order_by("-pk")[0]
        for of, name in (
            (Judgment.objects.filter(assignment=newest), "answered_at"),
            (Assignment.objects.filter(pk=newest.pk), "created_at"),
            (PhaseRun.objects.filter(assignment=newest), "completed_at"),
        ):
            of.update(**{name: F(name) - earlier})
        LiveCount.objects.filter(design__study=study).update(
            measured_at=None, counted_at=None, hours={}
        )
        live.watch()
        newest_point = ProgressPoint.objects.filter(design__study=study).last()
        if newest_point is not None:
            newest_point.at = clock.now() - earlier
            newest_point.save(update_fields=["at"])
    return study


@cache
def simulated(desk: Desk) -> Study:
    """Ratings in two phases by simulated people."""
    study = desk.rated
    live.watch()
    return study


def _lost(page: Page, desk: Desk) -> None:
    desk.go(page, desk.of(watched(desk), "live"))
    page.route("**/live/now/**", lambda route: route.abort())
    page.locator("[data-live-refresh]").click()
    page.locator("[data-live-lost]:not([hidden])").wait_for()
    page.unroute("**/live/now/**")


SCENES: tuple[Scene[Desk], ...] = (
    at("live-draft", "collect", "live", lambda desk: desk.filled),
    at("live-nobody", "collect", "live", lambda desk: desk.fresh),
    at("live", "collect", "live", watched),
    Scene("live-lost", "collect", ("annotation_study_live", "annotation_study_live_now"), _lost),
    at("live-finished", "collect", "live", lambda desk: desk.ended),
    at("live-of-ratings", "collect", "live", simulated, query="?population=simulated"),
)
