"""Step 1: the texts of a study."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation import presets
from annotation.admin.meanwhile import basis_of, changed_meanwhile
from annotation.admin.pages import done, show, study_page, to
from annotation.errors import AnnotationError
from annotation.forms.studies import DescribeForm, placeholders
from annotation.models import Study
from annotation.sentences import sentence as _
from annotation.services import studies


@study_page
@require_http_methods(["GET", "POST"])
def describe(request: HttpRequest, study: Study) -> HttpResponse:
    """Edit the texts; a preview shows what is typed without storing it."""
    consent = study.consent_texts.order_by("-version").first()
    form = DescribeForm(
        study,
        consent.text if consent else "",
        request.POST if request.method == "POST" else None,
    )
    status = 200
    preview: dict[str, Any] | None = None
    if form.is_bound:
        status = 400
        if form.is_valid():
            if "preview" in request.POST:
                status, preview = 200, _preview(form)
            elif meanwhile := changed_meanwhile(request, study, form):
                form.add_error(None, meanwhile)
                status = 409
            else:
                try:
                    return _save(request, study, form)
                except AnnotationError as error:
                    form.add_error(None, error.message)
                    status = error.status
    return show(
        request,
        study,
        "describe.html",
        title=_("Describe the study"),
        section="describe",
        status=status,
        form=form,
        groups=_groups(form),
        preview=preview,
        languages=presets.TEXT_LANGUAGES,
        placeholders=placeholders(form["consent"].value() or ""),
        basis=request.POST.get("basis") if preview else basis_of(form),
        consent_version=consent.version if consent else 1,
    )


LABELS = {
    **studies.FROZEN_FIELDS,
    "title": _("title"),
    "consent": _("consent"),
    "thanks": _("thanks"),
}


def _save(request: HttpRequest, study: Study, form: DescribeForm) -> HttpResponse:
    changes = form.changes()
    studies.edit(study=study, changes=changes)
    if changes:
        names = ", ".join(sorted(str(LABELS[name]) for name in changes))
        done(request, study, _("Saved: %(names)s.") % {"names": names})
    return to(study, "describe")


def _preview(form: DescribeForm) -> dict[str, Any]:
    """What an annotator would read, from the form as it stands."""
    cleaned, study = form.cleaned_data, form.study
    changes = form.changes()
    return {
        "most_question": cleaned["most_question"],
        "least_question": cleaned["least_question"],
        "consent": cleaned["consent"],
        "instructions": cleaned["instructions"],
        "thanks": cleaned["thanks"],
        "example": changes.get("worked_example", study.worked_example),
        "comprehension": changes.get("comprehension", study.comprehension),
    }


def _groups(form: DescribeForm) -> list[dict[str, Any]]:
    """The form's fields under headings, in the order in which an annotator meets them."""
    return [
        {
            "title": _("The study"),
            "fields": [
                form[name] for name in ("title", "language", "most_question", "least_question")
            ],
        },
        {
            "title": _("Before the first question"),
            "fields": [form["consent"], form["instructions"]],
        },
        {
            "title": _("Worked example"),
            "note": _("Shown with the instructions, its right answers marked. Empty: none."),
            "fields": [form[name] for name in form.EXAMPLE],
        },
        {
            "title": _("Comprehension question"),
            "note": _("To be answered rightly before the first question. Empty: none."),
            "fields": [form[name] for name in form.CHECK],
        },
        {"title": _("After the last answer"), "fields": [form["thanks"]]},
    ]
