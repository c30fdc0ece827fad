"""The job that computes measures of a study's items and then the leaderboard."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction

from annotation.baselines.queries import baseline_subsets, human_scores
from annotation.baselines.queries.human_scores import HumanScores
from annotation.baselines.services import (
    baseline_choices,
    baseline_layers,
    leaderboards,
    model_links,
    stored_measures,
)
from annotation.baselines.services.report_options import ReportOptions
from annotation.baselines.services.specifications import checked, named
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
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs, read_pairs
from annotation.models import Baseline, Job, Study
from scoring.baselines import Pair, Specification
from scoring.baselines.lexical import LEXICAL, lexical_values

# The share of the job's progress that the measures take; the rest is the report.
_PROGRESS_OF_MEASURES = 0.9
# Settings that name a folder or a file of the folder of models.
_OF_FILES = {"model", "file"}
# Measures whose figures depend on people's scores, and one of these figures. Measures that earlier
# versions stored lack this figure, and are computed again.
_BESIDE_PEOPLE = {
    baseline_choices.MEASURE: "example",
    baseline_layers.MEASURE: baseline_layers.BY_OVERLAP,
}


class FailedMeasuresError(AnnotationError):
    """Some measures could not be computed; the others are stored, and so is the report."""

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

    Without specifications the job computes the lexical measures and the leaderboard. Measures that
    are stored for the current texts are not computed again.

    Raises StateError while other measures of the study are being computed.
    """
    for specification in specifications:
        trained_models.refuse_others(str(specification.settings.get("model", "")), by)
    wanted = parameters(study, specifications, options)
    job = jobs.start(study=study, kind=Job.Kind.BASELINES, parameters=wanted, by=by)
    if job.parameters != wanted:
        raise StateError(
            _(
                "Likeness is already computing measures. Wait until it has finished, then add "
                "these."
            )
        )
    return job


@repeated_jobs.repeats(Job.Kind.BASELINES)
def repeat(job: Job, by: User) -> Job:
    """Queue a job that failed once more, with the same parameters."""
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
    """The parameters of the job.

    Raises StateError for a study without pairs; AnnotationError for a measure or a setting that
    does not exist, and for an expression that cannot be read.
    """
    stored_measures.refuse_without_pairs(study)
    for expression in (options.expression, options.where):
        baseline_subsets.refuse_unreadable(expression)
    # If no lexical measure is chosen, compute all of them: they need no model.
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


def remove(*, baseline: Baseline) -> None:
    """Delete one measure's values; the stored leaderboard keeps its row until it is made anew."""
    baseline.delete()


@jobs.does(Job.Kind.BASELINES)
def baselines_job(run: jobs.Run) -> None:
    """Compute the measures that the job's parameters name, then the leaderboard.

    Each measure is stored at once, so that a later failure loses none. Raises FailedMeasuresError
    at the end, with a sentence for each measure that failed.
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
    if people is not None:
        _keep_up_to_date(study, people)
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
                    _("%(name)s: an unexpected error occurred. See the server's log.")
                    % {"name": named(specification)}
                )
    run.progress(_PROGRESS_OF_MEASURES, _("computing the leaderboard"))
    try:
        leaderboards.make(run, pairs, options, low=_PROGRESS_OF_MEASURES)
    except AnnotationError as error:
        failed += error.said
    if failed:
        raise FailedMeasuresError(failed)


def _key(baseline: Baseline, study: Study) -> str:
    """The key of the measure's specification, with defaults for settings that were added later."""
    stored = Specification(baseline.measure, baseline.settings)
    try:
        return checked(stored, study).key
    except AnnotationError:
        # The values were uploaded, or the measure no longer exists.
        return stored.key


def _is_beside(baseline: Baseline, people: HumanScores | None) -> bool:
    """Whether the figures of a measure, if they depend on people's scores, are of these scores."""
    if baseline.measure not in _BESIDE_PEOPLE:
        return True
    if people is None:
        return baseline.figures.get("people") is None
    has_all = _BESIDE_PEOPLE[baseline.measure] in baseline.figures
    return has_all and people.are_those_of(baseline.figures.get("people"))


def _keep_up_to_date(study: Study, people: HumanScores) -> None:
    """Figures that compare with the same scores of an earlier result are of this one now."""
    with transaction.atomic():
        lock_study(study.pk)
        for baseline in study.baselines.defer("values").exclude(figures__people=None):
            if people.are_those_of(baseline.figures.get("people")):
                baseline.figures["people"] = people.identity
                baseline.save(update_fields=["figures"])


def _people(study: Study, pairs: StudyPairs, options: ReportOptions) -> HumanScores | None:
    """People's scores; None if they cannot be read, which the leaderboard will say."""
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
    """Compute one measure; `share`: where its progress starts and ends."""
    name = named(specification)
    low, high = (_PROGRESS_OF_MEASURES * part for part in share)
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
        # Withdrawals hold the study, too.
        if computed.figures.get("people") and people is not None:
            leaderboards.refuse_withdrawn(run.job.study, people)
        run.keep()
        _store(run, pairs, specification, name, computed)


def _of_new_pairs(specification: Specification, pairs: StudyPairs, computed: Computed) -> Computed:
    """Drop the values of pairs that the model was trained on: it has seen people's scores."""
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
    """Store a measure in the place of the same measure of earlier texts."""
    study = run.job.study
    for before in study.baselines.filter(measure=specification.measure):
        if _key(before, study) == specification.key:
            before.delete()
    taken = set(study.baselines.values_list("name", flat=True))
    free, n = name, 1
    while free in taken:
        n += 1
        # The name and its number must fit into the column.
        free = f"{name[:190]} ({n})"
    stored_measures.create(
        study, pairs, specification, computed, name=free, job=run.job, by=run.job.requested_by
    )
