"""Training a model on what people said, and testing it on what they said of other pairs."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from annotation.baselines.queries import training_pairs
from annotation.baselines.services import model_links, training_data
from annotation.baselines.services.training_requests import (
    LIMITS,
    NAME,
    NO_NAME,
    LabellingOptions,
    TrainingRequest,
    TrainingSource,
)
from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.scored_pairs import ScoredPairs
from annotation.basics.sentences import sentence as _
from annotation.basics.sentences import translated
from annotation.core.services import jobs, repeated_jobs, trained_models
from annotation.core.services.locks import lock_study
from annotation.core.services.model_process import (
    BrokenProcessError,
    converse,
    own_folder,
    text_of,
    told,
)
from annotation.models import Job, Study, Training
from scoring.neural.refusals import RequestError
from scoring.neural.trainees import KINDS
from scoring.neural.training_settings import TrainingSettings
from shell.messages import Message

# The share of the job's progress that labelling takes, if pairs are labelled first.
_PROGRESS_OF_LABELS = 0.2


def request(*, study: Study, wanted: TrainingRequest, by: User | None = None) -> Job:
    """Queue the training of a model that is tested on the study's scores.

    Raises StateError or AnnotationError if it cannot be done, before anything is queued.
    """
    trained_models.refuse_others(wanted.model, by)
    if wanted.labelled:
        trained_models.refuse_others(wanted.labelled.model, by)
    parameters = checked(study, wanted)
    job = jobs.start(study=study, kind=Job.Kind.TRAIN, parameters=parameters, by=by)
    if job.parameters != parameters:
        raise StateError(_("Another model is being trained. Wait until it has finished."))
    return job


@repeated_jobs.repeats(Job.Kind.TRAIN)
def repeat(job: Job, by: User) -> Job:
    """Queue a training once more that failed, for somebody who may see what it is trained on."""
    repeated_jobs.refuse_unless_ended_early(job)
    parameters = job.parameters
    learnt = TrainingSource.of_json(parameters["learnt"])
    if learnt.study and not Study.objects.seen_by(by).filter(pk=learnt.study.pk).exists():
        raise StateError(_("You have no access to the study with the training data."))
    names = ("name", "kind", "model", "settings", "revision", "search")
    labelled = parameters.get("labelled")
    wanted = TrainingRequest(
        learnt=learnt,
        labelled=LabellingOptions(**labelled) if labelled else None,
        **{name: parameters[name] for name in names},
    )
    return request(study=job.study, wanted=wanted, by=by)


def checked(study: Study, wanted: TrainingRequest) -> dict[str, Any]:
    """The parameters of the job; raises as `request` does."""
    if not NAME.fullmatch(wanted.name):
        raise AnnotationError(NO_NAME)
    if study.trainings.filter(name=wanted.name).exists():
        raise StateError(
            _("A model called %(name)s already exists. Choose another name.")
            % {"name": wanted.name}
        )
    if wanted.kind not in KINDS:
        raise AnnotationError(
            _("Choose a type of model: %(kinds)s.") % {"kinds": ", ".join(KINDS)}
        )
    if not wanted.model.strip():
        raise AnnotationError(_("Name the base model."))
    model_links.refuse(wanted.model.strip())
    try:
        how = TrainingSettings.of_json(wanted.settings, kind=wanted.kind)
    except RequestError as error:
        raise AnnotationError(translated(error.message)) from error
    if wanted.learnt.limit not in (None, *LIMITS):
        raise AnnotationError(_("Choose all selected pairs, or the filter N1 or N2."))
    learn, tests = training_data.read(study, wanted.learnt)
    if not len(learn):
        raise StateError(
            _(
                "All training pairs are also test pairs of the model or of a later round, so "
                "none is left."
            )
        )
    if wanted.labelled:
        if wanted.kind != "bi_encoder":
            raise AnnotationError(
                _("Only a bi-encoder can use pairs labelled by a cross-encoder. Choose that type.")
            )
        training_data.pairs_to_label(study, wanted.learnt, wanted.labelled, learn, tests)
    given = {name: getattr(how, name) for name in how.__dataclass_fields__}
    return {
        "name": wanted.name,
        "kind": wanted.kind,
        "model": wanted.model.strip(),
        "revision": wanted.revision.strip(),
        "settings": given,
        "search": dict(wanted.search),
        "learnt": wanted.learnt.as_json(),
        "labelled": wanted.labelled.as_json() if wanted.labelled else None,
    }


@jobs.does(Job.Kind.TRAIN)
def train_job(run: jobs.Run) -> None:
    """Train and test as the job's parameters say; a job that was killed goes on where it was."""
    study, parameters = run.job.study, run.job.parameters
    run.progress(0.0, _("reading the pairs"))
    learnt = TrainingSource.of_json(parameters["learnt"])
    learn, tests = training_data.read(study, learnt)
    too_few = training_pairs.too_few(tests)
    models = trained_models.folder_of(study, parameters["name"])
    try:
        models.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StateError(
            _("Likeness cannot write to the folder of models: %(reason)s.")
            % {"reason": error.strerror}
        ) from error
    trained_models.write_keys(models, learn)
    with own_folder(run) as folder:
        further, n_labelled = _label(run, learnt, learn, tests, folder=folder)
        sent: dict[str, Any] = {
            "kind": parameters["kind"],
            "model": parameters["model"],
            "revision": parameters["revision"],
            "train": [_written(folder / "train.jsonl", learn.rows()), *further],
            "tests": {
                name: _written(folder / f"test {n}.jsonl", test.rows())
                for n, (name, test) in enumerate(tests.items())
                if name not in too_few
            },
            "settings": parameters["settings"],
            "folder": str(models),
        }
        if parameters["search"]:
            sent["search"] = parameters["search"]
        try:
            done = converse(
                "train",
                sent,
                folder=folder,
                progress=told(
                    run, parameters["name"], low=_PROGRESS_OF_LABELS if further else 0.0
                ),
            )
        except BrokenProcessError as error:
            raise AnnotationError(
                _("An unexpected error occurred. See the server's log.")
            ) from error
    figures = {
        **done["figures"],
        "n_tests": {name: len(test) for name, test in tests.items()},
        "n_labelled": n_labelled,
    }
    figures["tests"] |= {name: _without_result(training_pairs.TOO_FEW) for name in too_few}
    # Readers of the figures need not know where the server keeps its models.
    figures["models"] = [
        Path(path).relative_to(settings.MODELS).as_posix() for path in figures.get("models", [])
    ]
    with transaction.atomic():
        lock_study(study.pk)
        run.keep(ends=True)
        Training.objects.create(
            study=study,
            job=run.job,
            name=parameters["name"],
            kind=parameters["kind"],
            model=parameters["model"],
            revision=text_of(done, "revision"),
            parameters={
                name: parameters.get(name) for name in ("settings", "search", "learnt", "labelled")
            },
            figures=figures,
            device=text_of(done, "device"),
            seconds=done.get("seconds"),
            trained_at=clock.now(),
            code_version=settings.VERSION,
            by=run.job.requested_by,
        )


def _without_result(reason: Message) -> dict[str, Any]:
    empty = {"mean": None, "sd": None, "reason": reason}
    return {"pearson": empty, "spearman": empty}


def _label(
    run: jobs.Run,
    learnt: TrainingSource,
    learn: ScoredPairs,
    tests: Mapping[str, ScoredPairs],
    *,
    folder: Path,
) -> tuple[list[str], int]:
    """Let the cross-encoder label further pairs, if the job asks for any.

    Returns the files of labelled pairs, and the number of pairs.
    """
    study, options = run.job.study, run.job.parameters.get("labelled")
    if not options:
        return [], 0
    labelled = LabellingOptions(**options)
    texts = training_data.pairs_to_label(study, learnt, labelled, learn, tests)
    file = folder / "labelled.jsonl"
    rows = [{"first": first, "second": second} for first, second in texts]
    try:
        converse(
            "label",
            {
                "model": labelled.model,
                "pairs": _written(folder / "to label.jsonl", rows),
                "labelled": str(file),
            },
            folder=folder,
            progress=told(run, labelled.model, high=_PROGRESS_OF_LABELS),
        )
    except BrokenProcessError as error:
        raise AnnotationError(_("An unexpected error occurred. See the server's log.")) from error
    return [str(file)], len(texts)


def _written(path: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return str(path)
