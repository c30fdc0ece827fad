"""The rows in which measures are stored, and which studies can have any."""

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User

from annotation.basics import clock
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.core.services.model_process import (
    Computed,
)
from annotation.kinds.rating.queries.baseline_pairs import StudyPairs
from annotation.models import Baseline, Job, Study
from scoring.baselines import Specification


def refuse_without_pairs(study: Study) -> None:
    """Raises StateError if the study has no pair of texts that measures could compare."""
    items = study.items.without_checks()
    if not items.exists():
        raise StateError(_("%(study)s has no items. Import some first.") % {"study": study.title})
    if not items.exclude(target_text=None, target_turn=None).exists():
        raise StateError(
            _("The items of %(study)s are single texts, but measures compare two texts.")
            % {"study": study.title}
        )


def create(
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
