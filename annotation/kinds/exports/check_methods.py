"""What the methods paragraph says of an expert check: of which study, and what came of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.core.exports.figures import because, count, number, percent
from annotation.core.exports.prose import Paragraph, Plain, Quoted, cited

Facts = Mapping[str, Any]


def checked_study(facts: Facts) -> Paragraph | None:
    """Which scores were checked; None of a study that is no expert check."""
    review = facts.get("review") or {}
    if "experts" not in review or not review["compared_with"]:
        return None
    sentence: list[Any] = ["This study is an expert check of the scores of the study "]
    for place, source in enumerate(review["compared_with"]):
        sentence += [" and "] * bool(place) + [
            Quoted(source["title"]),
            " (",
            Plain(source["study"]),
            ")",
        ]
    above, below = review["sides"]
    return [
        *sentence,
        f". Without seeing the scores, {count(len(review['experts']), 'expert')} said of"
        f" {count(review['n_items'], 'item')} whether the similarity is above or below the middle"
        " of the scale, .5 (",
        Quoted(above),
        " or ",
        Quoted(below),
        ")",
        cited("GiCCS"),
        ".",
    ]


def results(facts: Facts) -> Iterator[Paragraph]:
    """How many scores are contradicted, and how far the experts agree."""
    review = facts["review"]
    overall = review["overall"]
    yield [
        f"The experts contradict {overall['count']:,} of {count(overall['n'], 'score')}"
        + (
            f" ({percent(overall['share'])}; 95 % interval for other items and the same"
            f" experts: {percent(overall['low'])} to {percent(overall['high'])})"
            if overall["n"]
            else ""
        )
        + ": the majority of them and the score are on different sides of the middle. Left out are"
        f" {count(review['n_torn'], 'item')} without a majority, {review['n_at_middle']:,} others"
        f" with a score of exactly the middle, and {review['n_unlabelled']:,} for which no expert"
        " chose a side."
    ]
    if review["kappa"] is not None:
        yield [
            "Cohen's kappa of the two experts",
            cited("Cohen1960"),
            f" is {number(review['kappa'])}.",
        ]
    elif len(review["experts"]) == 2:
        yield because("Cohen's kappa of the two experts", review["kappa_reason"])
