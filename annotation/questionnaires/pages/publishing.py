"""Which answers about people a release contains."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, refusals, study_page, to
from annotation.models import Study
from annotation.questionnaires.queries import definitions
from annotation.questionnaires.services import definitions as services


@study_page
@require_POST
def publish(request: HttpRequest, study: Study) -> HttpResponse:
    chosen = set(request.POST.getlist("question"))
    keys = sorted(q.key for q in definitions.of(study).questions if q.key in chosen)
    with refusals(request):
        services.publish(study=study, keys=keys)
        done(
            request,
            study,
            _("Releases contain the answers to: %(keys)s.") % {"keys": ", ".join(keys)}
            if keys
            else _("Releases contain no answers about people."),
        )
    return to(study, "questionnaires")
