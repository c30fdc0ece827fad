"""Where models that were trained here lie, whose they are, and what they were trained on.

They lie below the folder of models, so that they are found as any other model. A study's key is
never given again, unlike its short name.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User

from annotation.basics.errors import StateError
from annotation.basics.scored_pairs import ScoredPairs, pair_key
from annotation.basics.sentences import sentence as _
from annotation.core.queries.model_folders import FOLDER, resolved, study_of
from annotation.models import Study
from scoring.arrays import BoolArray
from scoring.baselines import Pair

# Beside the runs, and proposed to nobody: keys of the pairs they were trained on.
TRAINED_ON = ".trained_on"


def folder_of(study: Study, name: str) -> Path:
    """Where the runs of a training stand and its models are written."""
    return settings.MODELS / FOLDER / str(study.pk) / name


def forget(study_id: int) -> None:
    """Delete the models of a study that is deleted."""
    shutil.rmtree(settings.MODELS / FOLDER / str(study_id), ignore_errors=True)


def refuse_others(model: str, by: User | None) -> None:
    """Refuse a model that was trained on a study which its user may not see.

    Nobody is refused who has the shell. Raises StateError with the same sentence whether there is
    such a model or not.
    """
    study = study_of(model)
    if study is None or by is None:
        return
    if not Study.objects.seen_by(by).filter(pk=study).exists():
        raise StateError(
            _("%(model)s does not belong to a study that you can see. Choose another model.")
            % {"model": model}
        )


def write_keys(folder: Path, pairs: ScoredPairs) -> None:
    """By which the pairs are known again, where the model is held against people's scores."""
    path = folder / TRAINED_ON
    new = path.with_suffix(".new")
    new.write_text("".join(f"{key}\n" for key in sorted(set(pairs.keys))), encoding="ascii")
    new.replace(path)


def is_trained_on(model: str, pairs: Sequence[Pair]) -> BoolArray:
    """Which of the pairs a model was trained on here; none of one that came from elsewhere."""
    known = _keys(model)
    return np.array([pair_key(pair.first, pair.second) in known for pair in pairs], dtype=np.bool_)


def _keys(model: str) -> set[str]:
    models, folder = settings.MODELS.resolve(), resolved(model)
    if folder is not None and study_of(model) is not None:
        for above in (folder, *folder.parents):
            if above == models:
                break
            if (file := above / TRAINED_ON).is_file():
                return set(file.read_text(encoding="ascii").split())
    return set()
