"""Scores with and without some people, side by side; looking changes nothing."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import translation
from django.views.decorators.http import require_GET, require_POST

from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import log, refusals, show, study_page, to, url, user_of
from annotation.core.pages.plot_files import plot_file
from annotation.core.queries.counted_answers import Population
from annotation.models import Job, Study
from annotation.people.queries import people as people_queries
from annotation.people.queries import people_by_answer
from annotation.people.queries.people_order import chosen
from annotation.results.queries import comparisons as queries
from annotation.results.services import comparisons


@study_page
@require_POST
def compare(request: HttpRequest, study: Study) -> HttpResponse:
    """Have the scores computed with and without the people chosen."""
    is_simulated = request.POST.get("population") == "simulated"
    population: Population = "simulated" if is_simulated else "people"
    with refusals(request):
        job = comparisons.start(
            study=study,
            population=population,
            without=chosen(study, request.POST),
            answer=request.POST.get("answer", "") if request.POST.get("group") == "answer" else "",
            by=user_of(request),
        )
        log(request, study, _("Started comparing the scores with and without these people."))
        return to(study, "job", job.pk)
    return redirect(f"{url(study, 'people')}?population={population}")


@study_page
@require_GET
def comparison(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    job = get_object_or_404(study.jobs, pk=job_id, kind=Job.Kind.COMPARE)
    who = queries.people(job)
    rows = people_queries.person_rows(study, who)
    return show(
        request,
        study,
        "results/comparison.html",
        title=_("Scores with and without these people"),
        section="people",
        job=job,
        rows=rows,
        answer=dict(people_by_answer.options(study)).get(job.parameters.get("answer")),
        n_gone=len(job.parameters["without"]) - len(who),
        has_excluded=any(row.exclusion for row in rows),
        has_counted=any(not row.exclusion for row in rows),
        figures=job.figures,
        parts=queries.parts(job),
        is_simulated=job.parameters["population"] == "simulated",
    )


@study_page
@require_GET
def plot(request: HttpRequest, study: Study, job_id: int, name: str, kind: str) -> HttpResponse:
    """The scatter as a file, and the whole table behind it."""
    job = get_object_or_404(study.jobs, pk=job_id, kind=Job.Kind.COMPARE)
    # Programs read the data: their columns have the same names for everybody.
    with translation.override("en" if kind == "tsv" else translation.get_language()):
        plots = {part.plot.key: part.plot for part in queries.parts(job)}
    if name not in plots:
        raise Http404
    made = plot_file(request, plots[name], kind, stem=f"{study.slug}-{name}")
    return made or to(study, "comparison", job.pk)
