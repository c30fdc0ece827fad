"""The certificate of ratings or labels, said from its numbers in the reader's language."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import decimal, grouped

Numbers = Mapping[str, Any]

_LEAST = Decimal("0.0001")


def sentences(certificate: Numbers, *, of_labels: bool = False) -> list[str]:
    """Who answers how much, what nobody does, and how alike stacks are."""
    return [
        _numbers(certificate, of_labels=of_labels),
        _labels_of_one(certificate) if of_labels else _load(certificate),
        *(_conflicts_of_labels if of_labels else _conflicts)(certificate),
        *_groups(certificate),
        *_equal_stacks(certificate, of_labels=of_labels),
        *_company(certificate),
    ]


def _numbers(whole: Numbers, *, of_labels: bool) -> str:
    if of_labels:
        sentence = ngettext(
            "%(items)s items are labelled by %(n)s person each.",
            "%(items)s items are labelled by %(n)s people each.",
            whole["ratings_per_pair"],
        )
    else:
        sentence = ngettext(
            "%(items)s items are rated by %(n)s person each.",
            "%(items)s items are rated by %(n)s people each.",
            whole["ratings_per_pair"],
        )
    sentence %= {"items": grouped(whole["n_stacks"]), "n": grouped(whole["ratings_per_pair"])}
    people = ngettext(
        "%(n)s person takes part.", "%(n)s people take part.", whole["n_validators"]
    ) % {"n": grouped(whole["n_validators"])}
    if whole["n_teams"] > 1:
        people = _("%(n)s people take part, in %(teams)s teams with separate items.") % {
            "n": grouped(whole["n_validators"]),
            "teams": grouped(whole["n_teams"]),
        }
    return f"{sentence} {people}"


def _do_all_answer_everything(whole: Numbers) -> bool:
    """Whether several people are one team, in which each has all of several items."""
    is_one_team = bool(whole["n_teams"] == 1)
    has_everybody = bool(1 < whole["ratings_per_pair"] == whole["n_validators"])
    return is_one_team and has_everybody and bool(whole["n_stacks"] > 1)


def _load(whole: Numbers) -> str:
    low, high = whole["load_min"], whole["load_max"]
    if _do_all_answer_everything(whole):
        return _("Everybody rates all %(n)s items.") % {"n": grouped(high)}
    if low == high:
        return ngettext("Everybody rates %(n)s item.", "Everybody rates %(n)s items.", high) % {
            "n": grouped(high)
        }
    return _("Everybody rates %(low)s to %(high)s items.") % {
        "low": grouped(low),
        "high": grouped(high),
    }


def _labels_of_one(whole: Numbers) -> str:
    low, high = whole["load_min"], whole["load_max"]
    if _do_all_answer_everything(whole):
        return _("Everybody labels all %(n)s items.") % {"n": grouped(high)}
    if low == high:
        return ngettext("Everybody labels %(n)s item.", "Everybody labels %(n)s items.", high) % {
            "n": grouped(high)
        }
    return _("Everybody labels %(low)s to %(high)s items.") % {
        "low": grouped(low),
        "high": grouped(high),
    }


def _conflicts(whole: Numbers) -> list[str]:
    if whole["pairs_per_tuple"] == 1:
        return []
    if n := whole["n_conflicts"]:
        return [
            ngettext(
                "Somebody rates a second item of a group %(n)s time.",
                "Somebody rates a second item of a group %(n)s times.",
                n,
            )
            % {"n": grouped(n)}
        ]
    if whole["n_stacks"] < whole["n_tuples"] * whole["pairs_per_tuple"]:
        return [
            _(
                "The items form %(groups)s groups of up to %(size)s. Nobody rates two "
                "items of a group."
            )
            % {"groups": grouped(whole["n_tuples"]), "size": whole["pairs_per_tuple"]}
        ]
    return [
        _("The items form %(groups)s groups of %(size)s. Nobody rates two items of a group.")
        % {"groups": grouped(whole["n_tuples"]), "size": whole["pairs_per_tuple"]}
    ]


def _conflicts_of_labels(whole: Numbers) -> list[str]:
    if whole["pairs_per_tuple"] == 1:
        return []
    if n := whole["n_conflicts"]:
        return [
            ngettext(
                "Somebody labels a second item of a group %(n)s time.",
                "Somebody labels a second item of a group %(n)s times.",
                n,
            )
            % {"n": grouped(n)}
        ]
    values = {"groups": grouped(whole["n_tuples"]), "size": whole["pairs_per_tuple"]}
    if whole["n_stacks"] < whole["n_tuples"] * whole["pairs_per_tuple"]:
        template = _(
            "The items form %(groups)s groups of up to %(size)s. Nobody labels two "
            "items of a group."
        )
    else:
        template = _(
            "The items form %(groups)s groups of %(size)s. Nobody labels two items of a group."
        )
    return [template % values]


def _groups(whole: Numbers) -> list[str]:
    if whole["n_divided_groups"] is None or whole["pairs_per_tuple"] == 1:
        return []
    if n := whole["n_divided_groups"]:
        return [
            ngettext(
                "%(n)s time, a group of people does not divide a group of items among "
                "its members.",
                "%(n)s times, a group of people does not divide a group of items "
                "among its members.",
                n,
            )
            % {"n": grouped(n)}
        ]
    return [
        _(
            "People work in groups of %(size)s. Each group divides every group of "
            "items among its members."
        )
        % {"size": whole["pairs_per_tuple"]}
    ]


def _equal_stacks(whole: Numbers, *, of_labels: bool) -> list[str]:
    if whole["ratings_per_pair"] == 1 or whole["n_stacks"] == 1:
        return []
    if _do_all_answer_everything(whole):
        return []
    if whole["ratings_per_pair"] * whole["n_teams"] == whole["n_validators"]:
        return [
            _("Everybody in a team labels all of its items.")
            if of_labels
            else _("Everybody in a team rates all of its items.")
        ]
    if whole["n_equal_pairs_expected"] is None:
        return [_equal_without_comparison(whole["n_equal_pairs"])]
    expected = _to_two_digits(whole["n_equal_pairs_expected"])
    if n := whole["n_equal_pairs"]:
        return [
            ngettext(
                "%(n)s pair of items goes to exactly the same people; a random draw "
                "has %(expected)s such pairs on average.",
                "%(n)s pairs of items go to exactly the same people; a random draw "
                "has %(expected)s such pairs on average.",
                n,
            )
            % {"n": grouped(n), "expected": expected}
        ]
    return [
        _(
            "No two items go to exactly the same people; a random draw has "
            "%(expected)s such pairs on average."
        )
        % {"expected": expected}
    ]


def _to_two_digits(value: float) -> str:
    rounded = Decimal(f"{value:.2g}")
    if 0 < rounded < _LEAST:
        return f"< {decimal(float(_LEAST), 4)}"
    if rounded >= 10:
        return grouped(int(rounded))
    return decimal(float(rounded), len(f"{rounded:f}".partition(".")[2]))


def _equal_without_comparison(n: int) -> str:
    if not n:
        return _("No two items go to exactly the same people.")
    return ngettext(
        "%(n)s pair of items goes to exactly the same people.",
        "%(n)s pairs of items go to exactly the same people.",
        n,
    ) % {"n": grouped(n)}


def _company(whole: Numbers) -> list[str]:
    if whole["together_mean"] is None or whole["ratings_per_pair"] == 1:
        return []
    low, high = whole["together_min"], whole["together_max"]
    if low == high:
        return []
    return [
        _("Two people share %(low)s to %(high)s items, %(mean)s on average.")
        % {
            "low": grouped(low),
            "high": grouped(high),
            "mean": decimal(whole["together_mean"], 1),
        }
    ]
