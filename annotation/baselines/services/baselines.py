"""Measures of a study's items: computed by a job, uploaded, removed; and the leaderboard."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from annotation.baselines.queries import baseline_subsets, human_scores, measures
from annotation.baselines.queries.human_scores import HumanScores
from annotation.baselines.services import (
    baseline_choices,
    baseline_layers,
    leaderboards,
    model_links,
)
from annotation.baselines.services.report_options import ReportOptions
from annotation.baselines.services.specifications import checked, named
from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import Said, error_message
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs, repeated_jobs, trained_models
from annotation.core.services.locks import lock_study
from annotation.core.services.model_process import (
    BrokenProcessError,
    Computed,
    compute,
    own_folder,
    told,
)
from annotation.items.imports.problems import length_problem, text_problem
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs, read_pairs, stamp
from annotation.models import Baseline, Job, Study
from scoring.arrays import FloatArray
from scoring.baselines import Pair, Specification
from scoring.baselines.lexical import LEXICAL, lexical_values

# Of the way; the rest is the report.
_OF_MEASURES = 0.9
# Settings that name a folder or a file of the folder of models.
_OF_FILES = {"model", "file"}
# Their figures are of the values beside people's scores, and change with these; one of them, which
# those of earlier versions lack.
_BESIDE_PEOPLE = {
    baseline_choices.MEASURE: "example",
    baseline_layers.MEASURE: baseline_layers.BY_OVERLAP,
}


class FailedMeasuresError(AnnotationError):
    """Some of the measures could not be computed; the others are stored, and so is the report."""

    def __init__(self, sentences: Sequence[Said]) -> None:
        super().__init__("\n".join(map(str, sentences)))
        self.said = list(sentences)


def request(
    *,
    study: Study,
    specifications: Sequence[Specification] = (),
    options: ReportOptions,
    by: User | None = None,
) -> Job:
    """Queue the computation of measures and of the leaderboard.

    Without specifications: the leaderboard anew. The lexical measures are part of it anyhow. What
    is there for today's texts is not computed again.

    Raises StateError while other measures of the study are being computed.
    """
    for specification in specifications:
        trained_models.refuse_others(str(specification.settings.get("model", "")), by)
    wanted = parameters(study, specifications, options)
    job = jobs.start(study=study, kind=Job.Kind.BASELINES, parameters=wanted, by=by)
    if job.parameters != wanted:
        raise StateError(
            _("Measures are being computed already. Wait until that is done, then add these.")
        )
    return job


@repeated_jobs.repeats(Job.Kind.BASELINES)
def repeat(job: Job, by: User) -> Job:
    """Queue once more what failed, as it was asked for."""
    repeated_jobs.refuse_unless_ended_early(job)
    return request(
        study=job.study,
        specifications=[Specification(**fields) for fields in job.parameters["specifications"]],
        options=ReportOptions.of_json(job.parameters["options"]),
        by=by,
    )


def parameters(
    study: Study, specifications: Sequence[Specification], options: ReportOptions
) -> dict[str, Any]:
    """What the job is told.

    Raises StateError for a study without pairs; AnnotationError for a measure or a setting that
    there is not, and for an expression that cannot be read.
    """
    refuse_without_pairs(study)
    for expression in (options.expression, options.where):
        baseline_subsets.refuse_unreadable(expression)
    # Without any of them named, all lexical ones: they need no model.
    if not any(specification.measure in LEXICAL for specification in specifications):
        specifications = [*map(Specification, LEXICAL), *specifications]
    distinct = {
        specification.key: specification
        for specification in (checked(specification, study) for specification in specifications)
    }
    for specification in distinct.values():
        for name in _OF_FILES & specification.settings.keys():
            model_links.refuse(str(specification.settings[name]))
    return {
        "specifications": [
            {"measure": specification.measure, "settings": dict(specification.settings)}
            for specification in distinct.values()
        ],
        "options": options.as_json(),
    }


def refuse_without_pairs(study: Study) -> None:
    """Raises StateError where there is nothing that measures could compare."""
    items = study.items.without_checks()
    if not items.exists():
        raise StateError(_("%(study)s has no items. Import some first.") % {"study": study.title})
    if not items.exclude(target_text=None, target_turn=None).exists():
        raise StateError(
            _("The items of %(study)s are single texts; measures compare two.")
            % {"study": study.title}
        )


@dataclass(frozen=True)
class UploadOutcome:
    """Measures of a table: those that are kept now, and those that were there with its values."""

    made: list[Baseline]
    known: list[Baseline]


def upload(*, study: Study, name: str, file: IO[bytes], by: User | None = None) -> UploadOutcome:
    """Keep values that somebody computed elsewhere: a table of id and scores.

    Of several scores there is a measure for each column, or none at all. A measure that is there
    with the same values is left as it is.

    Raises ImportProblemsError with each problem and its line; StateError where there is another
    baseline of that name, or where the items change meanwhile.
    """
    refuse_without_pairs(study)
    name = " ".join(name.split())
    if name:
        _refuse_name(name)
    # All that takes long comes before the lock: on SQLite nobody else can write while we hold it.
    before = stamp(study)
    given = measures.all_of_file(study, name, file)
    for measure in given:
        _refuse_name(measure.name)
    pairs = read_pairs(study)
    values = {
        measure.name: np.array(
            [measure.values.get(key, np.nan) for key in pairs.keys], dtype=np.float64
        )
        for measure in given
    }
    if not all(np.isfinite(of_one).any() for of_one in values.values()):
        raise AnnotationError(_("The table has values of checks alone, which are not compared."))
    specification = Specification(Baseline.UPLOADED)
    with transaction.atomic():
        study = lock_study(study.pk)
        known = list(study.baselines.filter(name__in=values).order_by("pk"))
        for there in known:
            if not _is_the_same(there, pairs, values[there.name]):
                raise StateError(
                    _(
                        "There is a measure %(name)s already, with other values or of other items."
                        " Choose another name, or remove that one: open it from the page"
                        " Baselines, and press Remove this measure."
                    )
                    % {"name": there.name}
                )
        if stamp(study) != before:
            raise StateError(_("The items have changed meanwhile. Upload the table again."))
        names = {there.name for there in known}
        made = [
            _create(study, pairs, specification, Computed(of_one), name=name, by=by)
            for name, of_one in values.items()
            if name not in names
        ]
        return UploadOutcome(made, known)


def _is_the_same(baseline: Baseline, pairs: StudyPairs, values: FloatArray) -> bool:
    """Whether a stored measure was uploaded with these values, of the items of today."""
    return (
        baseline.measure == Baseline.UPLOADED
        and baseline.digest == pairs.digest
        and Baseline.packed(baseline.array) == Baseline.packed(values)
    )


def _refuse_name(name: str) -> None:
    if not name:
        raise AnnotationError(_("Give the measure a name, such as that of the model."))
    problem = text_problem(name)
    if not problem and len(name) > measures.NAME_LIMIT:
        problem = length_problem(len(name), measures.NAME_LIMIT)
    if problem:
        raise AnnotationError(problem % {"field": _("The name")})
    if name in {measure.name for measure in LEXICAL.values()}:
        raise StateError(
            _("There is a measure %(name)s already, which is computed here. Choose another name.")
            % {"name": name}
        )


def remove(*, baseline: Baseline) -> None:
    """Delete one measure's values; the stored leaderboard keeps its row until it is made anew."""
    baseline.delete()


@jobs.does(Job.Kind.BASELINES)
def baselines_job(run: jobs.Run) -> None:
    """Compute the measures that the job's parameters name, then the leaderboard.

    Each is stored when it is there: what fails or dies later loses none of it. Raises
    FailedMeasuresError at the end, with a sentence for each that there is none of.
    """
    study = run.job.study
    run.progress(0.0, _("reading the texts"))
    wanted = [Specification(**fields) for fields in run.job.parameters["specifications"]]
    options = ReportOptions.of_json(run.job.parameters["options"])
    pairs = read_pairs(study)
    people = _people(study, pairs, options)
    known = {
        _key(baseline, study)
        for baseline in study.baselines.filter(digest=pairs.digest)
        if _is_beside(baseline, people)
    }
    missing = [specification for specification in wanted if specification.key not in known]
    failed: list[Said] = []
    with own_folder(run) as folder:
        for place, specification in enumerate(missing):
            try:
                share = place / len(missing), (place + 1) / len(missing)
                _compute_and_store(run, pairs, people, specification, folder=folder, share=share)
            except AnnotationError as error:
                failed += [
                    _("%(name)s: %(problem)s")
                    % {"name": named(specification), "problem": sentence}
                    for sentence in error.said
                ]
            except BrokenProcessError:
                failed.append(
                    _("%(name)s: something went wrong; the server's log says what.")
                    % {"name": named(specification)}
                )
    run.progress(_OF_MEASURES, _("computing the leaderboard"))
    try:
        leaderboards.make(run, pairs, options, low=_OF_MEASURES)
    except AnnotationError as error:
        failed += error.said
    if failed:
        raise FailedMeasuresError(failed)


def _key(baseline: Baseline, study: Study) -> str:
    """Of what was asked for; a setting that an earlier version did not have has its default."""
    stored = Specification(baseline.measure, baseline.settings)
    try:
        return checked(stored, study).key
    except AnnotationError:
        # Uploaded, or of a measure that there is no more.
        return stored.key


def _is_beside(baseline: Baseline, people: HumanScores | None) -> bool:
    """Whether the figures of a measure are of these scores, if they are of any."""
    if baseline.measure not in _BESIDE_PEOPLE:
        return True
    if people is None:
        return baseline.figures.get("people") is None
    has_all = _BESIDE_PEOPLE[baseline.measure] in baseline.figures
    return has_all and baseline.figures.get("people") == people.identity


def _people(study: Study, pairs: StudyPairs, options: ReportOptions) -> HumanScores | None:
    """What people said; None where that cannot be read, which the leaderboard will say."""
    source = options.people or human_scores.usual(study)
    if source is None:
        return None
    try:
        is_kept = baseline_subsets.kept(study, pairs, options.where)
        return human_scores.read(study, source, is_kept=is_kept)
    except AnnotationError:
        return None


def _compute_and_store(
    run: jobs.Run,
    pairs: StudyPairs,
    people: HumanScores | None,
    specification: Specification,
    *,
    folder: Path,
    share: tuple[float, float],
) -> None:
    """`share`: from where to where of the way it is."""
    name = named(specification)
    low, high = (_OF_MEASURES * part for part in share)
    progress = told(run, name, low=low, high=high)
    progress(0.0, None)
    if specification.measure in LEXICAL:
        computed = _lexical(specification, pairs.pairs, lambda share: progress(share, None))
    elif specification.measure == baseline_choices.MEASURE:
        computed = baseline_choices.choose(
            specification, pairs, people, folder=folder, progress=progress
        )
    elif specification.measure == baseline_layers.MEASURE:
        computed = baseline_layers.score(
            specification, pairs, people, folder=folder, progress=progress
        )
    else:
        computed = compute(specification, pairs.pairs, folder=folder, progress=progress)
    computed = _of_new_pairs(specification, pairs, computed)
    with transaction.atomic():
        lock_study(run.job.study_id)
        run.keep()
        _store(run, pairs, specification, name, computed)


def _of_new_pairs(specification: Specification, pairs: StudyPairs, computed: Computed) -> Computed:
    """Without the values of pairs that the model was trained on: it has seen people's scores."""
    is_known = trained_models.is_trained_on(
        str(specification.settings.get("model", "")), pairs.pairs
    )
    if not is_known.any():
        return computed
    figures = {**computed.figures, "n_trained_on": int(is_known.sum())}
    return replace(computed, values=np.where(is_known, np.nan, computed.values), figures=figures)


def _lexical(
    specification: Specification, pairs: Sequence[Pair], progress: Callable[[float], None]
) -> Computed:
    start = time.perf_counter()
    try:
        values = lexical_values(
            specification.measure, pairs, settings=specification.settings, progress=progress
        )
    except ValueError as error:
        raise AnnotationError(error_message(error)) from error
    return Computed(values, device="cpu", seconds=time.perf_counter() - start)


def _store(
    run: jobs.Run, pairs: StudyPairs, specification: Specification, name: str, computed: Computed
) -> None:
    """In the place of what was computed of other texts in the same way."""
    study = run.job.study
    for before in study.baselines.filter(measure=specification.measure):
        if _key(before, study) == specification.key:
            before.delete()
    taken = set(study.baselines.values_list("name", flat=True))
    free, n = name, 1
    while free in taken:
        n += 1
        # With the number it may be as long as its column.
        free = f"{name[:190]} ({n})"
    _create(study, pairs, specification, computed, name=free, job=run.job, by=run.job.requested_by)


def _create(
    study: Study,
    pairs: StudyPairs,
    specification: Specification,
    computed: Computed,
    *,
    name: str,
    job: Job | None = None,
    by: User | None = None,
) -> Baseline:
    return Baseline.objects.create(
        study=study,
        job=job,
        measure=specification.measure,
        settings=dict(specification.settings),
        name=name,
        revision=computed.revision,
        values=Baseline.packed(computed.values),
        n_items=len(pairs),
        n_missing=int(np.isnan(computed.values).sum()),
        digest=pairs.digest,
        figures=computed.figures,
        device=computed.device,
        seconds=computed.seconds,
        computed_at=clock.now(),
        code_version=settings.VERSION,
        by_id=by.pk if by else None,
    )
