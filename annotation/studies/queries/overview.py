"""The first page of the researcher's site: my studies, and what each of them needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser, User
from django.core.paginator import Page, Paginator
from django.db.models import Count, Max, Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.core.queries import imported_totals, material, progress, run_sums
from annotation.kinds.registry import KINDS, kind_of
from annotation.models import (
    Assignment,
    ContextGroup,
    Design,
    ImportedTotals,
    Job,
    PhaseRun,
    Result,
    Study,
    StudyShare,
)
from annotation.models.kinds import Source
from annotation.monitoring.queries import alerts

PER_PAGE = 20
# For these kinds incidents are counted, not items.
_OF_INCIDENTS = [slug for slug, kind in KINDS.items() if kind.items.holds_incidents]
UNFINISHED = (Job.State.QUEUED, Job.State.RUNNING)


@dataclass(frozen=True)
class Card:
    """What the overview says about one study."""

    study: Study
    is_mine: bool
    # Shared for reading alone: nothing is asked of them.
    is_reader: bool
    places: progress.Places
    simulated: progress.Places
    n_items: int
    n_judgments: int
    n_simulated: int
    last_active_at: datetime | None
    job: Job | None
    alerts: list[str | Promise]
    needs: list[str | Promise]

    @property
    def alerts_and_needs(self) -> list[str | Promise]:
        return [*self.alerts, *self.needs]

    @property
    def is_finished(self) -> bool:
        return self.study.state == Study.State.FINISHED


def studies(
    user: User | AnonymousUser,
    *,
    page: str,
    words: str = "",
    state: str = "",
    archived: bool = False,
) -> Page[Card]:
    """The user's studies with their cards, in a number of queries that does not grow.

    `words`, each of which is in the title or the owner's name, and `state` narrow them.
    `archived`: those in the archive, in the place of the others.
    """
    seen = Study.objects.seen_by(user)
    listed = seen.archived() if archived else seen.listed()
    listed = listed.select_related("owner").order_by("-created_at", "-pk")
    for word in words.split():
        listed = listed.filter(Q(title__icontains=word) | Q(owner__username__icontains=word))
    if state in Study.State.values:
        listed = listed.filter(state=state)
    chosen: Page[Study] = Paginator(listed, PER_PAGE).get_page(page)
    cards = _cards(user, list(chosen.object_list))
    return Page(cards, chosen.number, chosen.paginator)  # type: ignore[arg-type]


def needs_of(study: Study, places_by_source: Mapping[str, progress.Places]) -> list[str | Promise]:
    """What its owner has to decide or do, beside alerts."""
    (card,) = _cards(study.owner, [study], places_by_source)
    return card.needs


def _cards(
    user: User | AnonymousUser,
    rows: list[Study],
    places_by_source: Mapping[str, progress.Places] | None = None,
) -> list[Card]:
    """`places_by_source`: those of the only one of these studies, if they are known."""
    latest = Design.objects.filter(study__in=rows).select_related("imported_totals")
    designs: dict[int, int] = {}
    imported: dict[int, ImportedTotals] = {}
    for design in latest.defer("certificate", "parameters").order_by("number"):
        designs[design.study_id] = design.pk
        totals = getattr(design, "imported_totals", None)
        if totals and not totals.has_other_places:
            imported[design.study_id] = totals
    if places_by_source is None:
        places = progress.places_by(
            list(designs.values()),
            idle_minutes={study.pk: study.idle_minutes for study in rows},
            imported={totals.design_id: totals for totals in imported.values()},
        )
    else:
        places = {
            (design, source): counts
            for design in designs.values()
            for source, counts in places_by_source.items()
        }
    n_items = dict(material.n_items_by_study(rows))
    n_items |= dict(
        ContextGroup.objects.filter(study__in=rows, study__kind__in=_OF_INCIDENTS)
        .values_list("study_id")
        .annotate(n=Count("pk"))
        .order_by("study_id")
    )
    others = [study for study in rows if study.pk not in imported]
    n_judgments: dict[tuple[int, bool], int] = {}
    for (study_id, source), n in run_sums.standing(others).items():
        key = (study_id, source == Source.SIMULATED)
        n_judgments[key] = n_judgments.get(key, 0) + n
    activity = dict(
        Assignment.objects.filter(annotator__study__in=others)
        .values_list("annotator__study_id")
        .annotate(last=Max("last_active_at"))
        .order_by("annotator__study_id")
    )
    jobs = latest_jobs(rows)
    standing = alerts.standing(rows)
    completed = dict(
        PhaseRun.objects.filter(assignment__annotator__study__in=others, is_counted=True)
        .exclude(assignment__annotator__source=Source.SIMULATED)
        .values_list("assignment__annotator__study_id")
        .annotate(last=Max("completed_at"))
        .order_by("assignment__annotator__study_id")
    )
    withdrawn = imported_totals.withdrawn(imported.values())
    for study_id, totals in imported.items():
        gone = withdrawn[totals.design_id]
        n_judgments[study_id, False] = totals.n_answers - gone.n_answers
        activity[study_id] = totals.last_active_at
        if gone.n_places < totals.n_places:
            completed[study_id] = totals.completed_at
    scored = dict(
        Result.objects.filter(study__in=rows, population="people")
        .values_list("study_id")
        .annotate(last=Max("computed_at"))
        .order_by("study_id")
    )
    read = set(
        StudyShare.objects.filter(
            study__in=rows, user_id=user.pk or 0, role=StudyShare.Role.READER
        ).values_list("study", flat=True)
    )
    cards = []
    for study in rows:
        is_mine = study.owner_id == user.pk
        is_reader = study.pk in read and not is_mine and not user.is_superuser
        of_design = designs.get(study.pk, 0)
        of_study = [job for (study_id, _kind), job in jobs.items() if study_id == study.pk]
        real = places.get((of_design, Source.REAL), progress.Places())
        last_completed, last_scored = completed.get(study.pk), scored.get(study.pk)
        cards.append(
            Card(
                study=study,
                is_mine=is_mine,
                is_reader=is_reader,
                places=real,
                simulated=places.get((of_design, Source.SIMULATED), progress.Places()),
                n_items=n_items.get(study.pk, 0),
                n_judgments=n_judgments.get((study.pk, False), 0),
                n_simulated=n_judgments.get((study.pk, True), 0),
                last_active_at=activity.get(study.pk),
                job=next((job for job in of_study if job.state in UNFINISHED), None),
                alerts=[]
                if is_reader
                else [
                    alerts.said(alert)
                    for alert in standing.get(study.pk, [])
                    if alert.kind in alerts.ON_OVERVIEW
                ],
                needs=[]
                if is_reader
                else _needs(
                    study,
                    of_study,
                    n_items=n_items.get(study.pk, 0),
                    places=real,
                    is_scored=not last_completed
                    or not kind_of(study).studies.has_results
                    or bool(last_scored and last_scored > last_completed),
                    has_result=last_scored is not None,
                ),
            )
        )
    return cards


def latest_jobs(rows: list[Study]) -> dict[tuple[int, str], Job]:
    """The latest job of each kind of each study."""
    newest = (
        Job.objects.filter(study__in=rows)
        .values("study", "kind")
        .annotate(newest=Max("pk"))
        .order_by("study", "kind")
        .values_list("newest", flat=True)
    )
    return {
        (job.study_id, job.kind): job
        for job in Job.objects.filter(pk__in=list(newest)).order_by("-pk")
    }


def _of_a_full_study(places: progress.Places) -> str:
    """Whom an open study without a free place waits for."""
    n_at_work = places.in_work + places.waiting
    if places.unverified and not n_at_work:
        return ngettext(
            "All booklets are submitted. %(n)s place waits until the platform "
            "confirms the person.",
            "All booklets are submitted. %(n)s places wait until the platform "
            "confirms the people.",
            places.unverified,
        ) % {"n": places.unverified}
    if places.excluded and not n_at_work:
        return ngettext(
            "No place is free: %(n)s is held by an excluded person. Free it on the People page.",
            "No place is free: %(n)s are held by excluded people. Free them on the People page.",
            places.excluded,
        ) % {"n": places.excluded}
    return ngettext(
        "No place is free: %(n)s person is still at work.",
        "No place is free: %(n)s people are still at work.",
        n_at_work,
    ) % {"n": n_at_work}


def _needs(
    study: Study,
    jobs: list[Job],
    *,
    n_items: int,
    places: progress.Places,
    is_scored: bool,
    has_result: bool,
) -> list[str | Promise]:
    needs: list[str | Promise] = [
        _("The job “%(job)s” failed.") % {"job": job.what}
        for job in jobs
        if job.state == Job.State.FAILED
    ]
    if study.is_imported:
        if not n_items:
            needs.append(_("No items yet. Import some."))
        elif not is_scored:
            needs.append(_("No result includes the imported answers yet. Score them."))
        return needs
    if places.held:
        needs.append(
            ngettext(
                "%(n)s place is held for review: decide on People whether it counts.",
                "%(n)s places are held for review: decide on People whether they count.",
                places.held,
            )
            % {"n": places.held}
        )
    if study.is_draft and not n_items:
        needs.append(_("No items yet. Import some."))
    elif study.is_draft and not places.total:
        needs.append(_("No design yet. Make one and read its certificate."))
    elif study.is_draft:
        needs.append(_("The design is made. Check the texts, try the study, then open it."))
    elif study.state == Study.State.PAUSED:
        needs.append(_("Paused. Nobody new can join until you open it again."))
    elif study.state == Study.State.OPEN and places.total and places.done == places.total:
        needs.append(
            _("All places are completed. Download the results and finish the study.")
            if is_scored and has_result
            else _(
                "All places are completed. Score the study, download the results and finish it."
            )
        )
    elif study.state == Study.State.OPEN and places.total and not places.free:
        needs.append(_of_a_full_study(places))
    if not study.is_draft and not is_scored:
        needs.append(
            _("Some completed booklets are not in any result yet. Score again.")
            if has_result
            else _("Some completed booklets are not in any result yet. Score the study.")
        )
    return needs
