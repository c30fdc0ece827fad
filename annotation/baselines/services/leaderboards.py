"""The leaderboard of a study, computed over the measures there are and stored."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from annotation.baselines.queries import baseline_subsets, human_scores
from annotation.baselines.queries.comparable_measures import comparable
from annotation.baselines.queries.human_scores import HumanScores
from annotation.baselines.services import kept_comparisons, label_tables, stand_ins, within_pools
from annotation.baselines.services.report_options import ReportOptions
from annotation.basics import clock
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import error_message
from annotation.basics.sentences import sentence as _
from annotation.core.services import jobs, trained_models
from annotation.core.services.locks import lock_study
from annotation.kinds.rating.queries import baseline_pairs
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs
from annotation.models import Baseline, BaselineReport, Study
from scoring.arrays import BoolArray
from scoring.baselines.report import baseline_report


def make(run: jobs.Run, pairs: StudyPairs, options: ReportOptions, *, low: float = 0.0) -> None:
    """Compute the leaderboard over the measures of today's texts, and store it.

    `low`: the progress of the job so far. If there are no scores from people, and none were asked
    for, no leaderboard is computed.

    Raises StateError or AnnotationError with what is missing.
    """
    study = run.job.study
    source = options.people or human_scores.usual(study)
    if source is None:
        return
    measures = list(comparable(study).filter(digest=pairs.digest).order_by("pk"))
    if not measures:
        raise StateError(_("There is no measure for the leaderboard yet."))
    # Read the stamp first: a change during the computation then makes the report outdated.
    stamp = baseline_pairs.stamp(study)
    is_kept = baseline_subsets.kept(study, pairs, options.where)
    people = human_scores.read(study, source, is_kept=is_kept)
    parts, lacking = baseline_subsets.parts(study, pairs, options.by, options.expression)
    # Items that the condition leaves out are not counted as missing.
    counts = np.ones(len(pairs), dtype=np.bool_) if is_kept is None else is_kept
    has_score = np.isfinite(people.scores)
    parts = [part for part in parts if not part.by or part.mask[counts].any()]
    seed = study.design.seed
    try:
        figures: dict[str, Any] = baseline_report(
            people.scores[counts],
            {measure.name: measure.array[counts] for measure in measures},
            subsets={part.key: part.mask[counts] for part in parts},
            pools=np.array(people.pools)[counts],
            ceilings=people.ceiling,
            level=options.level,
            n_resamples=options.n_resamples,
            test=options.test,
            typical_human=people.typical_human,
            decimals=options.decimals,
            are_relative=people.are_relative,
            rng=np.random.default_rng(seed),
            progress=lambda share: run.progress(
                low + (1 - low) * share, _("computing the leaderboard")
            ),
        ).as_dict()
    except ValueError as error:
        raise AnnotationError(error_message(error)) from error
    masks = [part.mask & counts for part in parts]
    within = within_pools.figures(study, pairs, people, masks, decimals=options.decimals)
    of_labels = label_tables.figures(pairs, people, {m.name: m.array for m in measures}, masks)
    for subset, *of_part in zip(figures["subsets"], within, of_labels, strict=True):
        for more_figures in of_part:
            subset.update(more_figures)
    figures["stand_in"] = stand_ins.figures(study, people, measures, counts)
    with transaction.atomic():
        lock_study(study.pk)
        refuse_withdrawn(study, people)
        run.keep()
        BaselineReport.objects.create(
            study=study,
            job=run.job,
            parameters={
                "options": {**options.as_json(), "people": people.source.as_json()},
                "seed": seed,
                "digest": pairs.digest,
                "stamp": stamp,
                "result": people.result,
                "measures": [
                    {
                        **_described(measure),
                        "n_trained_on": _n_trained_on(
                            measure, pairs, [part.mask & counts & has_score for part in parts]
                        ),
                    }
                    for measure in measures
                ],
                "n_left_out": int((~counts).sum()),
                "subsets": [{"by": part.by, "label": part.label} for part in parts],
                # Numbers of items that lack a value of the expression, by name.
                "lacking": lacking,
                "people": people.name,
                # Which items count, so that pages need not evaluate the condition again.
                "kept": None if is_kept is None else baseline_subsets.packed(is_kept),
                # Comparisons that were stored with the previous leaderboard.
                "comparisons": kept_comparisons.carried_over(study, figures),
            },
            figures=figures,
            computed_at=clock.now(),
            code_version=settings.VERSION,
        )


def refuse_withdrawn(study: Study, people: HumanScores) -> None:
    """Raise StateError if the scores were deleted meanwhile; the caller holds the study."""
    if people.result and not study.results.filter(pk=people.result).exists():
        raise StateError(
            _(
                "Somebody withdrew during the computation. Score the study again, then compute "
                "the leaderboard again."
            )
        )


def _n_trained_on(baseline: Baseline, pairs: StudyPairs, masks: Sequence[BoolArray]) -> list[int]:
    """How many items of each mask have no value because the model was trained on them."""
    if not baseline.figures.get("n_trained_on"):
        return [0] * len(masks)
    model = str(baseline.settings.get("model", ""))
    is_known = trained_models.is_trained_on(model, pairs.pairs) & np.isnan(baseline.array)
    return [int((mask & is_known).sum()) for mask in masks]


def _described(baseline: Baseline) -> dict[str, Any]:
    """A measure as the leaderboard stores it, so that the row may be deleted."""
    return {
        "baseline": baseline.pk,
        "name": baseline.name,
        "measure": baseline.measure,
        "settings": baseline.settings,
        "revision": baseline.revision,
        "device": baseline.device,
        "seconds": baseline.seconds,
    }
