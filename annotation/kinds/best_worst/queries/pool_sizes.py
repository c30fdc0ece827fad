"""How many items a pool needs for its tuples, and why one with fewer is refused."""

from annotation.basics.sentences import Said, ngettext, translated, translated_value
from annotation.basics.sentences import sentence as _
from annotation.kinds.design_parameters import BestWorstParameters
from annotation.models.items import ONE_POOL
from tuples import ImpossibleDesignError, max_factor, min_items


def refusal(
    error: ImpossibleDesignError,
    parameters: BestWorstParameters,
    *,
    key: str,
    n_items: int,
    is_dialogue: bool,
) -> Said:
    """Why a pool has no tuples of these numbers: names it if it is not all items."""
    if key == ONE_POOL:
        return translated(error.message)
    size, factor = parameters.tuple_size, parameters.factor
    if not size <= n_items < (needed := min_items(size, factor)):
        of_pool = (
            _("dialogue %(key)s: %(problem)s") if is_dialogue else _("group %(key)s: %(problem)s")
        )
        return of_pool % {"key": key, "problem": translated(error.message)}
    too_few = (
        ngettext(
            "Dialogue %(key)s has %(n)s candidate, but tuples of %(size)s with factor %(factor)s"
            " need at least %(needed)s. Add candidates to this dialogue, or use factor %(limit)s"
            " for all dialogues.",
            "Dialogue %(key)s has %(n)s candidates, but tuples of %(size)s with factor %(factor)s"
            " need at least %(needed)s. Add candidates to this dialogue, or use factor %(limit)s"
            " for all dialogues.",
            "n",
        )
        if is_dialogue
        else ngettext(
            "Group %(key)s has %(n)s item, but tuples of %(size)s with factor %(factor)s need at"
            " least %(needed)s. Add items to this group, or use factor %(limit)s for all groups.",
            "Group %(key)s has %(n)s items, but tuples of %(size)s with factor %(factor)s need at"
            " least %(needed)s. Add items to this group, or use factor %(limit)s for all groups.",
            "n",
        )
    )
    return too_few % {
        "key": key,
        "n": n_items,
        "size": size,
        "factor": translated_value(float(factor)),
        "needed": needed,
        "limit": max_factor(n_items, size),
    }
