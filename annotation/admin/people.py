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
from annotation.models import PhaseRun, Study
from annotation.models.kinds import QuestionKind
from annotation.queries import check_answers
from annotation.queries import people as queries
from annotation.sentences import sentence as _
from annotation.services import people as services
from annotation.services import phases


@study_page
@require_GET
def people(request: HttpRequest, study: Study) -> HttpResponse:
    simulated = request.GET.get("population") == "simulated"
    page = page_of(request, queries.annotators(study, simulated=simulated))
    rows = queries.person_rows(study, page.object_list)
    return show(
        request,
        study,
        "people.html",
        title=_("People"),
        section="people",
        page=page,
        rows=rows,
        is_label=study.kind == QuestionKind.LABEL,
        has_flags=any(row.flags for row in rows),
        has_compliance=any(row.compliance is not None for row in rows),
        has_checks=any(row.checks for row in rows),
        checks=check_answers.summary(study, "simulated" if simulated else "people"),
        simulated=simulated,
        n_simulated=queries.annotators(study, simulated=True).count(),
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
                _("So does the person, on the page that says what is stored about them."),
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


@study_page
@require_http_methods(["GET", "POST"])
def open_phase(request: HttpRequest, study: Study, run_id: int) -> HttpResponse:
    """Open a phase for one person before its time, or once more after it."""
    run = get_object_or_404(
        PhaseRun.objects.select_related("phase", "assignment__annotator"),
        pk=run_id,
        assignment__annotator__study=study,
    )
    problem, reason = "", ""
    who, number = run.assignment.annotator, run.phase.number
    if request.method == "POST":
        reason = request.POST.get("reason", "")
        try:
            phases.open_now(run=run, reason=reason, by=user_of(request))
        except AnnotationError as error:
            problem = error.message
        else:
            done(
                request,
                study,
                _("Opened part %(n)s for %(who)s: %(reason)s")
                % {"n": number, "who": who, "reason": reason.strip()},
            )
            return to(study, "people")
    response = confirm(
        request,
        study,
        Confirmation(
            title=_("Open part %(n)s for %(who)s now?") % {"n": number, "who": who},
            consequences=[
                _("They can begin it at once; for all others the pause stays as it is."),
                _("The pause they really had is shorter or longer, and is exported in hours."),
                _("The reason is kept, and exported with the hours."),
                _("Likeness does not tell them: please write to them yourself."),
            ],
            button=_("Open it now"),
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
