"""Step 4: a walk through the annotator's pages that leaves no data."""

from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.answering.forms import AgreementForm, ComprehensionForm
from annotation.answering.pages.frame import interface_language
from annotation.answering.queries import screens
from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.core import access
from annotation.core.pages.frame import done, refusals, study_page, to, url
from annotation.designs.services import designs
from annotation.models import Study
from annotation.questionnaires.forms.replying import ReplyForm
from annotation.questionnaires.queries import definitions


def _page(
    request: HttpRequest,
    study: Study,
    template: str,
    *,
    status: int = 200,
    booklet: int = 1,
    **context: Any,
) -> HttpResponse:
    """A page as annotators see it, in the study's language, with a way out."""
    with translation.override(interface_language(study)):
        return render(
            request,
            f"designs/try/{template}",
            {
                "preview": True,
                # What a form asks here is walked past: readers send none.
                "is_reader": access.is_reader(request.user, study),
                "study": study,
                "visitor": None,
                "page_language": translation.get_language(),
                "desk_url": url(study, "change"),
                "booklet": booklet,
                **context,
            },
            status=status,
        )


def _unmade(request: HttpRequest, study: Study) -> HttpResponse | None:
    """The way back, if there is no design to walk through yet."""
    if study.design.is_made:
        return None
    with refusals(request):
        raise StateError(_("There is no design yet. Make one, then walk through it."))
    return to(study, "design")


@study_page
@require_http_methods(["GET", "POST"])
def consent(request: HttpRequest, study: Study) -> HttpResponse:
    if unmade := _unmade(request, study):
        return unmade
    error = ""
    if request.method == "POST":
        form = AgreementForm(request.POST)
        if form.is_valid():
            return redirect(_before(study))
        error = str(form.errors["agree"][0])
    return _page(
        request,
        study,
        "consent.html",
        status=400 if error else 200,
        next_url=_before(study),
        consent=study.consent_texts.order_by("-version").first(),
        error=error,
    )


def _before(study: Study) -> str:
    return _questions_or(study, 1, "before", url(study, "try_instructions"))


def _questions_or(study: Study, booklet: int, moment: str, otherwise: str) -> str:
    """Where the questions about people of a moment are, if there are any."""
    has_any = moment and definitions.of(study).at(moment).questions
    return url(study, "try_questionnaire", booklet, moment) if has_any else otherwise


@study_page
@require_http_methods(["GET", "POST"])
def questionnaire(request: HttpRequest, study: Study, booklet: int, moment: str) -> HttpResponse:
    """The questions about people of a moment; what is answered is checked, and not stored."""
    if unmade := _unmade(request, study):
        return unmade
    row = get_object_or_404(study.design.booklets, number=booklet)
    following = {
        "before": url(study, "try_instructions"),
        "between": url(study, "try_screen", booklet, 1 + row.n_screens),
        "after": url(study, "try_thanks"),
    }
    definition = definitions.of(study).at(moment) if moment in following else None
    if definition is None or not definition.questions:
        raise Http404
    form = ReplyForm(definition, request.POST if request.method == "POST" else None)
    shown: dict[str, Any] = {"next_url": following[moment], "questionnaire": definition}
    with translation.override(interface_language(study)):
        is_complete = form.is_bound and form.is_valid()
    if is_complete:
        if definition.does_screen_out(form.values):
            return _page(request, study, "screened_out.html", **shown)
        return redirect(following[moment])
    return _page(
        request,
        study,
        "questionnaire.html",
        status=400 if form.is_bound else 200,
        form=form,
        problems=form.problems if form.is_bound else [],
        is_last=moment == "after",
        **shown,
    )


@study_page
@require_http_methods(["GET", "POST"])
def instructions(request: HttpRequest, study: Study) -> HttpResponse:
    if unmade := _unmade(request, study):
        return unmade
    shown: dict[str, Any] = {"error": "", "feedback": "", "chosen": None}
    status = 200
    if request.method == "POST":
        if not study.comprehension:
            return to(study, "try_screen", 1, 1)
        form = ComprehensionForm(request.POST)
        if not form.is_valid():
            shown["error"] = str(form.errors["answer"][0])
        elif form.cleaned_data["answer"] == study.comprehension["right"]:
            return to(study, "try_screen", 1, 1)
        else:
            shown["chosen"] = form.cleaned_data["answer"]
            shown["feedback"] = study.comprehension.get("feedback") or _(
                "That is not quite right. Please look at the instructions again."
            )
        status = 400
    return _page(
        request,
        study,
        "instructions.html",
        status=status,
        example=screens.worked_example(study),
        comprehension=study.comprehension,
        **shown,
    )


@study_page
@require_GET
def screen(request: HttpRequest, study: Study, booklet: int, screen: int) -> HttpResponse:
    """One screen of one booklet; the next after the last are the thanks."""
    if unmade := _unmade(request, study):
        return unmade
    try:
        context = screens.preview_screen(
            study, screen, booklet, url_of=lambda number: url(study, "try_screen", booklet, number)
        )
    except LookupError as error:
        raise Http404 from error
    booklets = study.design.booklets
    per_phase = get_object_or_404(booklets, number=booklet).n_screens
    if not context["urls"]["next"]:
        context["urls"]["next"] = _questions_or(study, booklet, "after", url(study, "try_thanks"))
    elif screen % per_phase == 0:
        context["urls"]["next"] = url(study, "try_pause", booklet, screen // per_phase)
    context["example"] = screens.worked_example(study)
    # Said by the frame, in the language that the frame is shown in.
    context.pop("page_language", None)
    n_booklets = booklets.count()
    phase = (screen - 1) // per_phase + 1
    return _page(
        request,
        study,
        "screen.html",
        booklet=booklet,
        other_booklet=url(study, "try_screen", booklet % n_booklets + 1, 1)
        if n_booklets > 1
        else "",
        next_phase=url(study, "try_pause", booklet, phase)
        if phase < study.design.phases.count()
        else "",
        **{
            name: value
            for name, value in context.items()
            if name not in {"preview", "study", "visitor"}
        },
    )


@study_page
@require_GET
def pause(request: HttpRequest, study: Study, booklet: int, phase: int) -> HttpResponse:
    """The page between two phases, as if the first one had been submitted now."""
    if unmade := _unmade(request, study):
        return unmade
    design = study.design
    row = get_object_or_404(design.booklets, number=booklet)
    following = design.phases.filter(number=phase + 1).first()
    if following is None:
        return to(study, "try_thanks")
    next_screen = url(study, "try_screen", booklet, phase * row.n_screens + 1)
    opens_at = clock.now() + (following.delay or timedelta())
    return _page(
        request,
        study,
        "pause.html",
        booklet=booklet,
        opens_at=opens_at,
        closes_at=opens_at + following.closes_after if following.closes_after else None,
        n_repeats=design.parameters.get("n_repeats", 0),
        next_url=_questions_or(study, booklet, "between" if phase == 1 else "", next_screen),
    )


@study_page
@require_POST
def walked(request: HttpRequest, study: Study) -> HttpResponse:
    """The end of the walk: the step is ticked until the design is made again."""
    if unmade := _unmade(request, study):
        return unmade
    designs.note_walk(design=study.design)
    done(request, study, _("Walked through the study as an annotator."))
    return to(study, "change")


@study_page
@require_GET
def thanks(request: HttpRequest, study: Study) -> HttpResponse:
    if unmade := _unmade(request, study):
        return unmade
    repeated = study.design.parameters.get("n_repeats", 0)
    return _page(request, study, "thanks.html", n_repeats=repeated)
