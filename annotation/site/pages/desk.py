"""The desk of a study: the steps in their order, how far each is, and what comes next."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from annotation.answering.services import join_limits
from annotation.core import access
from annotation.core.pages import counts, jobs
from annotation.core.pages.frame import show, study_page, url, user_of
from annotation.core.pages.navigation import Text
from annotation.core.queries import progress
from annotation.kinds.registry import kind_of
from annotation.models import Job, Study
from annotation.reviews.pages import review_results
from annotation.site.pages import imported_desk
from annotation.site.pages.desk_steps import (
    ANY_TIME,
    DONE,
    LATER,
    RUNNING,
    UNFINISHED,
    Facts,
    Step,
    emphasise,
    facts_of,
    items_step,
    release_step,
    review_of_held,
    wait_for_review,
)
from annotation.site.pages.overview_head import head_of
from annotation.studies.pages.open_link import join_url
from annotation.studies.pages.states import obstacles_of, steps_of


@study_page
@require_GET
def desk(request: HttpRequest, study: Study) -> HttpResponse:
    places = progress.places(study)
    facts = facts_of(study, places)
    steps = imported_desk.steps(facts) if study.is_imported else _steps(request, facts)
    is_reader = access.is_reader(request.user, study)
    if is_reader:
        for step in steps:
            step.actions = [
                (_("Texts") if address == url(study, "describe") else label, address, False)
                for label, address, _is_now in step.actions
                if access.reader_may_follow(address)
            ]
    return show(
        request,
        study,
        "site/desk.html",
        title=study.title,
        section="change",
        steps=steps,
        other_steps=[] if is_reader else _other_steps(study),
        # Somebody may see the pilot alone.
        whole=Study.objects.seen_by(user_of(request)).filter(pilots=study).first(),
        head=head_of(study, is_reader=is_reader, places_by_source=places),
        jobs=[
            jobs.described(request, study, job)
            for job in facts.jobs.values()
            if not job.is_finished or job.state == Job.State.FAILED
        ],
    )


def _steps(request: HttpRequest, facts: Facts) -> list[Step]:
    steps = [
        _describe(facts),
        items_step(facts, 2),
        _design(facts),
        _try(facts),
        _open(facts),
        _collect(request, facts),
        _score(facts),
        _download(facts),
        release_step(facts, 9),
    ]
    emphasise(steps, _next(facts, steps))
    return steps


def _describe(facts: Facts) -> Step:
    study = facts.study
    if facts.missing_texts:
        template = (
            _("Annotators see incomplete texts. Fill this in now: %(what)s.")
            if study.takes_answers
            else _("Still missing from the texts: %(what)s.")
        )
        summary = template % {"what": ", ".join(facts.missing_texts)}
    else:
        summary = _("All texts are complete.")
    state = DONE
    if facts.missing_texts:
        # Annotators read what stands there: an open study does not wait with it.
        state = UNFINISHED if study.takes_answers else LATER
    return Step(
        1,
        _("Describe"),
        summary,
        state,
        [
            (
                _("Edit the texts") if study.is_draft or facts.missing_texts else _("Texts"),
                url(study, "describe"),
                False,
            )
        ],
    )


def _design(facts: Facts) -> Step:
    study, design = facts.study, facts.design
    if design and facts.is_made:
        summary = _("%(tuples)s in %(booklets)s, %(places)s.") % {
            "tuples": kind_of(study).studies.in_design(design),
            "booklets": counts.booklets(design.booklets.count()),
            "places": counts.places(facts.places.total),
        }
        label, state = _("Design and certificate"), DONE
    else:
        is_running = _is_making_design(facts)
        state = RUNNING if is_running else LATER
        summary = _("The design is being made.") if is_running else _("Not made yet.")
        label = _("Choose the settings")
    return Step(
        3,
        _("Design"),
        summary,
        state,
        [(label, url(study, "design"), False)] if facts.n_items or facts.is_made else [],
        warnings=kind_of(study).designs.warnings(design) if design else [],
        waits_for="" if facts.n_items or facts.is_made else _("Import the items first."),
    )


def _is_making_design(facts: Facts) -> bool:
    job = facts.jobs.get(Job.Kind.MAKE_DESIGN)
    return job is not None and not job.is_finished


def _without_design(facts: Facts) -> str:
    if _is_making_design(facts):
        return _("The design is being made.")
    return _("Make the design first.")


def _try(facts: Facts) -> Step:
    step = Step(
        4,
        _("Try it"),
        _(
            "Answer one person's questions (a booklet) as an annotator would; nothing is saved."
            " You may skip this step. It is done once you press the button on the last page."
        ),
        LATER,
    )
    if not (facts.design and facts.is_made):
        step.waits_for = _without_design(facts)
        return step
    step.actions = [(_("Try it"), url(facts.study, "try"), False)]
    if not facts.study.is_draft:
        step.state = ANY_TIME
    if facts.design.walked_at and facts.design.is_walked:
        step.state = DONE
        step.summary = _("Last walked through: %(when)s") % {
            "when": date_format(localtime(facts.design.walked_at), "DATETIME_FORMAT")
        }
        step.actions = [(_("Try it again"), url(facts.study, "try"), False)]
    return step


def _open(facts: Facts) -> Step:
    study = facts.study
    summaries: dict[str, str | Promise] = {
        Study.State.DRAFT: _("Opening freezes the items and the design, and lets people join."),
        Study.State.OPEN: _(
            "Open: new people can join. Pausing or closing the study keeps out only new people;"
            " finishing it stops everybody."
        ),
        Study.State.PAUSED: _(
            "Paused: nobody new can join; people who have started can continue."
        ),
        Study.State.CLOSED: _("Closed: nobody new can join; people who have started can finish."),
        Study.State.FINISHED: _("Finished: nobody can answer any more."),
    }
    step = Step(5, _("Open"), summaries[study.state], LATER if study.is_draft else DONE)
    if not study.is_draft or facts.is_made:
        step.actions = [
            (step.label, url(study, name), False)
            for name, step in steps_of(study)
            if step.target != Study.State.IMPORTED
        ]
    else:
        step.waits_for = _without_design(facts)
    return step


def _collect(request: HttpRequest, facts: Facts) -> Step:
    study, places = facts.study, facts.places
    held_people = facts.held.n_people
    step = Step(
        6,
        _("Collect"),
        _("After opening, you can send one link to everybody, or personal links."),
        LATER,
    )
    if study.is_draft:
        step.waits_for = _("Nobody can join before the study is open.")
        step.actions = [
            (_("Prepare personal links (roster)"), url(study, "roster"), False),
            (_("Platforms"), url(study, "platforms"), False),
        ]
        return step
    step.places = places
    if facts.simulated.total:
        step.simulated = facts.simulated
    step.n_simulated_booklets = facts.n_simulated_booklets
    step.hides_free = study.state == Study.State.FINISHED
    step.summary = _(
        "%(done)s of %(total)s places completed, %(work)s in progress, %(free)s free."
    ) % {
        "done": places.done,
        "total": places.total,
        "work": places.in_work + places.waiting,
        "free": places.free,
    }
    if study.link_open and study.takes_new_people:
        step.link = join_url(request, study)
        step.joins = join_limits.limit_of(study)
    is_over = study.state == Study.State.FINISHED
    if is_over or (places.total and places.done == places.total):
        step.state = DONE
    step.actions = [
        (_("Links and progress"), url(study, "collect"), False),
        (_("Platforms"), url(study, "platforms"), False),
        (_("People"), url(study, "people"), False),
    ]
    if held_people:
        step.summary = f"{step.summary} " + ngettext(
            "%(n)s person is held for review.", "%(n)s people are held for review.", held_people
        ) % {"n": held_people}
        step.actions.append(review_of_held(study))
    return step


def _next_round(facts: Facts) -> Step:
    """In the place of scores, where sentences are selected for others to rate."""
    study = facts.study
    step = Step(
        7,
        _("Next round"),
        _("The chosen sentences become the pairs of a rating study."),
        LATER,
    )
    if facts.all_is_held:
        wait_for_review(step, facts)
    elif not facts.n_counted:
        step.waits_for = _("Nobody has completed a booklet yet.")
        step.n_simulated_booklets = facts.n_simulated_booklets
    elif study.state not in Study.OVER:
        step.waits_for = _("Close the study first, so that the chosen sentences are complete.")
        step.actions = [(_("Close the study"), url(study, "close"), False)]
    else:
        step.actions = [_to_next_round(study)]
        step.state = DONE if study.later_rounds.exists() else LATER
    if facts.n_counted:
        step.actions.append((_("Ratings by class"), url(study, "results"), False))
    return step


def _to_next_round(study: Study) -> tuple[Text, str, bool]:
    """The form of a new study, which continues this one."""
    address = f"{reverse('admin:annotation_study_add')}?earlier_round={study.pk}"
    return _("Next round"), address, False


def _score(facts: Facts) -> Step:
    kind = kind_of(facts.study)
    if not kind.studies.has_results:
        return _next_round(facts)
    step = Step(7, _("Score"), _("Scores, reliability and agreement, with plots."), LATER)
    if not facts.study.is_draft:
        step.actions = [(_("Results"), url(facts.study, "results"), False)]
    if facts.all_is_held:
        wait_for_review(step, facts)
    elif not facts.n_counted and not facts.n_results:
        step.waits_for = (
            _("Nobody has completed a booklet.")
            if facts.study.state == Study.State.FINISHED
            else _("Nobody has completed a booklet yet.")
        )
        step.n_simulated_booklets = facts.n_simulated_booklets
        if facts.n_simulated_booklets:
            # That of people has nothing to show.
            step.actions = []
    if facts.n_results:
        step.state = DONE
        step.summary = ngettext(
            "Results of %(n)s scoring run are stored.",
            "Results of %(n)s scoring runs are stored.",
            facts.n_results,
        ) % {"n": facts.n_results}
        if facts.changed_since:
            step.state = UNFINISHED
            step.summary = _("The latest result is outdated. %(why)s") % {
                "why": facts.changed_since
            }
        step.actions += [(*link, False) for link in review_results.again(facts.study)]
    if kind.designs.earlier_round and facts.n_counted:
        if facts.study.state in Study.OVER:
            step.actions.append(_to_next_round(facts.study))
    elif facts.has_empty_result:
        step.summary = _("Not scored yet.")
    return step


def _download(facts: Facts) -> Step:
    kind = kind_of(facts.study)
    step = Step(8, _("Download"), kind.studies.download_summary, LATER)
    if not facts.study.is_draft or facts.is_made:
        step.state = LATER if facts.study.is_draft else ANY_TIME
        step.actions = [(_("Download"), url(facts.study, "download"), False)]
        if facts.all_is_held:
            wait_for_review(step, facts)
        elif facts.n_simulated_booklets:
            step.n_simulated_booklets = facts.n_simulated_booklets
        elif facts.places.free == facts.places.total:
            step.summary = kind.studies.download_without_answers
    else:
        step.waits_for = _("There are no answers to download before the study is open.")
    return step


def _other_steps(study: Study) -> list[tuple[Text, str]]:
    """To an imported study and back, while that is possible."""
    return [
        (step.label, url(study, name))
        for name, step in steps_of(study)
        if Study.State.IMPORTED in {*step.states, step.target} and not obstacles_of(study, step)
    ]


def _next(facts: Facts, steps: list[Step]) -> int | None:
    """The number of the one step to do now; none if there is nothing to do."""
    by_number = {step.number: step for step in steps}
    if facts.study.is_draft:
        undone = [n for n in (1, 2, 3) if by_number[n].state != DONE]
        is_walked = facts.design is not None and facts.design.is_walked
        return undone[0] if undone else 5 if is_walked else 4
    if facts.study.state == Study.State.PAUSED:
        return 5
    if progress.is_collecting(facts.study, facts.places):
        return 6
    if not facts.n_results and not facts.n_counted:
        return None
    return 8 if by_number[7].state == DONE else 7
