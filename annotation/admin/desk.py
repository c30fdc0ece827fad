"""The desk of a study: the steps in their order, how far each is, and what comes next."""

from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from annotation import presets
from annotation.admin import counts, jobs, review_results
from annotation.admin.collecting import join_url
from annotation.admin.pages import Text, show, study_page, url, user_of
from annotation.admin.states import steps_of
from annotation.forms.studies import placeholders
from annotation.models import Design, Job, Release, Study
from annotation.models.kinds import QuestionKind, Source
from annotation.queries import alerts, answers, overview, plans, progress
from annotation.services import rounds

DONE, NEXT, LATER, UNFINISHED = "done", "next", "later", "unfinished"
ANY_TIME = "any-time"


@dataclass
class Step:
    """One step on the desk."""

    number: int
    title: Text
    summary: Text
    state: str
    # (label, address, whether it is what to do now)
    actions: list[tuple[Text, str, bool]] = field(default_factory=list)
    job: Job | None = None
    warnings: list[str] = field(default_factory=list)
    link: str = ""
    places: progress.Places | None = None
    simulated: progress.Places | None = None
    hides_free: bool = False
    # Why it cannot be done yet.
    waits_for: Text = ""

    @property
    def state_label(self) -> Text:
        return {
            DONE: _("done"),
            NEXT: _("next"),
            LATER: _("later"),
            UNFINISHED: _("incomplete"),
            ANY_TIME: _("any time"),
        }[self.state]


@dataclass(frozen=True)
class Facts:
    """What the steps are decided from."""

    study: Study
    design: Design | None
    # Of a selection study: its incidents.
    n_items: int
    n_dialogues: int
    n_results: int
    # What a result or a release made now would be of.
    counted: answers.Basis
    last_release: Release | None
    missing_texts: list[str]
    places: progress.Places
    simulated: progress.Places
    imported: progress.Places
    jobs: dict[str, Job]

    @property
    def n_counted(self) -> int:
        return self.counted.n_judgments

    @property
    def is_made(self) -> bool:
        return bool(self.design and self.design.is_made)

    @property
    def is_imported(self) -> bool:
        """Whether the answers came from a file, so that nobody is asked for any."""
        return bool(self.imported.total) and not self.places.total


@study_page
@require_GET
def desk(request: HttpRequest, study: Study) -> HttpResponse:
    facts = facts_of(study)
    steps = [
        _describe(facts),
        _items(facts),
        _design(facts),
        _try(facts),
        _open(facts),
        _collect(request, facts),
        _score(facts),
        _download(facts),
        _release(facts),
    ]
    _emphasise(facts, steps)
    return show(
        request,
        study,
        "desk.html",
        title=study.title,
        section="change",
        steps=steps,
        # Somebody may see the pilot alone.
        whole=Study.objects.seen_by(user_of(request)).filter(pilots=study).first(),
        alerts=[alerts.said(alert) for alert in alerts.standing_of(study)],
        jobs=[
            jobs.described(study, job)
            for job in facts.jobs.values()
            if not job.is_finished or job.state == Job.State.FAILED
        ],
    )


def facts_of(study: Study) -> Facts:
    design = study.designs.order_by("-number").first()
    consent = study.consent_texts.order_by("-version").first()
    missing = placeholders(consent.text) if consent else []
    if not study.instructions.strip():
        missing.append(_("instructions"))
    of_places = progress.places(study)
    latest = overview.latest_jobs([study])
    return Facts(
        study=study,
        design=design,
        n_items=study.context_groups.count()
        if study.kind == QuestionKind.SELECTION
        else study.items.without_checks().count(),
        n_dialogues=study.pools.exclude(context=None).count(),
        n_results=study.results.filter(population="people").count(),
        counted=answers.basis(study, "people"),
        last_release=study.releases.first(),
        missing_texts=missing,
        places=of_places.get(Source.REAL, progress.Places()),
        simulated=of_places.get(Source.SIMULATED, progress.Places()),
        imported=of_places.get(Source.IMPORTED, progress.Places()),
        jobs={kind: job for (_study, kind), job in latest.items()},
    )


def _describe(facts: Facts) -> Step:
    study = facts.study
    if facts.missing_texts:
        summary = _("Still to be filled in: %(what)s.") % {"what": ", ".join(facts.missing_texts)}
    else:
        summary = _("Texts and wordings are there.")
    state = DONE
    if facts.missing_texts:
        # Annotators read what stands there: an open study does not wait with it.
        state = LATER if study.is_draft else UNFINISHED
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


def _items(facts: Facts) -> Step:
    study = facts.study
    if not facts.n_items:
        summary = _("Nothing imported yet.")
    elif study.kind == QuestionKind.SELECTION:
        summary = f"{counts.incidents(facts.n_items)}."
    elif facts.n_dialogues:
        summary = _("%(items)s in %(dialogues)s.") % {
            "items": counts.items(facts.n_items),
            "dialogues": counts.dialogues(facts.n_dialogues),
        }
    else:
        summary = f"{counts.items(facts.n_items)}."
    label, address = _("Look at the items"), url(study, "items")
    if study.is_draft and presets.review_of(study.preset):
        label, address = _("Choose the items"), url(study, "choose")
    elif study.is_draft:
        label = _("Items") if facts.n_items else _("Import items")
    return Step(
        2,
        _("Import items"),
        summary,
        DONE if facts.n_items else LATER,
        [(label, address, False)],
    )


def _design(facts: Facts) -> Step:
    study, design = facts.study, facts.design
    if design and facts.is_made:
        summary = _("%(tuples)s in %(booklets)s, %(places)s.") % {
            "tuples": _asked(facts, design),
            "booklets": counts.booklets(design.booklets.count()),
            "places": counts.answers(facts.imported.total)
            if facts.is_imported
            else counts.places(facts.places.total),
        }
        label = _("Design and certificate")
    else:
        summary = _("Not made yet.")
        label = _("Choose the numbers")
    return Step(
        3,
        _("Design"),
        summary,
        DONE if facts.is_made else LATER,
        [(label, url(study, "design"), False)] if facts.n_items or facts.is_made else [],
        warnings=plans.warnings(design),
        waits_for="" if facts.n_items or facts.is_made else _("Import the items first."),
    )


def _asked(facts: Facts, design: Design) -> str:
    """What a design asks about: only best-worst studies have tuples to be shown together."""
    certificate = design.certificate or {}
    if facts.study.asks_about_pairs:
        return counts.items(certificate.get("n_stacks", facts.n_items))
    if facts.study.kind == QuestionKind.SELECTION:
        return counts.questions(certificate.get("n_questions", 0))
    return counts.tuples(design.tuples.filter(pool__known_answer=None).count())


def _try(facts: Facts) -> Step:
    step = Step(
        4,
        _("Try it"),
        _("Walk through a booklet as an annotator would. It leaves no data."),
        LATER,
    )
    if not (facts.design and facts.is_made):
        step.waits_for = _("Make the design first.")
        return step
    step.actions = [(_("Walk through"), url(facts.study, "try"), False)]
    if not facts.study.is_draft:
        step.state = ANY_TIME
    if facts.design.walked_at and facts.design.is_walked:
        step.state = DONE
        step.summary = _("Last walked through: %(when)s") % {
            "when": date_format(localtime(facts.design.walked_at), "DATETIME_FORMAT")
        }
        step.actions = [(_("Walk through again"), url(facts.study, "try"), False)]
    return step


def _open(facts: Facts) -> Step:
    study = facts.study
    summaries: dict[str, str | Promise] = {
        Study.State.DRAFT: _("Opening freezes the design and lets people in."),
        Study.State.OPEN: _("Open: new people are let in."),
        Study.State.PAUSED: _("Paused: nobody new is let in; whoever is in may go on."),
        Study.State.CLOSED: _("Closed: nobody new is let in; whoever is in may finish."),
        Study.State.FINISHED: _("Finished: nobody may answer any more."),
    }
    step = Step(5, _("Open"), summaries[study.state], LATER if study.is_draft else DONE)
    if facts.is_imported:
        step.summary = _("Imported: there is nothing to collect.")
        return step
    if not study.is_draft or facts.is_made:
        step.actions = [(of.label, url(study, name), False) for name, of in steps_of(study)]
    else:
        step.waits_for = _("Make the design first.")
    return step


def _collect(request: HttpRequest, facts: Facts) -> Step:
    study, places = facts.study, facts.places
    step = Step(6, _("Collect"), _("After opening: a link to send, or personal links."), LATER)
    if study.is_draft:
        step.waits_for = _("Nobody is let in before the study is open.")
        step.actions = [
            (_("Prepare a roster"), url(study, "roster"), False),
            (_("Platforms"), url(study, "platforms"), False),
        ]
        return step
    if facts.is_imported:
        step.summary = _("Imported: there is nothing to collect.")
        step.state = DONE
        step.actions = [(_("People"), url(study, "people"), False)]
        return step
    step.places = places
    if facts.simulated.total:
        step.simulated = facts.simulated
    step.hides_free = study.state == Study.State.FINISHED
    step.summary = _("%(done)s of %(total)s places done, %(work)s in work, %(free)s free.") % {
        "done": places.done,
        "total": places.total,
        "work": places.in_work + places.waiting,
        "free": places.free,
    }
    if study.link_open and study.takes_new_people:
        step.link = join_url(request, study)
    is_over = study.state == Study.State.FINISHED
    if is_over or (places.total and places.done == places.total):
        step.state = DONE
    step.actions = [
        (_("Links and progress"), url(study, "collect"), False),
        (_("Platforms"), url(study, "platforms"), False),
        (_("People"), url(study, "people"), False),
    ]
    return step


def _next_round(facts: Facts) -> Step:
    """In the place of scores, where sentences are selected for others to rate."""
    study = facts.study
    step = Step(
        7,
        _("Next round"),
        _("What was chosen becomes the pairs of a rating study."),
        LATER,
    )
    if not facts.n_counted:
        step.waits_for = _("Nobody has completed a booklet yet.")
    elif study.state not in rounds.OVER:
        step.waits_for = _("Close the study first; then what was chosen is complete.")
        step.actions = [(_("Close the study"), url(study, "close"), False)]
    else:
        address = f"{reverse('admin:annotation_study_add')}?earlier_round={study.pk}"
        step.actions = [(_("Next round"), address, False)]
        step.state = DONE if study.later_rounds.exists() else LATER
    if facts.n_counted:
        step.actions.append((_("Ratings by class"), url(study, "results"), False))
    return step


def _score(facts: Facts) -> Step:
    if facts.study.kind == QuestionKind.SELECTION:
        return _next_round(facts)
    step = Step(7, _("Score"), _("Scores, reliability and agreement, with plots."), LATER)
    if not facts.study.is_draft:
        step.actions = [(_("Results"), url(facts.study, "results"), False)]
    if not facts.n_counted and not facts.n_results:
        step.waits_for = (
            _("Nobody has completed a booklet.")
            if facts.study.state == Study.State.FINISHED
            else _("Nobody has completed a booklet yet.")
        )
    if facts.n_results:
        step.state = DONE
        step.summary = ngettext(
            "%(n)s result is stored.", "%(n)s results are stored.", facts.n_results
        ) % {"n": facts.n_results}
        step.actions += [(*link, False) for link in review_results.again(facts.study)]
    return step


def _download(facts: Facts) -> Step:
    step = Step(8, _("Download"), _("Scores, answers and design as one ZIP of TSV files."), LATER)
    if facts.study.kind == QuestionKind.SELECTION:
        step.summary = _("Answers, pairs to train with and design as one ZIP of TSV files.")
    if not facts.study.is_draft:
        step.state = ANY_TIME
        step.actions = [(_("Download"), url(facts.study, "download"), False)]
        if not facts.n_counted and facts.study.kind != QuestionKind.SELECTION:
            step.summary = _("Until somebody has answered, items and tuples are all there is.")
    else:
        step.waits_for = _("There is nothing to download before the study is open.")
    return step


def _release(facts: Facts) -> Step:
    """What others can cite: whether there is a release, and what came since."""
    study, last = facts.study, facts.last_release
    step = Step(
        9,
        _("Release"),
        _("No release yet: a numbered copy of the data that others can cite."),
        LATER,
    )
    if last is None and not facts.counted.n_judgments:
        step.waits_for = _("There is nothing to release before somebody has completed a booklet.")
        return step
    step.actions = [(_("Releases"), url(study, "releases"), False)]
    if last is not None:
        came = facts.counted.n_judgments - last.n_judgments
        is_same = not came and facts.counted.last_judgment == last.last_judgment
        step.state = DONE if is_same else ANY_TIME
        step.summary = _("Release %(number)s of %(when)s, with %(answers)s. %(since)s") % {
            "number": last.number,
            "when": date_format(localtime(last.made_at), "DATE_FORMAT"),
            "answers": counts.answers(last.n_judgments),
            "since": _since_release(came, is_same=is_same),
        }
    return step


def _since_release(came: int, *, is_same: bool) -> str:
    """What became of the answers that count."""
    if is_same:
        return _("The same answers count now.")
    if not came:
        return _("Other answers count now.")
    said = (
        ngettext("%(n)s more answer counts now.", "%(n)s more answers count now.", came)
        if came > 0
        else ngettext("%(n)s answer fewer counts now.", "%(n)s answers fewer count now.", -came)
    )
    return said % {"n": abs(came)}


def _emphasise(facts: Facts, steps: list[Step]) -> None:
    """Mark the one step to do now, and its first action; none where there is nothing to do."""
    by_number = {step.number: step for step in steps}
    if facts.study.is_draft:
        undone = [n for n in (1, 2, 3) if by_number[n].state != DONE]
        walked = facts.design is not None and facts.design.is_walked
        chosen = undone[0] if undone else 5 if walked or facts.is_imported else 4
    elif facts.study.state == Study.State.PAUSED:
        chosen = 5
    elif progress.is_collecting(facts.study, facts.places):
        chosen = 6
    elif not facts.n_results and not facts.n_counted:
        return
    else:
        chosen = 8 if facts.n_results or by_number[7].state == DONE else 7
    step = by_number[chosen]
    step.state = NEXT
    if step.actions:
        (label, address, _now), *rest = step.actions
        step.actions = [(label, address, True), *rest]
