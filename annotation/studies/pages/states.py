"""The steps from one state of a study to the next: each asks first, and says what will happen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_http_methods

from annotation.basics.errors import StateError
from annotation.basics.sentences import ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages import counts
from annotation.core.pages.frame import Confirmation, confirm, done, refusals, study_page, to, url
from annotation.core.pages.navigation import Text
from annotation.core.queries import material, progress
from annotation.core.queries.consents import lacks_consent
from annotation.core.services import imported_rules
from annotation.kinds.queries.phase_words import phases_in_words
from annotation.kinds.registry import kind_of
from annotation.models import Study
from annotation.models.kinds import Source
from annotation.studies.queries.listings_out import finish_refusal, listings_out, listings_stay
from annotation.studies.queries.loose_ends import loose_ends
from annotation.studies.services import contacts, imported_studies, studies

State = Study.State


@dataclass(frozen=True)
class Step:
    """One change of a study's state."""

    label: Text
    title: Text
    message: Text
    act: Callable[..., Study]
    states: frozenset[State]
    target: State
    consequences: Callable[[Study], Sequence[Text]]
    is_dangerous: bool = False


def _opening(study: Study) -> list[Text]:
    places = progress.places(study).get(Source.REAL, progress.Places())
    design = study.designs.order_by("-number").first()
    part = kind_of(study).studies
    values = {
        "items": part.material(part.n_material(study)),
        "tuples": counts.tuples(material.n_tuples(design) if design else 0),
        "booklets": counts.booklets(design.booklets.count() if design else 0),
        "places": counts.places(places.total),
    }
    sentences: list[Text] = [
        part.frozen_design % values,
        *([phases] if design and (phases := phases_in_words(design)) else []),
        part.frozen_texts,
        _("Anyone with the open link can join while places are free.")
        if study.link_open
        else _("The open link is off: only people with a personal link get in."),
        _("You cannot undo this. You can pause, close or finish the study later."),
    ]
    warnings = kind_of(study).designs.warnings(design) if design else []
    sentences.extend(_("Warning: %(what)s") % {"what": what} for what in warnings)
    if lacks_consent(study):
        sentences.append(
            _("Warning: there is no consent text, so people are not asked for consent.")
        )
    return sentences


def _at_work(study: Study) -> list[Text]:
    """How many people the step concerns; empty if nobody is at work."""
    n = sum(places.in_work + places.waiting for places in progress.places(study).values())
    if not n:
        return []
    sentence = ngettext(
        "%(n)s person has started and not finished yet.",
        "%(n)s people have started and not finished yet.",
        n,
    )
    return [sentence % {"n": n}]


def _resuming(study: Study) -> list[Text]:
    places = progress.places(study).get(Source.REAL, progress.Places())
    return [
        ngettext(
            "New people can join again: %(n)s place is free.",
            "New people can join again: %(n)s places are free.",
            places.free,
        )
        % {"n": places.free},
        _("Nothing else changes."),
    ]


def _pausing(study: Study) -> list[Text]:
    return [
        _(
            "New people cannot join until you open the study again. They are asked to come "
            "back later."
        ),
        _("People who have started can finish."),
        *_at_work(study),
        *listings_stay(study),
    ]


def _closing(study: Study) -> list[Text]:
    return [
        _("New people cannot join. They see that the study is closed."),
        _("People who have started can finish."),
        *_at_work(study),
        *listings_stay(study),
        _("A closed study can be opened again."),
    ]


def _finishing(study: Study) -> list[Text]:
    return [
        _("Nobody can answer any more, not even people who have started."),
        *_at_work(study),
        *_lost(study),
        _("Answers that were not submitted are kept but not scored."),
        *listings_stay(study),
        _("This is final: a finished study cannot be opened again."),
    ]


def _lost(study: Study) -> list[Text]:
    """What people in the study would lose, with their numbers."""
    ends = loose_ends(study)
    sentences: list[Text] = []
    if n := ends.n_unsent:
        sentences.append(
            ngettext(
                "%(n)s person has answered everything but not submitted it. These "
                "answers will not be scored.",
                "%(n)s people have answered everything but not submitted it. These "
                "answers will not be scored.",
                n,
            )
            % {"n": n}
        )
    if n := ends.n_waiting:
        sentences.append(
            ngettext(
                "%(n)s person is waiting for another phase and will not be able to answer it.",
                "%(n)s people are waiting for another phase and will not be able to answer it.",
                n,
            )
            % {"n": n}
        )
    return sentences


def _marking(study: Study) -> list[Text]:
    sentences: list[Text] = [
        _("The values of its items were collected elsewhere and are final."),
        _(
            "Likeness collects no answers in this study: there is no design, no consent text, no"
            " roster and no link."
        ),
        _("Measures, leaderboards, training and releases use the imported values unchanged."),
        _(
            "You can make it a draft again as long as it has no answers and no release, and no"
            " other study uses its items."
        ),
    ]
    if study.designs.exclude(made_at=None).exists():
        sentences.insert(2, _("The current design is deleted."))
    return sentences


def _unmarking(study: Study) -> list[Text]:
    return [
        _(
            "The study becomes a draft again. You can make a design, open it and "
            "collect answers here."
        ),
        _("Its items and leaderboards are kept."),
    ]


STEPS = {
    "open": Step(
        _("Open"),
        _("Open the study?"),
        _("The study is open."),
        studies.open_study,
        frozenset({State.DRAFT}),
        State.OPEN,
        _opening,
    ),
    "pause": Step(
        _("Pause the study"),
        _("Pause the study?"),
        _("The study is paused."),
        studies.pause,
        frozenset({State.OPEN}),
        State.PAUSED,
        _pausing,
    ),
    "resume": Step(
        _("Open again"),
        _("Let new people in again?"),
        _("The study is open again."),
        studies.open_study,
        frozenset({State.PAUSED, State.CLOSED}),
        State.OPEN,
        _resuming,
    ),
    "close": Step(
        _("Close the study"),
        _("Close the study?"),
        _("The study is closed."),
        studies.close,
        frozenset({State.OPEN, State.PAUSED}),
        State.CLOSED,
        _closing,
    ),
    "finish": Step(
        _("Finish the study"),
        _("Finish the study?"),
        _("The study is finished."),
        studies.finish,
        frozenset({State.OPEN, State.PAUSED, State.CLOSED}),
        State.FINISHED,
        _finishing,
        is_dangerous=True,
    ),
    "mark_imported": Step(
        _("Mark as imported"),
        _("Mark the study as imported?"),
        _("The study is marked as imported."),
        imported_studies.mark,
        frozenset({State.DRAFT}),
        State.IMPORTED,
        _marking,
    ),
    "unmark_imported": Step(
        _("Make it a draft again"),
        _("Make the study a draft again?"),
        _("The study is a draft again."),
        imported_studies.unmark,
        frozenset({State.IMPORTED}),
        State.DRAFT,
        _unmarking,
    ),
}


def steps_of(study: Study) -> list[tuple[str, Step]]:
    """What can be done with a study in its state."""
    return [(name, step) for name, step in STEPS.items() if study.state in step.states]


def view_of(name: str) -> Callable[..., HttpResponseBase]:
    step = STEPS[name]

    @study_page
    @require_http_methods(["GET", "POST"])
    def change_state(request: HttpRequest, study: Study) -> HttpResponse:
        if request.method == "POST":
            if study.state == step.target:
                return to(study, "change")  # a double click
            # Looked at here as well: resuming must not open a draft that nobody confirmed.
            for obstacle in (obstacles := obstacles_of(study, step)):
                messages.error(request, str(obstacle))
            if not obstacles:
                with refusals(request):
                    take(
                        step,
                        study,
                        without_consent="without_consent" in request.POST,
                        seen_design=request.POST.get("design", ""),
                    )
                    done(request, study, step.message)
            return to(study, "change")
        obstacles = obstacles_of(study, step)
        is_unopened = bool(obstacles) and study.is_draft and step.target == State.OPEN
        return confirm(
            request,
            study,
            Confirmation(
                title=_("This study cannot be opened yet") if is_unopened else step.title,
                consequences=step.consequences(study),
                button=step.label,
                is_dangerous=step.is_dangerous,
                obstacles=obstacles,
                links=_links_to_listings(study, step),
            ),
            section="change",
            box=_consent_box(study, step),
            carried=[("design", edition)] if (edition := edition_of(study)) else [],
        )

    return change_state


def take(
    step: Step, study: Study, *, without_consent: bool = False, seen_design: str = ""
) -> Study:
    """Change the study's state; only opening asks for confirmations of its own."""
    if step.target == State.OPEN:
        return step.act(study=study, without_consent=without_consent, seen_design=seen_design)
    return step.act(study=study)


def _links_to_listings(study: Study, step: Step) -> list[tuple[str, Text]]:
    """Where the listings that stay out can be paused or closed."""
    if step.target not in {State.PAUSED, State.CLOSED, State.FINISHED}:
        return []
    return [
        (url(study, "listing", listing.pk), _("Listing %(n)s") % {"n": listing.number})
        for listing in listings_out(study)
    ]


def edition_of(study: Study) -> str:
    """The edition of the design that opening would freeze; empty if there is none."""
    design = study.designs.order_by("-number").first()
    return design.edition if study.is_draft and design else ""


def _consent_box(study: Study, step: Step) -> dict[str, Any] | None:
    """The tick without which a study that has no consent text is not opened."""
    if not (study.is_draft and step.target == State.OPEN and lacks_consent(study)):
        return None
    return {
        "name": "without_consent",
        "label": _("This study needs no consent text."),
        "is_required": True,
    }


def refuse_obstacles(study: Study, step: Step) -> None:
    """Raises StateError with what stands in the way of a step."""
    if obstacles := obstacles_of(study, step):
        raise StateError(" ".join(map(str, obstacles)))


def obstacles_of(study: Study, step: Step) -> list[Text]:
    """Why a step cannot be taken now."""
    if study.state not in step.states:
        if study.is_imported:
            return [imported_rules.NOBODY_ASKED]
        return [
            _("You cannot do this now: the study is %(state)s.")
            % {"state": study.get_state_display()}
        ]
    if step.target == State.IMPORTED:
        reason = imported_studies.refusal(study)
        return [reason] if reason else []
    if study.is_imported:
        reason = imported_rules.dependents(study)
        return [reason] if reason else []
    if step.target == State.FINISHED:
        reason = finish_refusal(study)
        return [reason] if reason else []
    if not study.is_draft:
        return []
    if study.archived_at is not None:
        return [studies.ARCHIVED]
    if not study.has_material:
        return [_("There are no items yet. Import them first.")]
    design = study.designs.order_by("-number").first()
    if design is None or not design.is_made:
        return [_("There is no design yet. Make one and read its certificate.")]
    reason = contacts.refusal(study)
    return [reason] if reason else []
