"""How often an item was picked in each tuple that showed it."""

from django.db.models import Count, Q

from annotation.core.queries.counted_answers import Population, counted_judgments
from annotation.models import Design, Item


def best_and_worst(
    design: Design, item: Item, population: Population
) -> dict[int, tuple[int, int, int]]:
    """By the key of the tuple: answers that count, and how many picked the item as each."""
    rows = (
        counted_judgments(design, population)
        .filter(question__tuple__members__item=item)
        .order_by()
        .values_list("question__tuple")
        .annotate(
            n=Count("pk"),
            n_best=Count("pk", filter=Q(best=item)),
            n_worst=Count("pk", filter=Q(worst=item)),
        )
    )
    return {pk: (n, n_best, n_worst) for pk, n, n_best, n_worst in rows}
