"""What is done on Prolific for each kind of intent, and how it is found out whether it was."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.core.platforms.base import Again, Keep, LookedUp, Sent
from annotation.crowds.platforms.prolific import (
    bonuses,
    groups,
    messages,
    places,
    studies,
    submissions,
)
from annotation.crowds.platforms.prolific.http import Client
from annotation.models import Intent

_KIND = Intent.Kind


@dataclass(frozen=True)
class Action:
    """One kind of intent, or one step of publishing."""

    send: Callable[[Client, Intent, Keep], Sent]
    look_up: Callable[[Client, Intent], LookedUp]
    # Whether it may be sent once more; nearly everything is so already the second time.
    again: Callable[[Intent], Again] = lambda _intent: Again.HARMLESS
    # Whether what is made bears the intent's reference in its name.
    is_marked: bool = False


def _in_one_step(
    do: Callable[[Client, Intent], Sent],
) -> Callable[[Client, Intent, Keep], Sent]:
    """With nothing to be kept between two steps."""
    return lambda client, intent, _keep: do(client, intent)


_CHANGE_OF_STATE = Action(_in_one_step(studies.change_state), studies.look_up_state)
# What is published comes about in steps: they alone have one in their payload.
_STEPS: Mapping[str, Action] = {
    "group": Action(_in_one_step(groups.make), groups.look_up_made, is_marked=True),
    "draft": Action(_in_one_step(studies.make_draft), studies.look_up_draft, is_marked=True),
    "publish": Action(_in_one_step(studies.publish), studies.look_up_published),
    "more": Action(_in_one_step(places.add), places.look_up_added),
}
_ACTIONS: Mapping[str, Action] = {
    _KIND.PAUSE: _CHANGE_OF_STATE,
    _KIND.RESUME: _CHANGE_OF_STATE,
    _KIND.CLOSE: _CHANGE_OF_STATE,
    _KIND.APPROVE: Action(_in_one_step(submissions.approve), submissions.look_up_approved),
    _KIND.REJECT: Action(_in_one_step(submissions.reject), submissions.look_up_rejected),
    _KIND.ASK_RETURN: Action(_in_one_step(submissions.ask_return), submissions.look_up_asked),
    _KIND.BONUS: Action(bonuses.pay, bonuses.look_up, again=bonuses.again),
    _KIND.GRANT: Action(_in_one_step(groups.grant), groups.look_up_granted),
    _KIND.REVOKE: Action(_in_one_step(groups.revoke), groups.look_up_revoked),
    _KIND.MESSAGE: Action(
        _in_one_step(messages.send),
        messages.look_up,
        # Two messages would be two.
        again=lambda _intent: Again.NEVER,
    ),
}


def action_of(intent: Intent) -> Action | None:
    """How an intent is carried out; None if Prolific offers no way."""
    return _ACTIONS.get(intent.kind) or _STEPS.get(str(intent.payload.get("step")))
