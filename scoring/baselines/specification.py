"""Which measure, with which settings: all that its values depend on beside the texts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Setting: TypeAlias = str | int | float | bool


@dataclass(frozen=True)
class Specification:
    """A measure with its settings, by which it is asked for, kept and found again.

    Parameters
    ----------
    measure : str
        Its key, such as "squad_f1" or "bi_encoder".
    settings : dict
        By name, such as the model and what is done with the context; plain JSON values.
    """

    measure: str
    settings: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The same for the same measure with the same settings, in whatever order."""
        return json.dumps([self.measure, dict(self.settings)], sort_keys=True)
