"""What the methods paragraph says of a label study."""

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
    percent,
)
from annotation.core.exports.prose import Paragraph, Quoted, cited
from annotation.kinds.exports import check_methods
from annotation.kinds.rating.exports import pair_methods
from annotation.kinds.rating.exports.pair_methods import condition

Facts = Mapping[str, Any]

_DISTANCES = {"nominal": ("Krippendorff2011",), "masi": ("Passonneau2006",)}


def asked(facts: Facts) -> Iterator[Paragraph]:
    if check := check_methods.checked_study(facts):
        yield check
    study, counts = facts["study"], facts["counts"]
    categories = study["categories"]
    sentence: list[Any] = [
        f"{count(counts['items_of_the_main_block'], 'item')} were put into the categories "
    ]
    for place, name in enumerate(categories["names"]):
        sentence += [", "] * bool(place) + [Quoted(name)]
    several = "several could be chosen" if categories["several"] else "one could be chosen"
    yield [*sentence, f"; {several}. The question was: ", Quoted(study["rating_question"])]


def annotations(facts: Facts) -> Iterator[Paragraph]:
    yield from pair_methods.annotations(facts, "labelled")


def scoring(facts: Facts) -> Iterator[Paragraph]:
    several = facts["study"]["categories"]["several"]
    yield [
        "An item's label is "
        + (
            "every category that more than half of its annotators chose."
            if several
            else "the most frequent answer. An item has no label if several answers tie."
        )
    ]
    if n := facts["counts"]["items_adjudicated"]:
        yield [
            f"Afterwards, an expert decided the final value of {count(n, 'item')}. The statistics"
            " do not use these decisions."
        ]


def reliability(facts: Facts) -> Iterator[Paragraph]:
    for phase in facts["statistics"]["phases"]:
        summary, name = phase["summary"], condition(phase)
        n = summary["n_answers"] - summary["n_repeats"]
        labels = summary["labels"]
        yield [
            f"In {name}, {count(summary['n_annotators'], 'annotator')} gave {count(n, 'answer')}"
            f" about {count(summary['n_units'], 'item')}, of which {labels['n_with_label']:,} have"
            " a label."
        ]
        for distance, keys in _DISTANCES.items():
            if alpha := summary["alpha"].get(distance):
                called = f"Krippendorff's alpha ({distance})"
                if alpha["alpha"] is None:
                    yield because(called, alpha["reason"])
                else:
                    value = f" is {number(alpha['alpha'])}{interval(alpha['interval'])}."
                    yield [called, cited(*keys), value]
        yield from notes(
            *(
                (f"alpha ({distance})", alpha["alpha"], alpha["interval"])
                for distance, alpha in summary["alpha"].items()
                if distance in _DISTANCES
            )
        )
        fleiss = summary["fleiss"]
        if fleiss["kappa"] is None:
            yield because("Fleiss' kappa", fleiss["reason"])
        else:
            yield ["Fleiss' kappa", cited("Fleiss1971"), f" is {number(fleiss['kappa'])}."]
        yield from _observed(summary)
    if check_methods.checked_study(facts):
        yield from check_methods.results(facts)
    yield from _changes(facts["statistics"]["change"])


def _changes(change: Facts) -> Iterator[Paragraph]:
    if change["reason"] or not change["items"]["n"]:
        return
    changed = change["items"]
    order = "second" if change["free"] < change["dependent"] else "first"
    yield [
        f"In context, {percent(changed['share_changed'])} of {count(changed['n'], 'item')} have"
        " another label than without. Part of such changes is chance: labels of few answers also"
        f" change if the same question is asked again. The phase in context came {order}, so"
        " effects of order and time are part of them, too. No interval is computed."
    ]


def _observed(summary: Facts) -> Iterator[Paragraph]:
    """Fleiss' observed agreement, and Krippendorff's where it is another one."""
    pairs = summary["pairwise"]
    if pairs["share"] is None:
        return
    yield [
        "The observed agreement",
        cited("Fleiss1971"),
        f" is {percent(pairs['share'])}: this is the share of pairs of answers about an item that"
        f" are equal, averaged over {count(pairs['n_units'], 'item')} with at least two answers."
        " It is not corrected for chance.",
    ]
    alpha = summary["alpha"]["nominal"]
    by_answers = 1 - alpha["observed"]
    # Both values are equal if every item has the same number of answers.
    if abs(by_answers - pairs["share"]) > 1e-9:
        yield [
            "If items are weighted by the number of their answers, as in alpha",
            cited("Krippendorff2011"),
            f", it is {percent(by_answers)}.",
        ]


def agreement_rows(facts: Facts) -> list[AgreementRow]:
    """The rows of the table in LaTeX."""
    rows: list[AgreementRow] = []
    for phase in facts["statistics"]["phases"]:
        summary, n = phase["summary"], phase["number"]
        rows += [
            (
                f"Phase {n}: alpha, {distance}",
                number(summary["alpha"][distance]["alpha"]),
                interval_cell(summary["alpha"][distance]["interval"]),
            )
            for distance in _DISTANCES
            if distance in summary["alpha"]
        ]
        rows += [
            (f"Phase {n}: Fleiss' kappa", number(summary["fleiss"]["kappa"]), ""),
            (
                f"Phase {n}: observed agreement, mean over items",
                percent(summary["pairwise"]["share"]),
                "",
            ),
        ]
    return rows
