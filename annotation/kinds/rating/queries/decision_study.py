"""How reliable mean ratings of more or fewer people would be, as a table of a page."""

import math
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import decimal, grouped, number, percent
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import Text
from annotation.kinds.queries.interval_words import about_interval
from annotation.kinds.rating.queries.plots import condition_name
from annotation.kinds.rating.queries.tables import Table

Statistics = Mapping[str, Any]

# Of the twenty rows that a result stores, those that a page shows.
N_RATERS = (1, 2, 3, 4, 5, 7, 10, 15, 20)
# Of the coefficients that a result stores numbers of people for, the one that a page names.
TARGET = 0.8


def decision_study(phase: Statistics) -> Table:
    """G and Phi for so many ratings of each item, and where the variance comes from."""
    study = phase["generalizability"]
    rows: list[tuple[Text, list[str]]] = [
        (_ratings(row["n_raters"]), [_cell(row, "relative"), _cell(row, "absolute")])
        for row in study["decision_study"]
        if row["n_raters"] in N_RATERS
    ]
    remarks: list[tuple[Text, str, bool]] = []
    if study["reason"]:
        remarks.append((_("G and Phi"), in_words(study["reason"]), True))
    else:
        remarks += [
            (_("variance"), _shares(study["components"]), False),
            (_("enough people"), _enough(study), False),
        ]
        if about := about_interval(study["coefficients"]["absolute"]["interval"]):
            remarks.append((_("intervals"), in_words(about), False))
        if study["note"]:
            remarks.append((_("groups"), in_words(study["note"]), False))
    remarks.append((_("definition"), in_words(study["definition"]), False))
    title = _("How many ratings of each item are enough, %(phase)s")
    header: list[Text] = [_("G (differences between items)"), _("Phi (scores)")]
    name = title % {"phase": condition_name(phase)}
    file = "decision_study" if rows else ""
    return Table(name, header, rows, remarks, file=file, is_folded=True)


def _ratings(n: int) -> str:
    return ngettext("%(n)s rating", "%(n)s ratings", n) % {"n": grouped(n)}


def _cell(row: Statistics, kind: str) -> str:
    value, low, high = (row[f"{kind}{end}"] for end in ("", "_low", "_high"))
    if value is None or low is None:
        return number(value)
    return _("%(value)s (%(low)s to %(high)s)") % {
        "value": number(value),
        "low": number(low),
        "high": number(high),
    }


def _shares(components: Statistics) -> str:
    return _(
        "Of the variance of single ratings, %(items)s is due to the items, %(people)s to people "
        "who rate higher or lower than others, and %(rest)s to everything else."
    ) % {
        "items": percent(components["items"]["share"]),
        "people": percent(components["people"]["share"]),
        "rest": percent(components["residual"]["share"]),
    }


def _enough(study: Statistics) -> str:
    """How many people are enough, by the estimates, and within what limits."""
    (target,) = (t for t in study["raters_for"] if t["coefficient"] == TARGET)
    if not study["components"]["items"]["share"]:
        return _("The items do not differ measurably, so no number of people can be said.")
    if target["absolute"] is None:
        return _("By these estimates, more than 1,000 people per item would be needed.")
    values = {"target": decimal(TARGET, 1), "n": grouped(target["absolute"])}
    single = study["decision_study"][0]
    if not single["absolute_low"]:
        return (
            _(
                "By these estimates, ratings of about %(n)s people per item give a Phi of "
                "%(target)s. There is no interval: other people or items may need clearly more."
            )
            % values
        )
    return _(
        "By these estimates, ratings of about %(n)s people per item (%(low)s to %(high)s) give a "
        "Phi of %(target)s."
    ) % {
        **values,
        "low": grouped(_people_for(single["absolute_high"])),
        "high": grouped(_people_for(single["absolute_low"])),
    }


def _people_for(phi_of_one: float) -> int:
    """How many ratings bring Phi to the target, from that of a single rating [Spearman1910]."""
    if phi_of_one >= 1:
        return 1
    needed = TARGET / (1 - TARGET) * (1 - phi_of_one) / phi_of_one
    return max(1, math.ceil(round(needed, 9)))
