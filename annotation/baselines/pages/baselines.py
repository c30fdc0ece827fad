"""Measures held against people: the leaderboard as a job stored it, and the way to another one."""

import io
from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST

from annotation.baselines.forms.baselines import ComputeForm
from annotation.baselines.forms.uploading import UploadForm
from annotation.baselines.pages.comparing import compared
from annotation.baselines.pages.job_pages import STARTED
from annotation.baselines.pages.leaderboard import Board
from annotation.baselines.pages.measure_rows import part_name
from annotation.baselines.queries import human_scores
from annotation.baselines.queries.measure_figures import (
    ChoiceRow,
    choice_rows,
    is_of_earlier_scores,
    layered,
    with_current_figures,
)
from annotation.baselines.queries.measure_plots import layers_plot
from annotation.baselines.services import baselines as services
from annotation.baselines.services import measure_uploads
from annotation.basics import references
from annotation.basics.errors import AnnotationError, ImportProblemsError
from annotation.basics.measure_names import shown_name
from annotation.basics.sentences import Said, in_words, ngettext
from annotation.basics.sentences import sentence as _
from annotation.core.pages.frame import done, log, refusals, show, study_page, to, url, user_of
from annotation.core.pages.jobs import described
from annotation.core.queries import model_folders
from annotation.core.services import repeated_jobs
from annotation.kinds.registry import kind_of
from annotation.models import Baseline, Job, Study
from scoring.measures.leaderboard import EVERYTHING

# Kinds of jobs that the page can start again.
KINDS = (Job.Kind.BASELINES, Job.Kind.TRAIN)


@study_page
@require_http_methods(["GET", "POST"])
def baselines(request: HttpRequest, study: Study) -> HttpResponse:
    """The leaderboard and the forms; sent, the first of them starts a job."""
    if request.method != "POST":
        return _page(request, study)
    form = ComputeForm(study, request.POST)
    if not form.is_valid():
        return _page(request, study, form=form, status=400)
    try:
        job = services.request(
            study=study,
            specifications=form.specifications(),
            options=form.options(),
            by=user_of(request),
        )
    except AnnotationError as error:
        for sentence in error.said:
            form.add_error(None, str(sentence))
        return _page(request, study, form=form, status=error.status)
    log(request, study, STARTED)
    return to(study, "job", job.pk)


def _page(
    request: HttpRequest,
    study: Study,
    *,
    form: ComputeForm | None = None,
    upload: UploadForm | None = None,
    problems: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    board = Board.asked_for(study, request.GET)
    comparison = compared(board, request.GET) if board else None
    # Not with their values, which are many.
    stored = list(study.baselines.defer("values").order_by("pk"))
    beside_earlier = [
        shown_name(measure.name) for measure in stored if is_of_earlier_scores(measure)
    ]
    measures = with_current_figures(stored)
    # Their likelihoods rank the candidates of one dialogue, not all of them.
    choices = [measure for measure in measures if measure.measure == Baseline.MULTIPLE_CHOICE]
    job = study.jobs.filter(kind__in=KINDS).order_by("-pk").first()
    before = study.jobs.filter(kind=Job.Kind.BASELINES).order_by("-pk").first()
    form = form or ComputeForm(
        study,
        before=before.parameters if before else None,
        # The page of trained models links here with these parameters.
        model=(request.GET.get("family", ""), request.GET.get("model", "")),
    )
    return show(
        request,
        study,
        "baselines/baselines.html",
        no_pairs=kind_of(study).baselines.no_pairs,
        title=_("Baselines"),
        section="baselines",
        status=status,
        board=board,
        comparison=comparison,
        measures=measures,
        others=[
            measure
            for measure in measures
            if measure not in choices and (not board or measure.pk not in board.baselines)
        ],
        beside_earlier=beside_earlier,
        choices=_choices(measures, board),
        layer_plots=[
            plot for measure in layered(measures).values() if (plot := layers_plot(measure))
        ],
        has_items=study.items.without_checks().exists(),
        has_people=bool(form.sources),
        missing_step="" if board else _missing_step(study),
        form=form,
        upload=upload or UploadForm(),
        problems=problems or [],
        models=model_folders.names(user_of(request)),
        references=references.named_in(
            [*board.definitions, *(comparison.definitions if comparison else [])] if board else []
        ),
        job=described(request, study, job) if job and not _is_over(request, job) else None,
    )


def _missing_step(study: Study) -> Said:
    """Why existing scores do not count now; empty if they count, or if there are none."""
    return human_scores.missing_step(study) if human_scores.has_result(study) else ""


def _is_over(request: HttpRequest, job: Job) -> bool:
    """Whether a job needs no place on the page: it is done, or its failure was put away."""
    is_put_away = job.has_ended_early and job.pk == request.session.get(_put_away(job.study_id))
    return job.state == Job.State.DONE or is_put_away


def _put_away(study: int) -> str:
    return f"failure_put_away_{study}"


def _choices(measures: Sequence[Baseline], board: Board | None) -> list[tuple[ChoiceRow, str]]:
    """How often each model chose right, with the dialogues in words."""
    report = board.report if board else None
    rows = choice_rows(measures, report)
    return [
        (
            row,
            part_name(board.parts[row.part])
            if board and row.part is not None
            else str(_("all"))
            if row.subset == EVERYTHING
            else in_words(row.subset),
        )
        for row in rows
    ]


@study_page
@require_POST
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    """Keep the scores of a model that runs elsewhere."""
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, upload=form, status=400)
    given = form.cleaned_data
    file = given["file"].file if given["file"] else io.BytesIO(given["table"].encode())
    try:
        uploaded = measure_uploads.upload(
            study=study, name=given["name"], file=file, by=user_of(request)
        )
    except ImportProblemsError as error:
        return _page(request, study, upload=form, problems=error.problems, status=400)
    except AnnotationError as error:
        form.add_error(None, error.message)
        return _page(request, study, upload=form, status=error.status)
    if uploaded.made:
        done(
            request,
            study,
            _("Saved the scores of %(name)s. Compute the leaderboard again to include them.")
            % {"name": ", ".join(baseline.name for baseline in uploaded.made)},
        )
    if uploaded.known:
        known = _("Already stored with the same values: %(name)s.")
        messages.info(
            request, str(known % {"name": ", ".join(baseline.name for baseline in uploaded.known)})
        )
    for baseline in uploaded.made:
        if baseline.n_missing:
            lacking = ngettext(
                "%(name)s: %(n)s of %(all)s items has no score.",
                "%(name)s: %(n)s of %(all)s items have no score.",
                baseline.n_missing,
            )
            figures = {"name": baseline.name, "n": baseline.n_missing, "all": baseline.n_items}
            messages.info(request, str(lacking % figures))
    # Browsers would keep the part of the page that the form named.
    return redirect(f"{url(study, 'baselines')}#content")


@study_page
@require_POST
def again(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    """Start a job that failed or was cancelled once more, as it was asked for."""
    ended = get_object_or_404(study.jobs, pk=job_id, kind__in=KINDS)
    with refusals(request):
        job = repeated_jobs.repeat(ended, user_of(request))
        log(request, study, STARTED)
        return to(study, "job", job.pk)
    return to(study, "baselines")


@study_page
@require_POST
def put_away(request: HttpRequest, study: Study, job_id: int) -> HttpResponse:
    """Show no longer that a job failed or was cancelled: to this person, in this session."""
    ended = get_object_or_404(study.jobs, pk=job_id, kind__in=KINDS, state__in=Job.ENDED_EARLY)
    request.session[_put_away(study.pk)] = ended.pk
    return to(study, "baselines")
