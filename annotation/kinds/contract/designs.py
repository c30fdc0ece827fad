"""What `designs/` asks of a kind: what is drawn, its form, its certificate, its forecasts."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from typing import Any, Generic, TypeVar

from django.utils.translation import gettext

from annotation.basics.sentences import Said
from annotation.kinds.design_parameters import DesignParameters
from annotation.kinds.forms.designs import NumbersForm
from annotation.kinds.forms.planning import PlanForm
from annotation.kinds.queries import check_certificates
from annotation.kinds.services import pilot_parts
from annotation.kinds.services.design_rows import Drawn
from annotation.kinds.services.earlier_rounds import EarlierRound
from annotation.kinds.services.pilot_parts import PilotPart
from annotation.models import Design, Study

P = TypeVar("P", bound=DesignParameters)


class DesignsPart(ABC, Generic[P]):
    """See the module. `P` are the numbers that a researcher chooses."""

    # -- The numbers, and what they lead to ------------------------------------------------------

    parameters: type[P]
    form: type[NumbersForm[P]]

    # Options of `manage.py make_design` by their names, with what argparse takes of each, and
    # what their group is called; kinds may share options.
    options: Mapping[str, Mapping[str, Any]]
    options_title: str = ""

    @abstractmethod
    def refuse_impossible(self, study: Study, parameters: P) -> None:
        """Raise ImpossibleParametersError, with the nearest numbers that work."""

    @abstractmethod
    def consequences(self, study: Study, parameters: P) -> Said:
        """What follows from the numbers; raises ImpossibleParametersError, too."""

    def warnings_before_making(self, study: Study, parameters: P) -> Sequence[str]:
        """What somebody should know who makes a design of these numbers."""
        return []

    def option_of(self, field: str) -> str:
        """The option of `manage.py make_design` that sets a number."""
        return f"--{field.removeprefix('n_').replace('_', '-')}"

    def command_warnings(self, study: Study, parameters: P) -> Sequence[str]:
        """What `manage.py make_design` warns of, once the design is made."""
        return []

    def command_notes(self, study: Study, parameters: P) -> Sequence[str]:
        """What `manage.py make_design` says beside the certificate."""
        return []

    # -- A design --------------------------------------------------------------------------------

    # The template that shows the certificate in numbers, and the first questions.
    certificate_template: str
    # The advice on how to avoid the warnings of a design.
    remedy: Said = ""

    @abstractmethod
    def draw(self, design: Design, progress: Callable[[float, Said], None]) -> Drawn:
        """Draw a design of its saved numbers and its seed; nothing is stored."""

    @abstractmethod
    def first_questions(self, design: Design) -> list[dict[str, Any]]:
        """The first questions of a made design, as the template shows them."""

    @abstractmethod
    def certificate_of_data(self, certificate: Mapping[str, Any]) -> list[str]:
        """A certificate in the reader's language, but for the checks."""

    def certificate(self, design: Design) -> list[str]:
        """What a made design is like, in the reader's language; nothing of another."""
        if not design.certificate:
            return []
        return [
            *self.certificate_of_data(design.certificate),
            *check_certificates.sentences(design.certificate.get("checks", {})),
        ]

    def warnings(self, design: Design) -> list[str]:
        """What of a made design a researcher should know before the study is opened."""
        return []

    # -- The planner -----------------------------------------------------------------------------

    # The form of the planner's assumptions; None if nothing can be forecast.
    plan_form: type[PlanForm] | None = None
    # Why nothing can be forecast.
    no_forecast: Said = ""

    # -- Pilots ----------------------------------------------------------------------------------

    def items_beside(self, study: Study) -> Collection[str]:
        """Ids of items that everybody is asked about, and that are no data."""
        return ()

    def pilot_parts(self, study: Study) -> list[PilotPart]:
        """What a pilot can be drawn from. What calibrates or checks is in every pilot."""
        return pilot_parts.parts_of_items(study, beside=self.items_beside(study))

    def fewest_pilot_parts(self, study: Study) -> int:
        """With how few parts there is anything to ask."""
        return 1

    def copy_to_pilot(self, study: Study, pilot: Study, chosen: Set[int]) -> None:
        """Copy parts with these keys, and what is in every pilot."""
        pilot_parts.copy_items(study, pilot, chosen, beside=self.items_beside(study))

    def pilot_unit(self, study: Study) -> str:
        """What is drawn, in a sentence."""
        if study.pools.exclude(context=None).exists():
            return gettext("Dialogues are drawn at random, each with all of its items.")
        return gettext("Items are drawn at random; groups stay together.")

    # -- Next rounds -----------------------------------------------------------------------------

    # Whether a draft of this kind can go on with an earlier round.
    continues_rounds: bool = False
    # What the next round takes from a study of this kind; None if it has no next round.
    earlier_round: EarlierRound | None = None
