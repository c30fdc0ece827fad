"""Models trained on what people said: on some items of a study, and tested on others.

The trained models lie below the folder of models, where every measure finds them; what they found
in the tests stands in the job.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from annotation.errors import AnnotationError, StateError
from annotation.models import Job, Phase, Study
from annotation.models.kinds import QuestionKind
from annotation.queries import baseline_subsets, human_scores
from annotation.queries.baseline_pairs import StudyPairs, read_pairs
from annotation.queries.human_scores import HumanScores, Source
from annotation.queries.rating_answers import read_ratings
from annotation.queries.rating_items import ItemFigures
from annotation.scale import Scale
from annotation.sentences import sentence as _
from annotation.services import jobs
from annotation.services.baseline_process import BrokenProcessError, converse, own_folder, told
from annotation.services.baselines import refuse_without_pairs
from scoring.arrays import BoolArray, FloatArray
from scoring.baselines import Pair
from scoring.neural.training import TrainingSettings

# Of the folder of models.
FOLDER = "trained"
KINDS = ("bi_encoder", "cross_encoder")
# Significant at this level, by the t-test that the exported data set has by default.
LEVEL = 0.05
_CONDITIONS = {Phase.Condition.FREE.value: "free", Phase.Condition.DEPENDENT.value: "dependent"}


@dataclass(frozen=True)
class Training:
    """What is trained on what.

    Parameters as `python -m scoring.neural train` takes them; `tests`: the short name of a study
    whose items it is tested on, the same one if empty.
    """

    kind: str
    model: str
    people: Source
    # Items to train on; of the same study all others are tested on.
    where: str = ""
    tests: str = ""
    revision: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    search: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise AnnotationError(
                _("“%(name)s” is no kind of model; choose one of %(known)s.")
                % {"name": self.kind, "known": ", ".join(KINDS)}
            )
        if not self.tests and not self.where.strip():
            raise AnnotationError(
                _("Say which items are trained on, or name another study to test on.")
            )
        baseline_subsets.refuse_unreadable(self.where)
        try:
            TrainingSettings.of_json(
                self.settings, kind="bi_encoder" if self.kind == KINDS[0] else "cross_encoder"
            )
        except (ValueError, TypeError) as error:
            raise AnnotationError(str(error)) from error

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "people": self.people.as_json()}

    @classmethod
    def of_json(cls, given: Mapping[str, Any]) -> "Training":
        known = {name: given[name] for name in cls.__dataclass_fields__ if name in given}
        return cls(**{**known, "people": Source.of_json(known["people"])})


def request(*, study: Study, training: Training, by: AbstractBaseUser | None = None) -> Job:
    """Queue a training on the items of a study.

    Raises StateError while another one of the study is under way.
    """
    refuse_without_pairs(study)
    wanted = training.as_json()
    job = jobs.start(study=study, kind=Job.Kind.TRAIN, parameters=wanted, by=by)
    if job.parameters != wanted:
        raise StateError(_("A model is being trained already. Wait until that is done."))
    return job


def train_job(run: jobs.Run) -> None:
    """Train as the job's parameters say, from the last checkpoint where a worker died before.

    What was found stands in the parameters afterwards, as "figures".
    """
    study = run.job.study
    training = Training.of_json(run.job.parameters)
    run.progress(0.0, _("reading the texts"))
    learn, tests, n_left_out = _parts(study, training, by=run.job.requested_by)
    # By the job, so that another worker goes on in the same one.
    folder = Path(settings.MODELS) / FOLDER / f"{study.slug}-{run.job.pk}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StateError(
            _("Models cannot be kept in %(folder)s: %(reason)s.")
            % {"folder": str(folder.parent), "reason": error.strerror}
        ) from error
    with own_folder(run) as files:
        wanted = {
            "kind": training.kind,
            "model": training.model,
            "revision": training.revision,
            "train": str(_written(files / "train.jsonl", learn)),
            "tests": {
                name: str(_written(files / f"test_{name}.jsonl", part))
                for name, part in tests.items()
            },
            "settings": dict(training.settings),
            "folder": str(folder),
            **({"search": dict(training.search)} if training.search else {}),
        }
        try:
            done = converse("train", wanted, folder=files, progress=told(run))
        except BrokenProcessError as error:
            raise AnnotationError(
                _("The training went wrong; the server's log says what.")
            ) from error
    with transaction.atomic():
        run.keep()
        figures = {**done.get("figures", {}), "n_also_tested": n_left_out}
        Job.objects.filter(pk=run.job.pk).update(
            parameters={
                **run.job.parameters,
                "figures": figures,
                "device": done.get("device", ""),
                "seconds": done.get("seconds"),
                "revision_of_start": done.get("revision", ""),
            }
        )


# Pairs of texts, and what people said of each.
_Scored = tuple[Sequence[Pair], FloatArray]


def _parts(
    study: Study, training: Training, *, by: AbstractBaseUser | None
) -> tuple[_Scored, dict[str, _Scored], int]:
    """What is trained on, with scores from 0 to 1; the tests by name; what was in both."""
    pairs = read_pairs(study)
    people = human_scores.read(study, training.people)
    is_learnt = np.isfinite(people.scores)
    holds = baseline_subsets.kept(study, pairs, training.where)
    if holds is not None:
        is_learnt &= holds
    if training.tests:
        tested = _seen(training.tests, by)
        tests = _tests_of(tested)
    else:
        is_tested = np.isfinite(people.scores) & ~is_learnt
        tests = {"test": _of(pairs, people, is_tested)}
    tests = {name: part for name, part in tests.items() if len(part[1])}
    if not tests:
        raise StateError(_("There is no item with a score to test on."))
    # Whoever has seen a pair with its score is not tested on it.
    shown = {_texts(pair) for part, _scores in tests.values() for pair in part}
    is_shown = np.array([_texts(pair) in shown for pair in pairs.pairs], dtype=np.bool_)
    n_left_out = int((is_learnt & is_shown).sum())
    is_learnt &= ~is_shown
    if not is_learnt.any():
        raise StateError(_("There is no item with a score to train on."))
    learn, scores = _of(pairs, people, is_learnt)
    return (learn, _from_0_to_1(study, people, scores)), tests, n_left_out


def _seen(slug: str, by: AbstractBaseUser | None) -> Study:
    studies = Study.objects.all() if by is None else Study.objects.seen_by(by)  # type: ignore[arg-type]
    found = studies.filter(slug=slug).first()
    if found is None:
        raise StateError(_("There is no study %(name)s to test on.") % {"name": slug})
    return found


def _tests_of(study: Study) -> dict[str, _Scored]:
    """Of a rating study its conditions, and the items on which context has an effect."""
    pairs = read_pairs(study)
    if study.kind != QuestionKind.RATING:
        source = human_scores.usual(study)
        if source is None:
            raise StateError(
                _("%(study)s has no scores from people that count today.") % {"study": study.title}
            )
        people = human_scores.read(study, source)
        return {"test": _of(pairs, people, np.isfinite(people.scores))}
    found: dict[str, _Scored] = {}
    significant = _significant(study, pairs)
    for phase in study.design.phases.order_by("number"):
        name = _CONDITIONS[phase.condition]
        if name in found:
            continue
        people = human_scores.read(study, Source("result", phase=phase.number))
        has_score = np.isfinite(people.scores)
        found[name] = _of(pairs, people, has_score)
        found[f"significant_{name}"] = _of(pairs, people, has_score & significant)
    return found


def _significant(study: Study, pairs: StudyPairs) -> BoolArray:
    figures = ItemFigures(read_ratings(study, "people"))
    of_all = figures.is_significant("pooled", LEVEL, corrected=False)
    place = {key: n for n, key in enumerate(figures.read.items.keys)}
    return np.array([of_all[place[key]] for key in pairs.keys], dtype=np.bool_)


def _of(pairs: StudyPairs, people: HumanScores, is_kept: BoolArray) -> _Scored:
    kept = np.flatnonzero(is_kept)
    return [pairs.pairs[n] for n in kept.tolist()], people.scores[kept]


def _texts(pair: Pair) -> tuple[str, str]:
    return pair.first, pair.second


def _from_0_to_1(study: Study, people: HumanScores, scores: FloatArray) -> FloatArray:
    """A result's scores are; those of a column are on the study's scale, or from 0 to 1."""
    if people.source.kind == "result":
        return scores
    low, high = 0.0, 1.0
    if study.scale:
        scale = Scale.of(study.scale)
        low, high = float(scale.low), float(scale.high)
    rescaled = (scores - low) / (high - low)
    if (rescaled < 0).any() or (rescaled > 1).any():
        raise StateError(
            _("Scores of the column %(name)s lie outside the scale from %(low)s to %(high)s.")
            % {"name": people.name, "low": low, "high": high}
        )
    return rescaled


def _written(path: Path, part: _Scored) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for pair, score in zip(*part, strict=True):
            said = {"first": pair.first, "second": pair.second, "score": float(score)}
            file.write(json.dumps(said, ensure_ascii=False) + "\n")
    return path
