"""UniqueRequestTokens: one success each, per operation; a repeat is an error, not a replay."""

from typing import Any

from tests.simulators.mturk.entities import UsedToken
from tests.simulators.mturk.errors import RequestError
from tests.simulators.mturk.world import World


def _key(operation: str, parameters: dict[str, Any]) -> str:
    return f"{operation} {parameters['UniqueRequestToken']}"


def refuse_repeat(world: World, operation: str, parameters: dict[str, Any], code: str) -> None:
    """Refuse a token that succeeded within its life, whatever the other parameters are."""
    if "UniqueRequestToken" not in parameters:
        return
    used = world.tokens.get(_key(operation, parameters))
    if used and world.now < used.at + world.settings.request_token_life_s:
        raise RequestError(code, f"The UniqueRequestToken was already used: {used.reference}.")


def remember(world: World, operation: str, parameters: dict[str, Any], reference: str) -> None:
    if "UniqueRequestToken" in parameters:
        world.tokens[_key(operation, parameters)] = UsedToken(world.now, reference)
