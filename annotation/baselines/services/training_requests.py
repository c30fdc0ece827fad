"""The options of a training, as forms and commands give them and as a job stores them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.baselines.queries.score_sources import Source, source_of_json
from annotation.basics.errors import StateError
from annotation.basics.sentences import sentence as _
from annotation.models import Study

# The name of a model is also the name of its folder.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
NO_NAME = _(
    "A name has at most 60 characters: letters from A to Z, digits, hyphens, underscores and "
    "dots. It starts with a letter or digit."
)
# Diagonal filters of selected pairs [CzechNews]: N1 and N2.
LIMITS = (1, 2)


@dataclass(frozen=True)
class TrainingSource:
    """What a model is trained on."""

    # None: a part of the study that tests the model; `where` says which part.
    study: Study | None
    # Whose scores to train on; None for studies whose pairs were selected.
    source: Source | None = None
    # The largest difference of a selected pair's rating from what its class leads to.
    limit: int | None = None
    where: str = ""
    # If the study itself is trained on: a condition of the test items; empty: all other items.
    tests: str = ""
    # If the study itself is trained on: the share of its items that is drawn at random; items that
    # share a pool, a context or an incident stay together, and the others test the model. None:
    # `where` and `tests` divide the items.
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
    def of_json(cls, given: Mapping[str, Any]) -> "TrainingSource":
        slug, source = given["study"], given["source"]
        study = None
        if slug and (study := Study.objects.filter(slug=slug).first()) is None:
            raise StateError(
                _("The study with the training data, %(slug)s, no longer exists.") % {"slug": slug}
            )
        return cls(
            study,
            source_of_json(source) if source else None,
            given["limit"],
            given["where"],
            given["tests"],
            # Trainings stored before random splits existed have no share.
            given.get("share"),
            given.get("seed") or 0,
        )


@dataclass(frozen=True)
class LabellingOptions:
    """Further pairs that a cross-encoder labels for the training, as in Augmented SBERT."""

    # Name of the cross-encoder.
    model: str
    # True: label the study's items that have no score.
    unscored: bool = False
    # A table of further pairs, as `uploads.store_upload` names it.
    upload: Mapping[str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "model": self.model.strip(),
            "unscored": self.unscored,
            "upload": dict(self.upload) if self.upload else None,
        }


@dataclass(frozen=True)
class TrainingRequest:
    """Everything that a training needs: the model, its data and its settings."""

    name: str
    kind: str
    model: str
    learnt: TrainingSource
    settings: Mapping[str, Any] = field(default_factory=dict)
    revision: str = ""
    # The search of settings, as `python -m scoring.neural train` reads it; empty: no search.
    search: Mapping[str, Any] = field(default_factory=dict)
    labelled: LabellingOptions | None = None
