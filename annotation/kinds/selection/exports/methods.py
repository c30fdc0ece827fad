"""What the methods paragraph says of a selection study."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.basics.scale import Scale
from annotation.core.exports.figures import AgreementRow, count
from annotation.core.exports.prose import Paragraph, Quoted, cited

Facts = Mapping[str, Any]


def asked(facts: Facts) -> Iterator[Paragraph]:
    study, counts = facts["study"], facts["counts"]
    scale = Scale.of(study["scale"])
    yield [
        f"For {count(counts['questions'], 'sentence')} of the summaries of"
        f" {count(counts['incidents'], 'incident')}, annotators chose three sentences of the"
        " reports: a similar one, one in between and a dissimilar one",
        cited("CzechSTS"),
        ".",
    ]
    ends = f"{scale.text(scale.low)} to {scale.text(scale.high)}"
    yield [f"They rated each from {ends}. The question was: ", Quoted(study["rating_question"])]


def annotations(facts: Facts) -> Iterator[Paragraph]:
    if n := facts["design"]["parameters"].get("people_per_incident"):
        yield [f"Each incident was to be answered by {count(n, 'person', 'people')}."]


def scoring(facts: Facts) -> Iterator[Paragraph]:
    yield [
        "A pair's rating is that of the person who chose it. A pair that several people chose is"
        " listed once for each of them. Two filters leave out pairs whose rating is more than 1"
        " (or 2) points from the value that their class suggests."
    ]


def reliability(facts: Facts) -> Iterator[Paragraph]:
    yield from ()


def agreement_rows(facts: Facts) -> list[AgreementRow]:
    return []
