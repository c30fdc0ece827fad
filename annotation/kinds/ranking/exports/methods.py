"""What the methods paragraph says of a ranking study."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.core.exports.figures import because, count, interval, number
from annotation.core.exports.prose import Paragraph, Quoted, cited
from annotation.kinds.best_worst.exports import methods as best_worst

Facts = Mapping[str, Any]

annotations = best_worst.annotations


def asked(facts: Facts) -> Iterator[Paragraph]:
    study, counts, chosen = facts["study"], facts["counts"], facts["design"]["parameters"]
    pools = "" if counts["pools"] == 1 else f" in {counts['pools']:,} pools"
    size = chosen.get("tuple_size")
    shown = f" of {size} items" if size else ""
    yield [
        f"{count(counts['items'], 'item')}{pools} were ranked: annotators were shown tuples{shown}"
        " and put all items of each in order (",
        Quoted(study["rating_question"]),
        ").",
    ]


def scoring(facts: Facts) -> Iterator[Paragraph]:
    yield [
        "An item's score is its mean place, brought to the range from -1 (always last) to 1"
        " (always first). Its utility is that of a Plackett-Luce model",
        cited("Luce1959", "Plackett1975"),
        ", fitted by maximum likelihood.",
    ]


def reliability(facts: Facts) -> Iterator[Paragraph]:
    overall = facts["statistics"]["overall"]
    of = overall["concordance"]
    if of["w"] is None:
        yield because("Kendall's W", of["reason"])
    else:
        yield [
            "Kendall's W",
            cited("KendallSmith1939"),
            f" of the orders of a tuple is {number(of['w'])} on average"
            f"{interval(of['interval'] or {})}; orders at random would give"
            f" {number(of['expected'])}. Spearman's correlation of two people's orders is"
            f" {number(of['mean_spearman'])} on average{interval(of['spearman_interval'] or {})}.",
        ]
    halves = overall["split_half"]
    spearman = halves["spearman"]
    if spearman["mean"] is None:
        yield because("Split-half reliability", halves["reason"])
    else:
        yield [
            "Split-half reliability",
            cited("KM2017"),
            f" of the mean places over {halves['n_splits']} random splits of the answers to each"
            f" tuple is {number(spearman['mean'])} by Spearman's correlation.",
        ]


def agreement_rows(facts: Facts) -> list[tuple[str, str]]:
    """Of the table in LaTeX."""
    overall = facts["statistics"]["overall"]
    of, halves = overall["concordance"], overall["split_half"]
    return [
        ("Kendall's W", number(of["w"])),
        ("Spearman, two people", number(of["mean_spearman"])),
        ("Split-half reliability, Spearman", number(halves["spearman"]["mean"])),
    ]
