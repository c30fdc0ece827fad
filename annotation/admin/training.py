"""Models that are trained on what people said: what they found, and the way to another one."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation.admin import jobs as job_pages
from annotation.admin.pages import log, show, study_page, to, user_of
from annotation.errors import AnnotationError
from annotation.forms.training import TrainingForm
from annotation.models import Job, Study, Training
from annotation.queries import model_folders
from annotation.sentences import sentence as _
from annotation.services import training


@dataclass(frozen=True)
class Found:
    """A trained model in one test."""

    test: str
    n: int
    pearson: dict[str, Any]
    spearman: dict[str, Any]


@dataclass(frozen=True)
class Trained:
    """A trained model, as the page lists it."""

    row: Training
    tests: list[Found]
    # What it was trained on.
    learnt: str
    settings: dict[str, Any]
    # Settings that were tried, where any were.
    n_trials: int

    @classmethod
    def of(cls, row: Training) -> "Trained":
        figures = row.figures
        learnt = row.parameters["learnt"]
        search = figures.get("search")
        return cls(
            row,
            [
                Found(name, figures["n_tests"][name], found["pearson"], found["spearman"])
                for name, found in figures["tests"].items()
            ],
            learnt["study"] or learnt["where"],
            # Those that were found, where they were searched for.
            figures["settings"],
            len(search["trials"]) if search else 0,
        )


@study_page
@require_http_methods(["GET", "POST"])
def trainings(request: HttpRequest, study: Study) -> HttpResponse:
    """The trained models and the form; sent, it starts a job."""
    user = user_of(request)
    form = TrainingForm(study, user, request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                queued = training.request(study=study, wanted=form.wanted(), by=user)
            except AnnotationError as error:
                for said in error.said:
                    form.add_error(None, str(said))
                status = error.status
            else:
                name = form.cleaned_data["name"]
                log(request, study, _("Started to train %(name)s.") % {"name": name})
                return to(study, "job", queued.pk)
    job = study.jobs.filter(kind=Job.Kind.TRAIN).order_by("-pk").first()
    return show(
        request,
        study,
        "trainings.html",
        title=_("Train a model"),
        section="baselines",
        status=status,
        form=form,
        trained=[Trained.of(row) for row in study.trainings.order_by("-pk")],
        models=model_folders.names(user),
        job=job_pages.described(study, job) if job and job.state != Job.State.DONE else None,
    )
