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
        one = certificate["groups"][0]["certificate"]
        return [*_alike(one), _positions(one)]
    said = [
        _(
            "%(pools)s pools with %(items)s items in all have %(tuples)s tuples; items are"
            " compared within their pool."
        )
        % {
            "pools": grouped(certificate["n_pools"]),
            "items": grouped(certificate["n_items"]),
            "tuples": grouped(certificate["n_tuples"]),
        },
        _evenness(certificate),
        _connection_of_pools(certificate),
        _(
            "In no pool is an item's count in one place more than %(deviation)s off an even share;"
            " over all pools the places vary %(ratio)s times as much as a random order makes them"
            " on average."
        )
        % _of_places(certificate),
    ]
    for group in certificate["groups"]:
        what = " ".join(_alike(group["certificate"]))
        n = len(group["pools"])
        if n == 1:
            said.append(_("Pool %(n)s: %(what)s") % {"n": group["pools"][0] + 1, "what": what})
        else:
            said.append(_("%(n)s pools, each: %(what)s") % {"n": grouped(n), "what": what})
    return said


def _evenness(whole: Numbers) -> str:
    if whole["n_pools_at_bound"] == whole["n_pools"]:
        return _("In every pool pairs meet as evenly as they can.")
    return ngettext(
        "In %(n)s of %(total)s pools pairs meet as evenly as they can.",
        "In %(n)s of %(total)s pools pairs meet as evenly as they can.",
        whole["n_pools_at_bound"],
    ) % {"n": grouped(whole["n_pools_at_bound"]), "total": grouped(whole["n_pools"])}


def _connection_of_pools(whole: Numbers) -> str:
    if not (apart := whole["n_pools"] - whole["n_pools_connected"]):
        return _("In every pool all items are connected through tuples.")
    return ngettext(
        "In %(n)s pool not all items can be compared with one another.",
        "In %(n)s pools not all items can be compared with one another.",
        apart,
    ) % {"n": grouped(apart)}


def _alike(one: Numbers) -> list[str]:
    """What pools of one group have in common: everything but the places."""
    return [_appearances(one), _distinctness(one), _pairs(one), *_bound(one), _connection(one)]


def _appearances(one: Numbers) -> str:
    values = {
        "n": grouped(one["n_tuples"]),
        "size": one["size"],
        "items": grouped(one["n_items"]),
        "low": grouped(one["appearances_min"]),
        "high": grouped(one["appearances_max"]),
    }
    if one["appearances_min"] == one["appearances_max"]:
        return (
            ngettext(
                "%(n)s tuple of %(size)s out of %(items)s items: every item appears in %(low)s.",
                "%(n)s tuples of %(size)s out of %(items)s items: every item appears in %(low)s.",
                one["n_tuples"],
            )
            % values
        )
    return (
        ngettext(
            "%(n)s tuple of %(size)s out of %(items)s items: every item appears in %(low)s to"
            " %(high)s.",
            "%(n)s tuples of %(size)s out of %(items)s items: every item appears in %(low)s to"
            " %(high)s.",
            one["n_tuples"],
        )
        % values
    )


def _distinctness(one: Numbers) -> str:
    if not (repeated := one["n_tuples"] - one["n_distinct_tuples"]):
        return _("No tuple occurs twice.")
    return ngettext(
        "%(n)s of the tuples repeats another.", "%(n)s of the tuples repeat another.", repeated
    ) % {"n": grouped(repeated)}


def _pairs(one: Numbers) -> str:
    low, high = one["pair_count_min"], one["pair_count_max"]
    if low == high:
        return ngettext(
            "Every two items meet in exactly %(n)s tuple.",
            "Every two items meet in exactly %(n)s tuples.",
            high,
        ) % {"n": grouped(high)}
    if high == 1:
        return _("No two items meet in more than one tuple.")
    return ngettext(
        "Two items meet in %(low)s to %(high)s tuples; %(n)s pair meets more often than an even"
        " spread needs.",
        "Two items meet in %(low)s to %(high)s tuples; %(n)s pairs meet more often than an even"
        " spread needs.",
        one["n_pairs_repeated"],
    ) % {"low": grouped(low), "high": grouped(high), "n": grouped(one["n_pairs_repeated"])}


def _bound(one: Numbers) -> list[str]:
    values = {
        "sum": grouped(one["pair_sum_of_squares"]),
        "distance": grouped(one["distance_from_bound"]),
        "bound": grouped(one["pair_sum_of_squares_bound"]),
        "here": grouped(one["pair_sum_of_squares_bound_here"]),
    }
    if one["distance_from_bound"] == 0:
        return [
            _(
                "Pairs meet as evenly as they can: the sum of their squared counts is at its lower"
                " bound, %(bound)s."
            )
            % values
        ]
    if one["pair_sum_of_squares_bound_here"] == one["pair_sum_of_squares_bound"]:
        reason = _(
            "The bound spreads all pairs evenly; whether a design reaches it is not known for"
            " every number of items, and often none does."
        )
    elif one["pair_sum_of_squares"] == one["pair_sum_of_squares_bound_here"]:
        reason = _(
            "No design with these appearances reaches that bound; the lowest that they allow is"
            " %(here)s, which this design has."
        )
    else:
        reason = _(
            "No design with these appearances reaches that bound; the lowest that they allow is"
            " %(here)s, which may itself be out of reach."
        )
    return [
        _(
            "The sum of squared pair counts is %(sum)s, %(distance)s above its lower bound,"
            " %(bound)s."
        )
        % values,
        reason % values,
    ]


def _connection(one: Numbers) -> str:
    if one["is_connected"]:
        return _("All items are connected through tuples, so all can be compared.")
    needed = -(-(one["n_items"] - 1) // (one["size"] - 1))
    values = {"n": grouped(one["n_components"]), "needed": grouped(needed)}
    if one["n_tuples"] < needed:
        return (
            _(
                "The tuples leave %(n)s parts that cannot be compared: to connect the items takes"
                " at least %(needed)s tuples."
            )
            % values
        )
    return (
        _(
            "The tuples leave %(n)s parts that cannot be compared, although %(needed)s tuples"
            " could connect all items."
        )
        % values
    )


def _of_places(numbers: Numbers) -> dict[str, str]:
    deviation = f"{numbers['position_deviation']:.4g}"
    digits = len(deviation.partition(".")[2])
    ratio = numbers["position_chi_square"] / numbers["position_chi_square_expected"]
    return {"deviation": decimal(float(deviation), digits), "ratio": decimal(ratio, 2)}


def _positions(one: Numbers) -> str:
    return _(
        "An item's count in one place is at most %(deviation)s off an even share; over all"
        " items the places vary %(ratio)s times as much as a random order makes them on"
        " average."
    ) % _of_places(one)
