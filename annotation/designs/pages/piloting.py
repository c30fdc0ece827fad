"""Pilots: parts of a draft, tried with a few people in studies of their own."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, log, refusals, show, study_page, to, user_of
from annotation.core.queries import counted_answers
from annotation.designs.forms.piloting import PilotForm
from annotation.designs.services import pilots as services
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.kinds.registry import kind_of
from annotation.models import AuditEvent, Study


@dataclass(frozen=True)
class Pilot:
    """A pilot in the list, with its figures."""

    study: Study
    n_judgments: int
    # How many texts it words differently.
    n_changed: int


@study_page
@require_http_methods(["GET", "POST"])
def pilots(request: HttpRequest, study: Study) -> HttpResponse:
    """The pilots of a study, and the form for another one."""
    of_kind = kind_of(study).designs
    refusal = services.refusal(study)
    seen = Study.objects.seen_by(user_of(request)).filter(pilot_of=study)
    form = None
    if not refusal:
        there = of_kind.pilot_parts(study)
        data = request.POST if request.method == "POST" else None
        form = PilotForm(len(there), of_kind.fewest_pilot_parts(study), data)
    if request.method == "POST" and (form is None or form.is_valid()):
        try:
            pilot = services.begin(
                study=study, n_parts=form.cleaned_data["n_parts"] if form else 0
            )
        except ImpossibleParametersError as error:
            assert form is not None
            form.add_error("n_parts", error.message)
        except AnnotationError as error:
            messages.error(request, str(error.message))
            return to(study, "pilots")
        else:
            log(request, study, _("Created %(pilot)s.") % {"pilot": pilot.title})
            log(request, pilot, _("Created the study."), kind=AuditEvent.Kind.CREATED)
            return to(pilot, "change")
    return show(
        request,
        study,
        "designs/pilots.html",
        title=gettext("Pilots"),
        section="design",
        status=400 if form is not None and form.errors else 200,
        form=form,
        refusal=refusal,
        unit=of_kind.pilot_unit(study),
        can_forecast=of_kind.plan_form is not None,
        pilots=[
            Pilot(
                pilot,
                counted_answers.judgments_of(pilot, "people").current().count(),
                len(services.changed_texts(study, pilot)),
            )
            for pilot in seen.order_by("pk")
        ],
    )


@study_page
@require_http_methods(["GET", "POST"])
def texts(request: HttpRequest, study: Study, pilot_id: int) -> HttpResponse:
    """What a pilot words differently; a draft may take it."""
    pilot = get_object_or_404(Study.objects.seen_by(user_of(request)), pilot_of=study, pk=pilot_id)
    if request.method == "POST":
        with refusals(request):
            taken = services.take_texts(
                study=study, pilot=pilot, names=request.POST.getlist("text")
            )
            done(request, study, said_of_taken(pilot, taken))
        return to(study, "pilot_texts", pilot.pk)
    changed = [
        (text.field, text.label, _shown(text.here), _shown(text.there))
        for text in services.changed_texts(study, pilot)
    ]
    if not changed:
        messages.info(request, gettext("The pilot has the same texts as the study."))
        return to(study, "pilots")
    return show(
        request,
        study,
        "designs/pilot_texts.html",
        title=gettext("Texts of the pilot"),
        section="design",
        pilot=pilot,
        changed=changed,
    )


def said_of_taken(pilot: Study, taken: Sequence[services.ChangedText]) -> Said:
    return _("Copied from %(pilot)s: %(names)s.") % {
        "pilot": pilot.title,
        "names": ", ".join(str(text.label) for text in taken),
    }


def _shown(value: Any) -> str:
    """A text as it is, or each part of it on a line of its own."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=1) if value else ""
