"""What was seen of somebody, in sentences with its figures; never what it means."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.basics.numbers import decimal, percent
from annotation.models import AnnotatorStatistics, Study


def pseudonyms_of_others(study: Study, rows: Iterable[AnnotatorStatistics]) -> dict[int, str]:
    """Of whom flags name beside the flagged."""
    others = {flag["other"] for row in rows for flag in row.flags} - {None}
    annotators = study.annotators.filter(pk__in=others)
    return dict(annotators.values_list("pk", "pseudonym"))


def said(flag: Mapping[str, Any], pseudonyms: Mapping[int, str]) -> str:
    """One flag, as a result keeps it."""
    value, usual = flag["value"], flag["usual"]
    numbers = {"value": percent(value), "usual": percent(usual), "n": flag["n"]}
    match flag["kind"]:
        case "agreement":
            sentence = _("Agrees in %(value)s of the pairs, the others in %(usual)s.")
        case "pairwise":
            sentence = _(
                "Gives the same answer as another person in %(value)s of the comparisons; the"
                " others do in %(usual)s."
            )
        case "correlation":
            numbers |= {"value": decimal(value, 2), "usual": decimal(usual, 2)}
            sentence = _(
                "Ratings correlate with those of the others at %(value)s, those of most people at"
                " %(usual)s."
            )
        case "position":
            sentence = _(
                "One place on the screen in %(value)s of %(n)s answers; by chance %(usual)s."
            )
        case "run":
            numbers |= {"value": round(value), "usual": round(usual)}
            sentence = _(
                "One place on the screen %(value)s times in a row, of %(n)s answers; by chance"
                " about %(usual)s."
            )
        case "same":
            sentence = _(
                "The same answer as just before in %(value)s of %(n)s; the others' answers to"
                " these are alike in %(usual)s."
            )
        case "consistency":
            sentence = _(
                "Orders two items as before in %(value)s of %(n)s pairs, the others in %(usual)s."
            )
        case "distance":
            numbers |= {"value": decimal(value, 2), "usual": decimal(usual, 2)}
            sentence = _(
                "Asked again, %(value)s away from the rating before on average of %(n)s, the"
                " others %(usual)s."
            )
        case "repeats":
            sentence = _(
                "Asked again, the same answer in %(value)s of %(n)s, the others in %(usual)s."
            )
        case "speed":
            sentence = _("%(value)s of the time that the others take.")
        case _:
            numbers["who"] = pseudonyms[flag["other"]]
            sentence = _(
                "The same answer as %(who)s in %(value)s of %(n)s; two others give the same in"
                " %(usual)s. Who of them answered first cannot be told."
            )
            if flag.get("is_later"):
                sentence = _(
                    "The same answer as %(who)s, who answered before, in %(value)s of %(n)s; two"
                    " others give the same in %(usual)s."
                )
    return sentence % numbers
