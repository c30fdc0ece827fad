"""Measures that were computed elsewhere and are uploaded as a table."""

from dataclasses import dataclass
from typing import IO

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction

from annotation.baselines.queries import measures
from annotation.baselines.services import stored_measures
from annotation.basics.errors import AnnotationError, StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services.locks import lock_study
from annotation.core.services.model_process import (
    Computed,
)
from annotation.items.imports.problems import length_problem, text_problem
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs, read_pairs, stamp
from annotation.models import Baseline, Study
from scoring.arrays import FloatArray
from scoring.baselines import Specification
from scoring.baselines.lexical import LEXICAL


@dataclass(frozen=True)
class UploadOutcome:
    """The new measures of a table, and those that were stored with the same values before."""

    made: list[Baseline]
    known: list[Baseline]


def upload(*, study: Study, name: str, file: IO[bytes], by: User | None = None) -> UploadOutcome:
    """Store values that somebody computed elsewhere: a table of ids and scores.

    A table of several scores becomes a measure for each column, or none at all. A measure that is
    stored with the same values stays as it is.

    Raises ImportProblemsError with each problem and its line; StateError if another measure has
    the name, or if the items change during the upload.
    """
    stored_measures.refuse_without_pairs(study)
    name = " ".join(name.split())
    if name:
        _refuse_name(name)
    # The slow steps come before the lock: on SQLite nobody else can write while we hold it.
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
    if not all(np.isfinite(array).any() for array in values.values()):
        raise AnnotationError(_("The table has values only for checks, which are not compared."))
    specification = Specification(Baseline.UPLOADED)
    with transaction.atomic():
        study = lock_study(study.pk)
        known = list(study.baselines.filter(name__in=values).order_by("pk"))
        for baseline in known:
            if not _is_the_same(baseline, pairs, values[baseline.name]):
                raise StateError(
                    _(
                        "A measure %(name)s with other values or items already exists. Choose "
                        "another name, or remove that measure on its page."
                    )
                    % {"name": baseline.name}
                )
        if stamp(study) != before:
            raise StateError(_("The items have changed in the meantime. Upload the table again."))
        names = {baseline.name for baseline in known}
        made = [
            stored_measures.create(study, pairs, specification, Computed(array), name=name, by=by)
            for name, array in values.items()
            if name not in names
        ]
        return UploadOutcome(made, known)


def _is_the_same(baseline: Baseline, pairs: StudyPairs, values: FloatArray) -> bool:
    """Whether a stored measure was uploaded with these values for the current items."""
    return (
        baseline.measure == Baseline.UPLOADED
        and baseline.digest == pairs.digest
        and Baseline.packed(baseline.array) == Baseline.packed(values)
    )


def _refuse_name(name: str) -> None:
    if not name:
        raise AnnotationError(_("Give the measure a name, such as the model's name."))
    problem = text_problem(name)
    if not problem and len(name) > measures.NAME_LIMIT:
        problem = length_problem(len(name), measures.NAME_LIMIT)
    if problem:
        raise AnnotationError(problem % {"field": _("The name")})
    if name in {measure.name for measure in LEXICAL.values()}:
        raise StateError(
            _("Likeness already computes a measure called %(name)s. Choose another name.")
            % {"name": name}
        )
