"""How often an item was placed first and last in each tuple that showed it."""

from django.db.models import Count, OuterRef, Subquery

from annotation.core.queries.counted_answers import Population, counted_judgments
from annotation.models import Design, Item, Placement


def first_and_last(
    design: Design, item: Item, population: Population
) -> dict[int, tuple[int, int, int]]:
    """By the key of the tuple: answers that count, and how many placed the item first and last."""
    own = Placement.objects.filter(judgment=OuterRef("pk"), item=item).values("place")
    rows = (
        counted_judgments(design, population)
        .filter(question__tuple__members__item=item)
        .order_by()
        .annotate(place=Subquery(own), size=Count("placements"))
        .values_list("question__tuple", "place", "size")
    )
    counts: dict[int, tuple[int, int, int]] = {}
    for pk, place, size in rows:
        n, n_first, n_last = counts.get(pk, (0, 0, 0))
        counts[pk] = n + 1, n_first + (place == 1), n_last + (place == size)
    return counts
