"""What the methods paragraph says of a rating study."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.basics.scale import Scale
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
from annotation.core.exports.prose import Paragraph, Plain, Quoted, cited
from annotation.kinds.rating.exports import pair_methods
from annotation.kinds.rating.exports.pair_methods import condition

Facts = Mapping[str, Any]
# The coefficients that a paper reports, and of what each is the reliability.
_KINDS = {"1,1": "a single rating", "1,k": "the mean rating of an item"}
# Those that are there only if everybody rated every item.
_COMPLETE_KINDS = {
    "2,k": "the mean rating of an item, with the raters as a sample of raters,",
    "3,k": "the mean rating of an item, for these raters and the order of the items only,",
}

_OUTCOMES = ("equivalent", "different", "undecided")
_TESTS = {
    "pooled": "treats the ratings as given by different people",
    "paired": "compares the two ratings of each person",
}
# How many items have a p-value below the level if context does nothing.
_EXPECTED = {
    "pooled": "about {share:g} % would, and often fewer if the same people rated both phases",
    "paired": "at most about {share:g} % would",
}


def asked(facts: Facts) -> Iterator[Paragraph]:
    study, counts = facts["study"], facts["counts"]
    scale = Scale.of(study["scale"])
    points = [(scale.text(value), scale.label(value)) for value in (scale.low, scale.high)]
    sentence: list[Any] = [
        f"{count(counts['items_of_the_main_block'], 'pair')} of texts were rated on a scale from "
    ]
    for place, (value, label) in enumerate(points):
        sentence.append(value if not place else f" to {value}")
        if label:
            sentence += [" (", Quoted(label), ")"]
    sentence += [f" in steps of {scale.text(scale.step)}. The question was: "]
    yield [*sentence, Quoted(study["rating_question"])]
    if study["earlier_round"]:
        yield [
            "The pairs come from an earlier round, ",
            Quoted(study["earlier_round_title"]),
            " (",
            Plain(study["earlier_round"]),
            "), where people "
            + ("chose them." if study["pairs_were_chosen"] else "rated them before."),
        ]


def annotations(facts: Facts) -> Iterator[Paragraph]:
    yield from pair_methods.annotations(facts, "rated")


def scoring(facts: Facts) -> Iterator[Paragraph]:
    yield [
        "An item's score is the mean of its ratings under a condition. If a person rated an item"
        " twice, only the first rating is used."
    ]
    if n := facts["counts"]["items_adjudicated"]:
        yield [
            f"Afterwards, an expert decided the final value of {count(n, 'item')}. The statistics"
            " do not use these decisions."
        ]


def reliability(facts: Facts) -> Iterator[Paragraph]:
    statistics = facts["statistics"]
    for phase in statistics["phases"]:
        yield from _phase(phase)
    yield from _context(statistics)


def _phase(phase: Mapping[str, Any]) -> Iterator[Paragraph]:
    summary, name = phase["summary"], condition(phase)
    n = summary["n_ratings"] - summary["n_repeats"]
    yield [
        f"In {name}, {count(summary['n_annotators'], 'annotator')} gave {count(n, 'rating')} of"
        f" {count(summary['n_units'], 'item')}."
    ]
    alpha = summary["alpha"]["interval"]
    if alpha["alpha"] is None:
        yield because("Krippendorff's alpha", alpha["reason"])
    else:
        yield [
            "Krippendorff's alpha with the interval metric",
            cited("Krippendorff2011"),
            f" is {number(alpha['alpha'])}{interval(alpha['interval'])}.",
        ]
    for kind, unit in {**_KINDS, **_COMPLETE_KINDS}.items():
        icc = summary["icc"][kind]
        if icc["icc"] is None and kind in _COMPLETE_KINDS:
            continue
        if icc["icc"] is None:
            yield because(f"The intraclass correlation ICC({kind})", icc["reason"])
        else:
            yield [
                f"The intraclass correlation ICC({kind}) of {unit}",
                cited("ShroutFleiss1979", "McGrawWong1996"),
                f" is {number(icc['icc'])}{interval(icc['interval'] or icc)}.",
            ]
    yield from notes(
        ("alpha", alpha["alpha"], alpha["interval"]),
        *(
            (f"ICC({kind})", summary["icc"][kind]["icc"], summary["icc"][kind]["interval"])
            for kind in (*_KINDS, *_COMPLETE_KINDS)
        ),
    )
    others = summary["inter_annotator"]["without_itself"]
    if others["pearson"] is None:
        yield because("The correlation of a rating with the mean of the others", others["reason"])
    else:
        yield [
            "The ratings correlate with the means of the other annotators at"
            f" {number(others['pearson'])} (Pearson)."
        ]
    for what, repeated in (
        (
            "two ratings of the same item by the same person in the phase",
            summary["intra_annotator"],
        ),
        (
            "a repeated rating with the same person's rating in the earlier round",
            phase["repeats"]["earlier_round"],
        ),
    ):
        n = count(repeated["n"], "pair")
        if repeated["pearson"] is not None:
            yield [f"The correlation of {what} is {number(repeated['pearson'])} (Pearson, {n})."]
        elif repeated["n"]:
            yield because(f"The correlation of {what} ({n})", repeated["reason"])


def _context(statistics: Mapping[str, Any]) -> Iterator[Paragraph]:
    effect = statistics["context"]
    if effect["reason"]:
        return
    main = effect["main_test"]
    yield _main_test(effect)
    for name in sorted(_TESTS, key=lambda name: name != main):
        what_it_does, tests = _TESTS[name], effect["tests"][name]
        if tests["reason"]:
            if name == main:
                yield because("The effect of context", tests["reason"])
            continue
        yield [
            f"By the {name} t-test",
            cited("Student1908"),
            f", which {what_it_does}, the scores of {tests['n_below']:,} of"
            f" {count(tests['n_tested'], 'item')} ({percent(tests['share_below'])}) differ between"
            f" the phases at p < {tests['level']:g} without correction (without any effect,"
            f" {_EXPECTED[name].format(share=100 * tests['level'])}), and those of"
            f" {tests['n_left']:,} after correction by the method of Benjamini and Hochberg",
            cited("BH1995"),
            ".",
            _not_tested(tests["n_pairs"] - tests["n_tested"]),
        ]
        if name == main and tests["equivalence"]:
            yield _equivalence(tests["equivalence"], main, level=tests["level"])
    if not all(tests["reason"] for tests in effect["tests"].values()):
        order = "second" if effect["free"] < effect["dependent"] else "first"
        yield [
            f"The phase in context came {order}, so effects of order and time are part of these"
            " differences."
        ]


def _main_test(effect: Mapping[str, Any]) -> Paragraph:
    """Which test selects items for plots and other tables, and why."""
    if effect["is_chosen"]:
        reason = "as the researcher chose"
    elif effect["main_test"] == "paired":
        reason = "because most items were rated by the same people in both phases"
    else:
        reason = "because most items were not rated by the same people in both phases"
    return [f"The main test of the effect of context is the {effect['main_test']} one, {reason}."]


def _equivalence(equivalence: Mapping[str, Any], test: str, *, level: float) -> Paragraph:
    n = {name: count(equivalence[f"n_{name}"], "item") for name in _OUTCOMES}
    return [
        f"Two one-sided {test} t-tests of each item",
        cited("Schuirmann1987", "Lakens2017"),
        f" find that the effect lies between -{equivalence['margin']:g} and"
        f" {equivalence['margin']:g} points for {n['equivalent']} (equivalent; corrected p at most"
        f" {level:g}). Of the others, it differs from 0 for {n['different']}"
        f" (different), and {n['undecided']} are undecided. All p-values are corrected by the"
        " method of Benjamini and Hochberg",
        cited("BH1995"),
        ".",
    ]


def _not_tested(n: int) -> str:
    if not n:
        return ""
    return (
        f" {count(n, 'further item')} could not be tested, because too few people rated"
        f" {'it' if n == 1 else 'them'}, or because all of the compared ratings were equal."
    )


def agreement_rows(facts: Facts) -> list[AgreementRow]:
    """The rows of the table in LaTeX."""
    rows: list[AgreementRow] = []
    for phase in facts["statistics"]["phases"]:
        summary, n = phase["summary"], phase["number"]
        others = summary["inter_annotator"]["without_itself"]
        alpha = summary["alpha"]["interval"]
        ends = interval_cell(alpha["interval"])
        rows.append((f"Phase {n}: alpha, interval", number(alpha["alpha"]), ends))
        for kind in (*_KINDS, *_COMPLETE_KINDS):
            icc = summary["icc"][kind]
            if icc["icc"] is not None or kind in _KINDS:
                ends = interval_cell(icc["interval"] or icc)
                rows.append((f"Phase {n}: ICC({kind})", number(icc["icc"]), ends))
        rows.append((f"Phase {n}: Pearson, the others", number(others["pearson"]), ""))
    return rows
