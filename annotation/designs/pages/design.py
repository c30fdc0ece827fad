"""Step 3: the numbers of the design, what follows from them, and the certificate."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_http_methods

from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said, in_words
from annotation.basics.sentences import sentence as _
from annotation.core.pages import jobs as job_pages
from annotation.core.pages.edit_conflicts import basis_of, changed_meanwhile
from annotation.core.pages.frame import (
    Confirmation,
    confirm,
    done,
    log,
    refusals,
    show,
    study_page,
    to,
    user_of,
)
from annotation.designs.services import designs
from annotation.kinds.design_parameters import ImpossibleParametersError
from annotation.kinds.forms.designs import NumbersForm
from annotation.kinds.registry import kind_of
from annotation.models import Design, Job, Study
from annotation.studies.services import studies

AnyForm = NumbersForm[Any]


def form_of(study: Study, data: Any = None) -> AnyForm:
    """The form that fits what the study asks."""
    return kind_of(study).designs.form(study, data)


@study_page
@require_http_methods(["GET", "POST"])
def design(request: HttpRequest, study: Study) -> HttpResponse:
    """Choose the numbers; "make" also starts the job that draws the tuples."""
    form = form_of(study, request.POST if request.method == "POST" else None)
    # The page shows it before it is saved.
    form.propose()
    status = 200
    if form.is_bound:
        status = 400
        if form.is_valid():
            try:
                if conflict := changed_meanwhile(request, study, form):
                    raise StateError(conflict)
                return _save(request, study, form)
            except ImpossibleParametersError as error:
                form.add_error(field_at_fault(form, error), error.message)
                status = error.status
            except AnnotationError as error:
                form.add_error(None, error.message)
                status = error.status
    row = form.design
    of_kind = kind_of(study).designs
    job = study.jobs.filter(kind=Job.Kind.MAKE_DESIGN).order_by("-pk").first()
    sentence, problem = _sentence(study, form)
    return show(
        request,
        study,
        "designs/design.html",
        title=_("Design"),
        section="design",
        status=status,
        form=form,
        design=row,
        basis=basis_of(form),
        has_material=study.has_material,
        sentence=sentence,
        problem=problem,
        certificate=_certificate(row),
        certificate_template=of_kind.certificate_template,
        warnings=of_kind.warnings(row),
        remedy=of_kind.remedy,
        questions=of_kind.first_questions(row),
        can_forecast=of_kind.plan_form is not None,
        job=job_pages.described(request, study, job)
        if job and job.state != Job.State.DONE
        else None,
    )


def field_at_fault(form: AnyForm, error: ImpossibleParametersError) -> str | None:
    """The field of the number to mend; None if it is not one alone."""
    return error.field if error.field in form.fields else None


def _save(request: HttpRequest, study: Study, form: AnyForm) -> HttpResponse:
    row = form.design
    if row.is_frozen:
        if form.changes_design:
            designs.set_parameters(
                study=study, parameters=form.parameters, seed=form.cleaned_data["seed"]
            )
    else:
        # Refused here, with the nearest numbers that work, rather than minutes later by a job.
        kind_of(study).designs.refuse_impossible(study, form.parameters)
        if row.is_made and form.changes_design and request.POST.get("replace") != "yes":
            return _ask(request, study, form)
        designs.set_parameters(
            study=study, parameters=form.parameters, seed=form.cleaned_data["seed"]
        )
    studies.edit(study=study, changes=form.settings)
    if form.changed_data:
        done(request, study, _("Saved the settings."))
    if "make" not in request.POST:
        return to(study, "design")
    return _make(request, study)


def _ask(request: HttpRequest, study: Study, form: AnyForm) -> HttpResponse:
    """Other numbers throw away a design that was made: ask first, and keep what was typed."""
    return confirm(
        request,
        study,
        Confirmation(
            title=_("Change the settings?"),
            consequences=[
                _("The design made from the earlier settings is deleted."),
                _("Questions and booklets are drawn again when you make the new design."),
            ],
            button=_("Make it again") if "make" in request.POST else _("Save the settings"),
        ),
        back="design",
        section="design",
        action=request.path,
        carried=[
            (name, value)
            for name in [*form.fields, "make"]
            for value in request.POST.getlist(name)
        ]
        + [("replace", "yes")],
    )


@study_page
@require_http_methods(["GET", "POST"])
def make(request: HttpRequest, study: Study) -> HttpResponse:
    """Make the design from the saved numbers, or make it again."""
    if request.method == "POST":
        return _make(request, study)
    of_kind = kind_of(study).designs
    return confirm(
        request,
        study,
        Confirmation(
            title=_("Make the design?"),
            consequences=[
                _("Likeness draws questions and booklets from the saved settings and seed."),
                _("It replaces any earlier design. Nobody has answered that yet."),
                *of_kind.warnings_before_making(study, of_kind.parameters.of(study.design)),
            ],
            button=_("Make the design"),
        ),
        back="design",
        section="design",
    )


def _make(request: HttpRequest, study: Study) -> HttpResponse:
    with refusals(request):
        job = designs.request(study=study, by=user_of(request))
        log(request, study, _("Started making the design."))
        return to(study, "job", job.pk)
    return to(study, "design")


@study_page
@require_GET
def consequences(request: HttpRequest, study: Study) -> JsonResponse:
    """The sentence under the form, for numbers that are not saved yet."""
    form = form_of(study, request.GET)
    form.is_valid()
    sentence, problem = _sentence(study, form)
    return JsonResponse({"sentence": sentence, "problem": problem})


def _sentence(study: Study, form: AnyForm) -> tuple[Said, Said]:
    """What follows from the numbers, or why nothing does."""
    if form.is_bound:
        if wrong := form.wrong_numbers():
            return "", " ".join(wrong)
        parameters = form.parameters
    else:
        parameters = form.stored
    if not study.has_material:
        return _(
            "Import the items first. Then this page shows the numbers of questions and places."
        ), ""
    try:
        return kind_of(study).designs.consequences(study, parameters), ""
    except ImpossibleParametersError as error:
        field = field_at_fault(form, error)
        if field is None:
            return "", error.message
        return "", _("%(label)s: %(problem)s") % {
            "label": form[field].label,
            "problem": error.message,
        }
    except AnnotationError as error:
        return "", error.message


def _certificate(row: Design) -> dict[str, Any] | None:
    """The certificate's numbers as a table; its groups of like pools are the rows."""
    certificate = row.certificate
    if not certificate:
        return None
    booklets = certificate.get("booklets", {})
    return {
        "sentences": kind_of(row.study).designs.certificate(row),
        "booklets": {
            **booklets,
            "strata": [in_words(name) for name in booklets.get("strata", [])],
            "notes": [in_words(note) for note in booklets.get("notes", [])],
        },
        "totals": certificate,
        "groups": [
            {"n_pools": len(group["pools"]), **group["certificate"]}
            for group in certificate.get("groups", [])
        ],
    }
