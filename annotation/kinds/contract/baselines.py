"""What `baselines/` asks of a kind: which scores measures and models are held against."""

from abc import ABC
from typing import ClassVar

from annotation.basics.sentences import Said
from annotation.kinds.contract.scores import ScoresPart


class BaselinesPart(ABC):  # noqa: B024 - every question has a usual answer
    """See the module."""

    # The scores that items get from people; None where they get none.
    scores: ClassVar[ScoresPart | None] = None
    # Whether people choose pairs and rate them, so that their answers are pairs to train on.
    has_selected_pairs: ClassVar[bool] = False
    # Why such a study never has pairs that measures could compare; empty where it may have.
    no_pairs: ClassVar[Said] = ""
