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
            sentence = _(
                "Agrees with the others on the order of %(value)s of the item pairs (the others "
                "on the same questions: %(usual)s)."
            )
        case "pairwise":
            sentence = _(
                "Gives the same answer as another person in %(value)s of the "
                "comparisons (the others on the same questions: %(usual)s)."
            )
        case "correlation":
            numbers |= {"value": decimal(value, 2), "usual": decimal(usual, 2)}
            sentence = _(
                "The ratings correlate with those of the others at %(value)s (typical value: "
                "%(usual)s)."
            )
        case "position":
            sentence = _(
                "Chose the same position on the screen in %(value)s of %(n)s answers (by "
                "chance: %(usual)s)."
            )
        case "run":
            numbers |= {"value": round(value), "usual": round(usual)}
            sentence = _(
                "Chose the same position on the screen %(value)s times in a row, in "
                "%(n)s answers (by chance: about %(usual)s)."
            )
        case "same":
            sentence = _(
                "Repeated the previous answer in %(value)s of %(n)s answers (expected from the "
                "others' answers to the same questions: %(usual)s)."
            )
        case "consistency":
            sentence = _(
                "Orders two items as before in %(value)s of %(n)s pairs (the others: %(usual)s)."
            )
        case "distance":
            numbers |= {"value": decimal(value, 2), "usual": decimal(usual, 2)}
            sentence = _(
                "When asked again, the rating differs by %(value)s on average over "
                "%(n)s items (the others: %(usual)s)."
            )
        case "repeats":
            sentence = _(
                "When asked again, gives the same answer in %(value)s of %(n)s cases "
                "(the others: %(usual)s)."
            )
        case "speed":
            sentence = _("Takes %(value)s of the time that the others take.")
        case _:
            numbers["who"] = pseudonyms[flag["other"]]
            sentence = _(
                "Gave the same answer as %(who)s in %(value)s of %(n)s cases (typical for two "
                "people: %(usual)s). It is not known which of them answered first."
            )
            if flag.get("is_later"):
                sentence = _(
                    "Gave the same answer as %(who)s, who answered first, in %(value)s of "
                    "%(n)s cases (typical for two people: %(usual)s)."
                )
    return sentence % numbers
