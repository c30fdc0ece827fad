"""A copy of a study: a new draft, which belongs to whoever copies."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import log, show, study_page, to, user_of
from annotation.models import AuditEvent, Study
from annotation.studies.forms.studies import CopyForm
from annotation.studies.pages.creating import copying_job
from annotation.studies.services import copies

# The history of the study does not say what the copy is called: it may be somebody else's.
COPIED = _("Created a copy of the study.")


def said_of_copy(study: Study) -> Said:
    """What the history of the copy says."""
    return _("Created the study as a copy of %(study)s.") % {"study": study.title}


@study_page
@require_http_methods(["GET", "POST"])
def copy(request: HttpRequest, study: Study) -> HttpResponse:
    form = CopyForm(study, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            draft = copies.begin(
                study=study,
                title=form.cleaned_data["title"],
                with_items=form.cleaned_data.get("with_items", False),
                by=user_of(request),
            )
        except AnnotationError as error:
            form.add_error(None, error.message)
        else:
            log(request, study, COPIED)
            log(request, draft, said_of_copy(study), kind=AuditEvent.Kind.CREATED)
            if job := copying_job(draft):
                return to(draft, "job", job.pk)
            return to(draft, "change")
    return show(
        request,
        study,
        "studies/copy.html",
        title=gettext("Copy the study"),
        section="change",
        status=400 if form.errors else 200,
        form=form,
        is_mine=study.owner_id == user_of(request).pk,
    )
