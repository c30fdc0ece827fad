"""Models that are trained on what people said: what they found, and the way to another one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation.baselines.forms.training import TrainingForm
from annotation.baselines.queries.described_measures import device_name
from annotation.baselines.services import training
from annotation.basics.errors import AnnotationError
from annotation.basics.numbers import percent
from annotation.basics.sentences import in_words
from annotation.basics.sentences import sentence as _
from annotation.core.pages import jobs as job_pages
from annotation.core.pages.frame import log, show, study_page, to, url, user_of
from annotation.core.pages.navigation import Text
from annotation.core.queries import model_folders
from annotation.items.services import uploads
from annotation.models import Job, Study, Training

_KINDS = {"bi_encoder": _("Bi-encoder"), "cross_encoder": _("Cross-encoder")}
_TESTS = {
    "test": _("test items"),
    "scores": _("scores"),
    "free": _("without context"),
    "dependent": _("in context"),
    "significant_free": _("without context, pairs with p < 0.05 for context (not corrected)"),
    "significant_dependent": _("in context, pairs with p < 0.05 for context (not corrected)"),
}


def _test_name(name: str) -> Text:
    """In the reader's language; phases are named by their numbers."""
    if name in _TESTS:
        return _TESTS[name]
    kind, _blank, number = name.rpartition(" ")
    if kind == "phase":
        return _("phase %(n)s") % {"n": number}
    if kind == "significant_phase":
        return _("phase %(n)s, pairs with p < 0.05 for context (not corrected)") % {"n": number}
    return name


@dataclass(frozen=True)
class TestStatistics:
    """A trained model in one test."""

    test: str
    n: int
    pearson: dict[str, Any]
    spearman: dict[str, Any]
    # Why there is no coefficient; empty if there is one.
    reason: str


@dataclass(frozen=True)
class TrainedModel:
    """A trained model, as the page lists it."""

    row: Training
    kind: str
    tests: list[TestStatistics]
    # A description of the training data.
    learnt: str
    # Further pairs, and the cross-encoder that labelled them.
    n_labelled: int
    labeller: str
    settings: dict[str, Any]
    # Number of settings that a search tried; 0 without a search.
    n_trials: int
    # The device that trained the model.
    device: str
    # Folders of the models, each with the address of the form that computes it as a measure.
    models: list[tuple[str, str]]

    @classmethod
    def of(cls, study: Study, row: Training) -> "TrainedModel":
        figures = row.figures
        learnt = row.parameters["learnt"]
        search = figures.get("search")
        form = url(study, "baselines")
        return cls(
            row,
            str(_KINDS[row.kind]),
            [
                TestStatistics(
                    str(_test_name(name)),
                    figures["n_tests"][name],
                    statistics["pearson"],
                    statistics["spearman"],
                    in_words(statistics["pearson"]["reason"]),
                )
                for name, statistics in figures["tests"].items()
            ],
            _learnt(learnt),
            figures.get("n_labelled", 0),
            (row.parameters.get("labelled") or {}).get("model", ""),
            # After a search these are the best settings.
            figures["settings"],
            len(search["trials"]) if search else 0,
            device_name(row.device),
            [
                (path, f"{form}?{urlencode({'family': row.kind, 'model': path})}#compute-title")
                for path in figures["models"]
            ],
        )


def _learnt(learnt: Mapping[str, Any]) -> str:
    """The training data in words."""
    if learnt["study"]:
        return str(learnt["study"])
    if learnt.get("share") is None:
        return str(learnt["where"])
    sentence = _("this study, %(share)s of it drawn at random with seed %(seed)s") % {
        "share": percent(learnt["share"], 1 if round(1000 * learnt["share"]) % 10 else 0),
        "seed": learnt["seed"],
    }
    return f"{sentence} ({learnt['where']})" if learnt["where"] else str(sentence)


def _stored(study: Study, form: TrainingForm, *, by: User) -> dict[str, str] | None:
    """Store the file of pairs to label, if there is one, for the worker."""
    file = form.cleaned_data["further"]
    if file is None or not form.cleaned_data["labeller"].strip():
        return None
    return uploads.store_upload(study=study, file=file, filename=file.name, by=by)


@study_page
@require_http_methods(["GET", "POST"])
def trainings(request: HttpRequest, study: Study) -> HttpResponse:
    """The trained models and the form; sent, it starts a job."""
    user = user_of(request)
    is_sent = request.method == "POST"
    form = TrainingForm(
        study,
        user,
        request.POST if is_sent else None,
        files=request.FILES if is_sent else None,
    )
    status = 200
    if is_sent:
        status = 400
        if form.is_valid():
            try:
                queued = training.request(
                    study=study, wanted=form.wanted(_stored(study, form, by=user)), by=user
                )
            except AnnotationError as error:
                for sentence in error.said:
                    form.add_error(None, str(sentence))
                status = error.status
            else:
                name = form.cleaned_data["name"]
                log(request, study, _("Started to train %(name)s.") % {"name": name})
                return to(study, "job", queued.pk)
    job = study.jobs.filter(kind=Job.Kind.TRAIN).order_by("-pk").first()
    return show(
        request,
        study,
        "baselines/trainings.html",
        title=_("Train a model"),
        section="baselines",
        status=status,
        form=form,
        trained=[TrainedModel.of(study, row) for row in study.trainings.order_by("-pk")],
        models=model_folders.names(user),
        job=job_pages.described(request, study, job)
        if job and job.state != Job.State.DONE
        else None,
    )
