"""What `monitoring/` asks of a kind: what is shown while answers come in."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _
from annotation.core.queries.counted_answers import Population
from annotation.kinds.live_measures import Measured, lower_end
from annotation.models import Design

# Alpha and the lower end of its interval.
Alpha = tuple[float | None, float | None]


class MonitoringPart(ABC):
    """See the module."""

    # Whether reliability and agreement are measured at all.
    is_measured: bool = True
    # The coefficient of reliability, in the heading of a number and in the legend of a curve;
    # empty if there is none but agreement.
    reliability_heading: Said = ""
    reliability_name: Said = ""
    # The coefficient of agreement, in the heading of a number and in the legend of a curve.
    agreement_heading: Said = _("Krippendorff's alpha")
    agreement_name: Said = _("alpha")
    # The caption of the curves of reliability and agreement.
    course_caption: Said = ""
    # The name of the scores in a distribution.
    score_name: Said = _("score (mean rating)")

    @abstractmethod
    def measure(self, design: Design, population: Population) -> Measured | None:
        """Compute the figures of all counted answers; None if nothing is to be scored."""

    @abstractmethod
    def alphas(self, statistics: Mapping[str, Any]) -> dict[str, Alpha]:
        """The alphas of a result by the number of the phase; "" for a study without phases."""


def alphas_of_phases(statistics: Mapping[str, Any], level: str) -> dict[str, Alpha]:
    """Where a result has figures of each phase, by the level of measurement."""
    return {
        str(phase["number"]): (alpha["alpha"], lower_end(alpha["interval"]))
        for phase in statistics["phases"]
        if (alpha := phase["summary"]["alpha"].get(level))
    }
