"""What can be done with a listing that is out: pause, go on, close."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.basics.sentences import sentence as _
from annotation.core.pages.navigation import Text
from annotation.core.platforms import platform_of
from annotation.crowds.services import publishing
from annotation.models import Listing

State = Listing.State


@dataclass(frozen=True)
class Step:
    """What can be done with a listing that is out."""

    label: Text
    title: Text
    done_message: Text
    act: Callable[..., Any]
    states: frozenset[str]
    consequences: Sequence[Text]
    # Of a listing whose platform asks for no money, such as a panel's.
    consequences_unpaid: Sequence[Text] = ()
    is_dangerous: bool = False

    def consequences_for(self, row: Listing) -> Sequence[Text]:
        """What the page says before it is done."""
        is_paid = platform_of(row.platform).capabilities.is_paid
        return self.consequences if is_paid else self.consequences_unpaid or self.consequences


STEPS = {
    "pause": Step(
        _("Pause"),
        _("Pause listing %(n)s?"),
        _("Listing %(n)s is being paused."),
        publishing.pause,
        frozenset({State.PUBLISHED}),
        [
            _("Likeness asks the platform to stop sending new people."),
            _("People who have started can finish and are paid."),
        ],
    ),
    "resume": Step(
        _("Continue"),
        _("Continue listing %(n)s?"),
        _("Listing %(n)s is being resumed."),
        publishing.resume,
        frozenset({State.PAUSED}),
        [_("The platform sends people again. No places are added.")],
    ),
    "close": Step(
        _("Close"),
        _("Close listing %(n)s for good?"),
        _("Listing %(n)s is being closed."),
        publishing.close,
        frozenset({State.PUBLISHING, State.PUBLISHED, State.PAUSED}),
        [
            _("Likeness asks the platform to stop sending people. You cannot undo this."),
            _("People who have started can finish within their time limit and are paid."),
            _("The platform returns the money that was not spent."),
        ],
        [
            _("Nobody new can start through this listing. You cannot undo this."),
            _("People who have started can finish within their time limit."),
        ],
        is_dangerous=True,
    ),
}


def steps_of(row: Listing) -> list[tuple[str, Step]]:
    """What can be done with it now."""
    can_pause = platform_of(row.platform).capabilities.can_pause
    return [
        (name, step)
        for name, step in STEPS.items()
        if row.state in step.states and (can_pause or name == "close")
    ]
