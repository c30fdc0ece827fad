"""Operations that show HITs."""

from typing import Any

from tests.simulators.mturk import life
from tests.simulators.mturk.entities import Hit
from tests.simulators.mturk.errors import RequestError
from tests.simulators.mturk.operations import shown
from tests.simulators.mturk.paging import page
from tests.simulators.mturk.world import World

Values = dict[str, Any]


def get_hit(world: World, values: Values) -> Values:
    hit = world.hits.get(values["HITId"])
    if hit is None or hit.disposed_at is not None:
        raise RequestError("HITDoesNotExist", f"Hit {values['HITId']} does not exist.")
    return {"HIT": shown.hit(world, hit)}


def _rows(world: World, hits: list[Hit]) -> list[tuple[list[Any], Values]]:
    # The newest come first.
    return [([-hit.seq], shown.hit(world, hit)) for hit in hits]


def list_hits(world: World, values: Values) -> Values:
    hits = [hit for hit in world.hits.values() if hit.disposed_at is None]
    return page(world, values, "ListHITs", "HITs", _rows(world, hits))


def list_reviewable_hits(world: World, values: Values) -> Values:
    state, wanted = values.get("Status", "Reviewable"), values.get("HITTypeId")
    hits = [
        hit
        for hit in world.hits.values()
        if life.status(world, hit) == state and wanted in (None, hit.hit_type_id)
    ]
    listing = f"ListReviewableHITs {state} {wanted}"
    return page(world, values, listing, "HITs", _rows(world, hits))


OPERATIONS = {
    "GetHIT": get_hit,
    "ListHITs": list_hits,
    "ListReviewableHITs": list_reviewable_hits,
}
