"""What the methods paragraph says of a best-worst study."""

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
    plain,
)
from annotation.core.exports.prose import Paragraph, Plain, Quoted, cited
from shell.messages import apart

Facts = Mapping[str, Any]


def asked(facts: Facts) -> Iterator[Paragraph]:
    study, counts, chosen = facts["study"], facts["counts"], facts["design"]["parameters"]
    size = chosen.get("tuple_size")
    pools = (
        f" They form {counts['pools']:,} pools, and only items of the same pool were compared."
        if counts["pools"] > 1
        else ""
    )
    yield [
        "Best-worst scaling",
        cited("Louviere2015", "KM2016"),
        f" was used to score {count(counts['items'], 'item')}.{pools}",
    ]
    shown = f" of {size} items" if size else ""
    yield [
        f"Annotators were shown tuples{shown} and chose the best (",
        Quoted(study["most_question"]),
        ") and the worst (",
        Quoted(study["least_question"]),
        ") of each.",
    ]


def annotations(facts: Facts) -> Iterator[Paragraph]:
    counts, design = facts["counts"], facts["design"]
    chosen, certificate = design["parameters"], design["certificate"] or {}
    sentence = f"There were {count(counts['tuples'], 'tuple')}"
    if "factor" in chosen:
        sentence += f" ({plain(chosen['factor'])} times the number of items)"
    if "appearances_min" in certificate:
        low, high = certificate["appearances_min"], certificate["appearances_max"]
        often = f"{low}" if low == high else f"{low} to {high}"
        sentence += f"; each item appeared in {often} of them"
    yield [f"{sentence}."]
    if "annotations_per_tuple" in chosen:
        n = count(chosen["annotations_per_tuple"], "person", "people")
        yield [f"The design called for {n} per tuple."]
    yield ["The order of the options was shuffled for each annotator."]


def scoring(facts: Facts) -> Iterator[Paragraph]:
    yield [
        "An item's score is the number of times it was chosen as best minus the number of times"
        " it was chosen as worst, divided by the number of answers to tuples containing it",
        cited("Orme2009"),
        ". Scores range from -1 to 1; rescaled scores, (score + 1) / 2, range from 0 to 1.",
    ]


def reliability(facts: Facts) -> Iterator[Paragraph]:
    overall = facts["statistics"]["overall"]
    if n_tuples := overall["n_tuples"]:
        n_answers = overall["n_judgments"]
        yield [
            f"The following figures are based on {count(n_answers, 'answer')} to"
            f" {count(n_tuples, 'tuple')} (on average {number(n_answers / n_tuples, 1)} answers"
            " per tuple)."
        ]
    alpha = overall["alpha"]["joint"]["slot"]
    halves = overall["split_half"].get("random", {})
    ends = halves.get("interval") or {}
    if halves:
        spearman = halves["spearman"]
        if spearman["mean"] is None:
            yield because("Split-half reliability", halves["reason"])
        else:
            yield [
                "Mean split-half reliability",
                cited("KM2017"),
                f" over {halves['n_splits']} random splits{of_each_tuple(overall)} is"
                f" {number(spearman['mean'])} by Spearman's correlation{interval(ends)} and"
                f" {number(halves['pearson']['mean'])} by Pearson's.",
            ]
            # Alpha needs two answers to a tuple, so it says how many tuples have one.
            yield from on_single_answers(halves, n_single=n_tuples - alpha["n_units"])
            stepped = halves["spearman_brown"]
            if stepped["value"] is not None:
                yield [
                    "By the Spearman-Brown formula",
                    cited("Spearman1910", "Brown1910"),
                    " and the Pearson correlation, the reliability of the scores from all answers"
                    f" is {number(stepped['value'])}. It assumes answers from the same people;"
                    " scores from other people may agree less.",
                ]
    yield from _alpha(overall)
    yield from notes(
        ("split-half reliability", halves["spearman"]["mean"] if halves else None, ends),
        ("alpha", alpha["alpha"], alpha.get("interval")),
    )
    yield from _strong_agreement(overall)


def _strong_agreement(overall: Mapping[str, Any]) -> Iterator[Paragraph]:
    by_pick = overall["strong_agreement"]
    reasons: dict[str | None, list[str]] = {}
    for on in ("best", "worst"):
        if by_pick[on]["share"] is None:
            reasons.setdefault(by_pick[on]["reason"], []).append(on)
    for reason, picks in reasons.items():
        yield because(
            f"The share of tuples with strong agreement on the {' or the '.join(picks)} item"
            " (at least 80 % of the answers)",
            reason,
        )
    for on in ("best", "worst"):
        strong = by_pick[on]
        if strong["share"] is not None:
            yield [
                f"In {percent(strong['share'])} of the {count(strong['n_tuples'], 'tuple')} with"
                f" at least three answers there was strong agreement on the {on} item (at least"
                f" 80 % of the answers), and in {percent(strong['unanimous_share'])} all agreed."
            ]


def of_each_tuple(overall: Mapping[str, Any]) -> str:
    """What random splits divide; nothing if every tuple has one answer, which cannot be split."""
    is_nothing_split = overall["n_judgments"] == overall["n_tuples"]
    return "" if is_nothing_split else " of the answers to each tuple"


def on_single_answers(halves: Mapping[str, Any], *, n_single: int) -> Iterator[Paragraph]:
    """Where the only answer to a tuple goes, as the results page says it."""
    if n_single and halves.get("note"):
        # The first of the joined notes is about tuples with one answer.
        yield [Plain(apart(halves["note"])[0])]


def _alpha(overall: Mapping[str, Any]) -> Iterator[Paragraph]:
    alpha = overall["alpha"]["joint"]["slot"]
    name = "Krippendorff's alpha for both choices together"
    if alpha["alpha"] is None:
        yield because(name, alpha["reason"])
        return
    between = interval(alpha.get("interval") or {})
    yield [
        name,
        cited("Krippendorff2011"),
        f" is {number(alpha['alpha'])}{between}. In the coding used here (slot), a choice is the"
        " place of its item in the stored order of the tuple, and two answers agree only if both"
        " choices are equal. Other codings give other values.",
    ]
    if alpha["warning"]:
        by_chance = number(overall["alpha"]["joint"]["uniform"]["alpha"])
        yield [
            "The picks are spread unevenly over the stored order of the tuples, so this value"
            f" depends on that order; with uniform chance, alpha is {by_chance}."
        ]


def agreement_rows(facts: Facts) -> list[AgreementRow]:
    """The rows of the table in LaTeX."""
    overall = facts["statistics"]["overall"]
    rows: list[AgreementRow] = []
    if halves := overall["split_half"].get("random"):
        rows += [
            (
                "Split-half reliability, Spearman",
                number(halves["spearman"]["mean"]),
                interval_cell(halves.get("interval")),
            ),
            ("Split-half reliability, Pearson", number(halves["pearson"]["mean"]), ""),
        ]
    for on in ("best", "worst", "joint"):
        alpha = overall["alpha"][on]["slot"]
        ends = interval_cell(alpha.get("interval"))
        rows.append((f"Alpha, {on} (slot coding)", number(alpha["alpha"]), ends))
    for on in ("best", "worst"):
        share = overall["strong_agreement"][on]["share"]
        rows.append((f"Strong agreement, {on}", percent(share), ""))
    return rows
