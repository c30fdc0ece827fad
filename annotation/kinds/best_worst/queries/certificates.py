"""The certificate of a best-worst design, said from its numbers in the reader's language.

The sentences that `tuples` made of the same numbers, in English, are what is exported.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import decimal, grouped

Numbers = Mapping[str, Any]


def sentences(certificate: Numbers) -> list[str]:
    """The whole first, then each group of pools alike; without the checks, which are no data."""
    if not certificate.get("groups"):
        return list(certificate.get("sentences", []))
    if certificate["n_pools"] == 1:
        numbers = certificate["groups"][0]["certificate"]
        return [*_alike(numbers), _positions(numbers)]
    lines = [
        _(
            "The design has %(tuples)s tuples for %(items)s items in %(pools)s pools. Items are"
            " compared only within their pool."
        )
        % {
            "pools": grouped(certificate["n_pools"]),
            "items": grouped(certificate["n_items"]),
            "tuples": grouped(certificate["n_tuples"]),
        },
        _evenness(certificate),
        _connection_of_pools(certificate),
        _positions(certificate),
    ]
    # What holds in every pool is said above.
    is_even = certificate["n_pools_at_bound"] == certificate["n_pools"]
    is_connected = certificate["n_pools_connected"] == certificate["n_pools"]
    for group in certificate["groups"]:
        numbers = group["certificate"]
        what = " ".join(_alike(numbers, says_bound=not is_even, says_connection=not is_connected))
        n = len(group["pools"])
        if n == 1:
            lines.append(_("Pool %(n)s: %(what)s") % {"n": group["pools"][0] + 1, "what": what})
        else:
            lines.append(
                _("%(n)s pools have the same figures. In each of them, %(what)s")
                % {"n": grouped(n), "what": what}
            )
    return lines


def _evenness(whole: Numbers) -> str:
    if whole["n_pools_at_bound"] == whole["n_pools"]:
        return _(
            "In every pool, all pairs of items appear together equally often, as far as possible."
        )
    return ngettext(
        "In %(n)s of %(total)s pools, all pairs of items appear together equally often, as far as"
        " possible.",
        "In %(n)s of %(total)s pools, all pairs of items appear together equally often, as far as"
        " possible.",
        whole["n_pools_at_bound"],
    ) % {"n": grouped(whole["n_pools_at_bound"]), "total": grouped(whole["n_pools"])}


def _connection_of_pools(whole: Numbers) -> str:
    if not (apart := whole["n_pools"] - whole["n_pools_connected"]):
        return _("In every pool, the tuples connect all items, so all of them can be compared.")
    return ngettext(
        "In %(n)s pool, not all items can be compared with one another.",
        "In %(n)s pools, not all items can be compared with one another.",
        apart,
    ) % {"n": grouped(apart)}


def _alike(
    numbers: Numbers, *, says_bound: bool = True, says_connection: bool = True
) -> list[str]:
    """What pools of one group have in common: everything but the places."""
    return [
        _appearances(numbers),
        _distinctness(numbers),
        _pairs(numbers),
        *(_bound(numbers) if says_bound else []),
        *([_connection(numbers)] if says_connection else []),
    ]


def _appearances(numbers: Numbers) -> str:
    drawn = ngettext(
        "%(n)s tuple of %(size)s items is drawn from %(items)s items.",
        "%(n)s tuples of %(size)s items are drawn from %(items)s items.",
        numbers["n_tuples"],
    ) % {
        "n": grouped(numbers["n_tuples"]),
        "size": numbers["size"],
        "items": grouped(numbers["n_items"]),
    }
    low, high = numbers["appearances_min"], numbers["appearances_max"]
    if low == high:
        shown = ngettext(
            "Every item appears in %(n)s tuple.", "Every item appears in %(n)s tuples.", low
        ) % {"n": grouped(low)}
    else:
        shown = _("Every item appears in %(low)s to %(high)s tuples.") % {
            "low": grouped(low),
            "high": grouped(high),
        }
    return f"{drawn} {shown}"


def _distinctness(numbers: Numbers) -> str:
    if not (repeated := numbers["n_tuples"] - numbers["n_distinct_tuples"]):
        return _("No tuple occurs twice.")
    return ngettext(
        "%(n)s of the tuples repeats another.", "%(n)s of the tuples repeat another.", repeated
    ) % {"n": grouped(repeated)}


def _pairs(numbers: Numbers) -> str:
    low, high = numbers["pair_count_min"], numbers["pair_count_max"]
    if low == high:
        return ngettext(
            "Every pair of items appears together in exactly %(n)s tuple.",
            "Every pair of items appears together in exactly %(n)s tuples.",
            high,
        ) % {"n": grouped(high)}
    if high == 1:
        return _("No pair of items appears together in more than one tuple.")
    return ngettext(
        "A pair of items appears together in %(low)s to %(high)s tuples; %(n)s pair appears more"
        " often than an even spread requires.",
        "A pair of items appears together in %(low)s to %(high)s tuples; %(n)s pairs appear more"
        " often than an even spread requires.",
        numbers["n_pairs_repeated"],
    ) % {"low": grouped(low), "high": grouped(high), "n": grouped(numbers["n_pairs_repeated"])}


def _bound(numbers: Numbers) -> list[str]:
    values = {
        "sum": grouped(numbers["pair_sum_of_squares"]),
        "distance": grouped(numbers["distance_from_bound"]),
        "bound": grouped(numbers["pair_sum_of_squares_bound"]),
        "here": grouped(numbers["pair_sum_of_squares_bound_here"]),
    }
    if numbers["distance_from_bound"] == 0:
        return [
            _(
                "No design could be more even: the sum of squared pair counts is %(bound)s, the"
                " lowest possible."
            )
            % values
        ]
    if numbers["pair_sum_of_squares_bound_here"] == numbers["pair_sum_of_squares_bound"]:
        reason = _(
            "The bound assumes that all pairs occur evenly. For some numbers of "
            "items, no design reaches it or none is known."
        )
    elif numbers["pair_sum_of_squares"] == numbers["pair_sum_of_squares_bound_here"]:
        reason = _(
            "No design with these appearances reaches that bound. The lowest possible "
            "value is %(here)s, and this design has it."
        )
    else:
        reason = _(
            "No design with these appearances reaches that bound. Their own lower "
            "bound is %(here)s, which may also be out of reach."
        )
    return [
        _(
            "The sum of squared pair counts is %(sum)s, %(distance)s above its lower bound,"
            " %(bound)s."
        )
        % values,
        reason % values,
    ]


def _connection(numbers: Numbers) -> str:
    if numbers["is_connected"]:
        return _("The tuples connect all items, so all of them can be compared.")
    needed = -(-(numbers["n_items"] - 1) // (numbers["size"] - 1))
    values = {"n": grouped(numbers["n_components"]), "needed": grouped(needed)}
    if numbers["n_tuples"] < needed:
        return (
            _(
                "The tuples form %(n)s parts that cannot be compared. At least "
                "%(needed)s tuples are needed to connect all items."
            )
            % values
        )
    return (
        _(
            "The tuples form %(n)s parts that cannot be compared, although %(needed)s "
            "tuples could connect all items."
        )
        % values
    )


def _positions(numbers: Numbers) -> str:
    deviation = f"{numbers['position_deviation']:.4g}"
    digits = len(deviation.partition(".")[2])
    ratio = numbers["position_chi_square"] / numbers["position_chi_square_expected"]
    sentence = (
        _(
            "Positions are balanced: how often an item takes each position in the stored tuples"
            " varies %(ratio)s times as much as in a random order. No count is more than"
            " %(deviation)s away from an even share."
        )
        if ratio <= 1
        else _(
            "Positions are less balanced than in a random order: how often an item takes each"
            " position in the stored tuples varies %(ratio)s times as much. No count is more than"
            " %(deviation)s away from an even share."
        )
    )
    return sentence % {
        "deviation": decimal(float(deviation), digits),
        "ratio": decimal(ratio, 2),
    }
