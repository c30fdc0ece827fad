"""Into the archive and out of it: each by one button of the overview."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, refusals, study_page, to
from annotation.models import Study
from annotation.studies.services import archiving

ARCHIVED = _("Archived the study.")
RESTORED = _("Took the study out of the archive.")


@study_page
@require_POST
def archive_study(request: HttpRequest, study: Study) -> HttpResponse:
    if study.archived_at is None:  # else a double click
        with refusals(request):
            archiving.archive(study=study)
            done(request, study, ARCHIVED)
    return to(study, "change")


@study_page
@require_POST
def restore_study(request: HttpRequest, study: Study) -> HttpResponse:
    if study.archived_at is not None:  # else a double click
        archiving.restore(study=study)
        done(request, study, RESTORED)
    return to(study, "change")
