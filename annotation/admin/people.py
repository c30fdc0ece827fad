"""Who answered: pseudonyms, never keys; leaving somebody out of the scores, with the reason."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.admin.pages import (
    Confirmation,
    confirm,
    done,
    page_of,
    show,
    study_page,
    to,
    user_of,
)
from annotation.errors import AnnotationError
from annotation.models import Study
from annotation.queries import progress
from annotation.sentences import sentence as _
from annotation.services import people as services


@study_page
@require_GET
def people(request: HttpRequest, study: Study) -> HttpResponse:
    simulated = request.GET.get("population") == "simulated"
    page = page_of(request, progress.annotators(study, simulated=simulated))
    rows = progress.person_rows(study, page.object_list)
    return show(
        request,
        study,
        "people.html",
        title=_("People"),
        section="people",
        page=page,
        rows=rows,
        has_compliance=any(row.compliance is not None for row in rows),
        simulated=simulated,
        n_simulated=progress.annotators(study, simulated=True).count(),
    )


@study_page
@require_http_methods(["GET", "POST"])
def exclude(request: HttpRequest, study: Study, annotator_id: int) -> HttpResponse:
    annotator = get_object_or_404(study.annotators, pk=annotator_id)
    problem, reason = "", ""
    if request.method == "POST":
        reason = request.POST.get("reason", "")
        try:
            services.exclude(annotator=annotator, reason=reason, by=user_of(request))
        except AnnotationError as error:
            problem = error.message
        else:
            done(
                request,
                study,
                _("Excluded %(who)s: %(reason)s") % {"who": annotator, "reason": reason.strip()},
            )
            return to(study, "people")
    response = confirm(
        request,
        study,
        Confirmation(
            title=_("Leave %(who)s out of the scores?") % {"who": annotator},
            consequences=[
                _("Their answers stay stored and exported, and are not scored any more."),
                _("Their place stays theirs: it is not given to somebody else."),
                _("The reason is kept with the exclusion; colleagues of this study see it."),
                _("Results that were computed before stay as they are until you score again."),
                _("You can include them again at any time."),
            ],
            button=_("Exclude"),
            is_dangerous=True,
        ),
        back="people",
        section="people",
        asks_reason=True,
        reason=reason,
        problem=problem,
    )
    if problem:
        response.status_code = 400
    return response


@study_page
@require_POST
def include(request: HttpRequest, study: Study, annotator_id: int) -> HttpResponse:
    annotator = get_object_or_404(study.annotators, pk=annotator_id)
    if annotator.exclusions.in_force().exists():
        services.include_again(annotator=annotator)
        done(request, study, _("Included %(who)s again.") % {"who": annotator})
    return to(study, "people")
