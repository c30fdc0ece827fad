"""Pages of lists: a token remembers the last thing shown, and dies after a while."""

from collections.abc import Iterable
from typing import Any

from tests.simulators.mturk.entities import PageToken
from tests.simulators.mturk.errors import invalid
from tests.simulators.mturk.world import World

Keyed = tuple[list[Any], dict[str, Any]]


def page(
    world: World, parameters: dict[str, Any], listing: str, key: str, rows: Iterable[Keyed]
) -> dict[str, Any]:
    """One page of rows, in the order of their sort keys; NumResults is the size of the page."""
    size = parameters.get("MaxResults", world.settings.default_page_size)
    ordered = sorted(rows, key=lambda row: row[0])
    if (token := parameters.get("NextToken")) is not None:
        after = _opened(world, token, listing).after
        ordered = [row for row in ordered if row[0] > after]
    shown = ordered[:size]
    result: dict[str, Any] = {"NumResults": len(shown), key: [row for _, row in shown]}
    if len(ordered) > size:
        token = f"p{world.new_id('page')}"
        world.pages[token] = PageToken(world.now, listing, shown[-1][0])
        result["NextToken"] = token
    return result


def _opened(world: World, token: str, listing: str) -> PageToken:
    found = world.pages.get(token)
    if found is None or found.listing != listing:
        raise invalid("This NextToken does not belong to this list.")
    if world.now >= found.at + world.settings.page_token_life_s:
        raise invalid("This NextToken has expired.")
    return found
