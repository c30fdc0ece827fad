"""Training a model on what people said, and testing it on what they said of other pairs."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from annotation.baselines.queries import human_scores, training_pairs
from annotation.baselines.queries.score_sources import Source, source_of_json
from annotation.baselines.services import model_links
from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.scored_pairs import ScoredPairs, is_new
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
from annotation.items.imports import text_pairs
from annotation.items.services import uploads
from annotation.kinds.rating.queries import later_tests
from annotation.kinds.registry import kind_of
from annotation.models import Job, Study, Training
from scoring.baselines import Pair
from scoring.neural.refusals import RequestError
from scoring.neural.trainees import KINDS
from scoring.neural.training import TrainingSettings
from shell.messages import Message

# It is the name of a folder, too.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
NO_NAME = _(
    "Name: up to 60 letters, digits, hyphens, underscores and dots, a letter or digit first; the"
    " model's folder is called so."
)
# Diagonal filters of selected pairs [CzechNews]: N1 and N2.
LIMITS = (1, 2)
# Of the way, where pairs are labelled first.
_OF_LABELS = 0.2


@dataclass(frozen=True)
class Learnt:
    """What a model is trained on."""

    # None: a part of the study that it is tested on, which `where` tells.
    study: Study | None
    # Of a study that is not one of selections.
    source: Source | None = None
    # Of selected pairs: only those whose rating is so near to what their class leads to.
    limit: int | None = None
    where: str = ""
    # Of the study itself: what tests it; empty: all that `where` leaves.
    tests: str = ""
    # Of the study itself: which part of its items is drawn at random, those that share a pool, a
    # context or an incident together; the others test. None: `where` and `tests` tell.
    share: float | None = None
    seed: int = 1

    def as_json(self) -> dict[str, Any]:
        return {
            "study": self.study.slug if self.study else None,
            "source": self.source.as_json() if self.source else None,
            "limit": self.limit,
            "where": self.where,
            "tests": self.tests,
            "share": self.share,
            "seed": self.seed if self.share is not None else None,
        }

    @classmethod
    def of_json(cls, given: Mapping[str, Any]) -> "Learnt":
        slug, source = given["study"], given["source"]
        study = None
        if slug and (study := Study.objects.filter(slug=slug).first()) is None:
            raise StateError(_("The study to train on, %(slug)s, is gone.") % {"slug": slug})
        return cls(
            study,
            source_of_json(source) if source else None,
            given["limit"],
            given["where"],
            given["tests"],
            # Trainings from before there was a split at random have none.
            given.get("share"),
            given.get("seed") or 0,
        )


@dataclass(frozen=True)
class Labelled:
    """Pairs that a cross-encoder labels, to be trained on beside people's: Augmented SBERT."""

    # The cross-encoder.
    model: str
    # Whether these are the study's items without a score.
    unscored: bool = False
    # Further pairs: an upload, as `uploads.store_upload` names it.
    upload: Mapping[str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "model": self.model.strip(),
            "unscored": self.unscored,
            "upload": dict(self.upload) if self.upload else None,
        }


@dataclass(frozen=True)
class Wanted:
    """A training as somebody asks for it."""

    name: str
    kind: str
    model: str
    learnt: Learnt
    settings: Mapping[str, Any] = field(default_factory=dict)
    revision: str = ""
    # As `python -m scoring.neural train` reads it; empty: the settings as they are.
    search: Mapping[str, Any] = field(default_factory=dict)
    labelled: Labelled | None = None


def request(*, study: Study, wanted: Wanted, by: User | None = None) -> Job:
    """Queue the training of a model that is tested on the study's scores.

    Raises StateError or AnnotationError where it cannot be done, before anything is queued.
    """
    trained_models.refuse_others(wanted.model, by)
    if wanted.labelled:
        trained_models.refuse_others(wanted.labelled.model, by)
    parameters = checked(study, wanted)
    job = jobs.start(study=study, kind=Job.Kind.TRAIN, parameters=parameters, by=by)
    if job.parameters != parameters:
        raise StateError(_("A model is being trained already. Wait until that is done."))
    return job


@repeated_jobs.repeats(Job.Kind.TRAIN)
def repeat(job: Job, by: User) -> Job:
    """Queue a training once more that failed, for somebody who may see what it is trained on."""
    repeated_jobs.refuse_unless_ended_early(job)
    parameters = job.parameters
    learnt = Learnt.of_json(parameters["learnt"])
    if learnt.study and not Study.objects.seen_by(by).filter(pk=learnt.study.pk).exists():
        raise StateError(_("You may not see the study that it was to be trained on."))
    names = ("name", "kind", "model", "settings", "revision", "search")
    labelled = parameters.get("labelled")
    wanted = Wanted(
        learnt=learnt,
        labelled=Labelled(**labelled) if labelled else None,
        **{name: parameters[name] for name in names},
    )
    return request(study=job.study, wanted=wanted, by=by)


def checked(study: Study, wanted: Wanted) -> dict[str, Any]:
    """What the job is told; raises as `request` does."""
    if not NAME.fullmatch(wanted.name):
        raise AnnotationError(NO_NAME)
    if study.trainings.filter(name=wanted.name).exists():
        raise StateError(
            _("There is a model %(name)s already. Choose another name.") % {"name": wanted.name}
        )
    if wanted.kind not in KINDS:
        raise AnnotationError(
            _("Choose what is trained: %(kinds)s.") % {"kinds": ", ".join(KINDS)}
        )
    if not wanted.model.strip():
        raise AnnotationError(_("Name the model that the training starts from."))
    model_links.refuse(wanted.model.strip())
    try:
        how = TrainingSettings.of_json(wanted.settings, kind=wanted.kind)
    except RequestError as error:
        raise AnnotationError(translated(error.message)) from error
    if wanted.learnt.limit not in (None, *LIMITS):
        raise AnnotationError(_("Choose all selected pairs, N1 or N2."))
    learn, tests = read(study, wanted.learnt)
    if not len(learn):
        raise StateError(
            _("Every pair to train on is one that the model, or a later round, is tested on.")
        )
    if wanted.labelled:
        if wanted.kind != "bi_encoder":
            raise AnnotationError(
                _("Pairs that a cross-encoder labels train two towers: choose these.")
            )
        _to_label(study, wanted.learnt, wanted.labelled, learn, tests)
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


def _to_label(
    study: Study,
    learnt: Learnt,
    labelled: Labelled,
    learn: ScoredPairs,
    tests: Mapping[str, ScoredPairs],
) -> list[tuple[str, str]]:
    """The pairs that the cross-encoder labels: none that is tested, none that people judged.

    Raises StateError or AnnotationError where there are none, or where the cross-encoder itself
    was trained on what tests.
    """
    if not labelled.model.strip():
        raise AnnotationError(_("Name the cross-encoder that labels the further pairs."))
    model_links.refuse(labelled.model.strip())
    texts: list[tuple[str, str]] = []
    if labelled.upload:
        path = uploads.upload(study=study, name=labelled.upload["path"])
        with path.open("rb") as file:
            texts += text_pairs.read(file)
    if labelled.unscored:
        is_own = learnt.study is None or learnt.study == study
        texts += training_pairs.unscored(study, _source(study, learnt.source if is_own else None))
    found = training_pairs.new_texts(texts, [learn, *tests.values()])
    if not found:
        raise StateError(
            _(
                "There is no further pair to label: give a table of pairs that are neither trained"
                " on nor tested."
            )
        )
    for test in tests.values():
        pairs = [Pair(*text) for text in test.texts]
        if trained_models.is_trained_on(labelled.model, pairs).any():
            raise StateError(
                _(
                    "%(model)s was trained on pairs that test here, so its labels would tell of"
                    " them. Choose another cross-encoder, or the split that it was trained with."
                )
                % {"model": labelled.model}
            )
    return found


def read(study: Study, learnt: Learnt) -> tuple[ScoredPairs, dict[str, ScoredPairs]]:
    """The pairs to train on, and the tests; no pair is in both.

    Raises StateError or AnnotationError, with what to do, where either is missing.
    """
    other = kind_of(learnt.study).baselines if learnt.study else None
    is_selected = other is not None and other.has_selected_pairs
    if learnt.limit is not None and not is_selected:
        raise AnnotationError(_("These pairs were not selected: choose all."))
    if learnt.study is None or learnt.study == study:
        return _parts(study, learnt) if learnt.share is None else _drawn(study, learnt)
    if learnt.share is not None:
        raise AnnotationError(
            _("Items are drawn of this study itself; another one is trained on as a whole.")
        )
    if learnt.tests.strip():
        raise AnnotationError(_("This study is tested as a whole: leave this empty."))
    tests = training_pairs.tests_of(study)
    if is_selected:
        if learnt.source is not None:
            raise AnnotationError(
                _("Selected pairs have their own ratings: do not say whose scores to train on.")
            )
        pairs = training_pairs.of_selections(learnt.study, limit=learnt.limit, where=learnt.where)
        # The same rule as for the training files of the export and the release.
        tested = later_tests.tested_keys(learnt.study)
        pairs = pairs.part(is_new(pairs.texts, tested))
    else:
        source = _source(learnt.study, learnt.source)
        pairs = training_pairs.of_scores(learnt.study, source, where=learnt.where)
    return pairs.without(tests.values()), tests


def _parts(study: Study, learnt: Learnt) -> tuple[ScoredPairs, dict[str, ScoredPairs]]:
    if not learnt.where.strip():
        raise AnnotationError(
            _(
                "Say which items of this study are to train on, such as split == 'train'; the"
                " others test the model."
            )
        )
    source = _source(study, learnt.source)
    pairs = training_pairs.of_scores(study, source, where=learnt.where)
    of_others = learnt.tests.strip() or f"not ({learnt.where})"
    others = training_pairs.of_scores(study, source, where=of_others)
    return pairs.without([others]), {"test": others}


def _drawn(study: Study, learnt: Learnt) -> tuple[ScoredPairs, dict[str, ScoredPairs]]:
    """A part of the study's items, drawn at random, and the others."""
    if learnt.tests.strip():
        raise AnnotationError(
            _("Items are drawn at random: the others test. Leave empty which ones test.")
        )
    if learnt.share is None or not 0 < learnt.share < 1:
        raise AnnotationError(_("Share of the items to train on: a number between 0 and 1."))
    source = _source(study, learnt.source)
    pairs, groups = training_pairs.of_scores_in_groups(study, source, where=learnt.where)
    is_drawn = training_pairs.drawn(groups, share=learnt.share, seed=learnt.seed)
    if is_drawn is None:
        raise StateError(
            _(
                "All items of %(study)s belong together (one dialogue, one incident), so they"
                " cannot be split at random."
            )
            % {"study": study.title}
        )
    tests = pairs.part(~is_drawn)
    return pairs.part(is_drawn).without([tests]), {"test": tests}


def _source(study: Study, source: Source | None) -> Source:
    found = source or human_scores.usual(study)
    if found is None:
        raise StateError(
            _("%(study)s has no scores from people. Score it, or name a column.")
            % {"study": study.title}
        )
    return found


@jobs.does(Job.Kind.TRAIN)
def train_job(run: jobs.Run) -> None:
    """Train and test as the job's parameters say; one that was killed goes on where it was."""
    study, asked = run.job.study, run.job.parameters
    run.progress(0.0, _("reading the pairs"))
    learnt = Learnt.of_json(asked["learnt"])
    learn, tests = read(study, learnt)
    too_few = training_pairs.too_few(tests)
    kept = trained_models.folder_of(study, asked["name"])
    try:
        kept.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StateError(
            _("Models cannot be kept in the folder of models: %(reason)s.")
            % {"reason": error.strerror}
        ) from error
    trained_models.write_keys(kept, learn)
    with own_folder(run) as folder:
        further, n_labelled = _label(run, learnt, learn, tests, folder=folder)
        sent: dict[str, Any] = {
            "kind": asked["kind"],
            "model": asked["model"],
            "revision": asked["revision"],
            "train": [_written(folder / "train.jsonl", learn.rows()), *further],
            "tests": {
                name: _written(folder / f"test {n}.jsonl", test.rows())
                for n, (name, test) in enumerate(tests.items())
                if name not in too_few
            },
            "settings": asked["settings"],
            "folder": str(kept),
        }
        if asked["search"]:
            sent["search"] = asked["search"]
        try:
            done = converse(
                "train",
                sent,
                folder=folder,
                progress=told(run, asked["name"], low=_OF_LABELS if further else 0.0),
            )
        except BrokenProcessError as error:
            raise AnnotationError(
                _("Something went wrong that should not; the server's log says what.")
            ) from error
    figures = {
        **done["figures"],
        "n_tests": {name: len(test) for name, test in tests.items()},
        "n_labelled": n_labelled,
    }
    figures["tests"] |= {name: _without_result(training_pairs.TOO_FEW) for name in too_few}
    # Where they lie is no matter of whoever reads the figures.
    figures["models"] = [
        Path(path).relative_to(settings.MODELS).as_posix() for path in figures.get("models", [])
    ]
    with transaction.atomic():
        lock_study(study.pk)
        run.keep(ends=True)
        Training.objects.create(
            study=study,
            job=run.job,
            name=asked["name"],
            kind=asked["kind"],
            model=asked["model"],
            revision=text_of(done, "revision"),
            parameters={
                name: asked.get(name) for name in ("settings", "search", "learnt", "labelled")
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
    learnt: Learnt,
    learn: ScoredPairs,
    tests: Mapping[str, ScoredPairs],
    *,
    folder: Path,
) -> tuple[list[str], int]:
    """Let the cross-encoder label further pairs, where any are asked for: files, and how many."""
    study, asked = run.job.study, run.job.parameters.get("labelled")
    if not asked:
        return [], 0
    labelled = Labelled(**asked)
    texts = _to_label(study, learnt, labelled, learn, tests)
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
            progress=told(run, labelled.model, high=_OF_LABELS),
        )
    except BrokenProcessError as error:
        raise AnnotationError(
            _("Something went wrong that should not; the server's log says what.")
        ) from error
    return [str(file)], len(texts)


def _written(path: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return str(path)
