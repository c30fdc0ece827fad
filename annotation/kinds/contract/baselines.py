"""What `baselines/` asks of a kind: which scores measures and models are held against."""

from abc import ABC
from typing import ClassVar


class BaselinesPart(ABC):  # noqa: B024 - its questions follow
    """See the module."""

    # Whether items get scores from people, which measures can be held against.
    has_scores: ClassVar[bool] = False
