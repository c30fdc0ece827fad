"""What the methods paragraph says of a ranking study."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.core.exports.figures import (
    AgreementRow,
    because,
    count,
    interval,
    interval_cell,
    notes,
    number,
)
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
        f"Annotators ranked {count(counts['items'], 'item')}{pools}: they were shown tuples{shown}"
        " and put all items of each in order (",
        Quoted(study["rating_question"]),
        ").",
    ]


def scoring(facts: Facts) -> Iterator[Paragraph]:
    yield [
        "An item's score is its mean rank, rescaled to a range from -1 (always last) to 1"
        " (always first). Its utility is that of a Plackett-Luce model",
        cited("Luce1959", "Plackett1975"),
        ", fitted by maximum likelihood.",
    ]


def reliability(facts: Facts) -> Iterator[Paragraph]:
    overall = facts["statistics"]["overall"]
    concordance = overall["concordance"]
    if concordance["w"] is None:
        yield because("Kendall's W", concordance["reason"])
    else:
        yield [
            "Kendall's W",
            cited("KendallSmith1939"),
            f" of the orders of a tuple is {number(concordance['w'])} on average"
            f"{interval(concordance['interval'] or {})}; random orders would give"
            f" {number(concordance['expected'])}. Spearman's correlation of two people's orders is"
            f" {number(concordance['mean_spearman'])} on average"
            f"{interval(concordance['spearman_interval'] or {})}.",
        ]
    halves = overall["split_half"]
    spearman = halves["spearman"]
    if spearman["mean"] is None:
        yield because("Split-half reliability", halves["reason"])
    else:
        yield [
            "Mean split-half reliability",
            cited("KM2017"),
            f" of the mean ranks over {halves['n_splits']} random splits"
            f"{best_worst.of_each_tuple(overall)} is {number(spearman['mean'])} by Spearman's"
            f" correlation{interval(halves['interval'] or {})}.",
        ]
        # Kendall's W needs two answers to a tuple, so it says how many tuples have one.
        n_single = overall["n_tuples"] - concordance["n_tuples"]
        yield from best_worst.on_single_answers(halves, n_single=n_single)
    yield from notes(
        ("Kendall's W", concordance["w"], concordance["interval"]),
        (
            "Spearman's correlation of two people's orders",
            concordance["mean_spearman"],
            concordance["spearman_interval"],
        ),
        ("split-half reliability", spearman["mean"], halves["interval"]),
    )


def agreement_rows(facts: Facts) -> list[AgreementRow]:
    """The rows of the table in LaTeX."""
    overall = facts["statistics"]["overall"]
    concordance, halves = overall["concordance"], overall["split_half"]
    return [
        ("Kendall's W", number(concordance["w"]), interval_cell(concordance["interval"])),
        (
            "Spearman, two people",
            number(concordance["mean_spearman"]),
            interval_cell(concordance["spearman_interval"]),
        ),
        (
            "Split-half reliability, Spearman",
            number(halves["spearman"]["mean"]),
            interval_cell(halves["interval"]),
        ),
    ]
