"""Calls and answers that the tests of the simulator share."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.simulators.mturk.bot import Task, WorkerBot

QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/'
    'AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">'
    "<ExternalURL>https://app.example/launch?study=1&amp;part=2</ExternalURL>"
    "<FrameHeight>0</FrameHeight></ExternalQuestion>"
)
ANSWER = {"receipt": "r-1"}


def hit_values(**changes: Any) -> dict[str, Any]:
    """What CreateHIT needs, with these changes."""
    return {
        "LifetimeInSeconds": 7 * 86_400,
        "AssignmentDurationInSeconds": 3600,
        "AutoApprovalDelayInSeconds": 3 * 86_400,
        "Reward": "1.50",
        "Title": "Compare texts",
        "Description": "Say which texts are alike.",
        "Question": QUESTION,
        **changes,
    }


def create_hit(client: Any, **changes: Any) -> dict[str, Any]:
    hit: dict[str, Any] = client.create_hit(**hit_values(**changes))["HIT"]
    return hit


def answered(bot: WorkerBot, task: Task) -> Mapping[str, str]:
    return ANSWER


def submit_one(client: Any, bot: WorkerBot, hit: dict[str, Any]) -> str:
    """Let the bot do this HIT; the id of its assignment."""
    task = bot.accept(hit["HITGroupId"], hit["HITId"])
    assert bot.submit(task, ANSWER) == "submitted"
    return task.assignment_id


def refusal(call: Callable[..., Any], **values: Any) -> tuple[str, str]:
    """The code and the message with which a call is refused."""
    with pytest.raises(ClientError) as caught:
        call(**values)
    response = caught.value.response
    code = response.get("TurkErrorCode") or response["Error"]["Code"]
    return code.rpartition(".")[2], response["Error"]["Message"]


def withhold_cookies_from_frames(page: Any) -> None:
    """Let this page's Chromium treat frames of other hosts as strict browsers do."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send(
        "Network.setCookieControls",
        {
            "enableThirdPartyCookieRestriction": True,
            "disableThirdPartyCookieMetadata": True,
            "disableThirdPartyCookieHeuristics": True,
        },
    )
