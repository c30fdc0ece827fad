"""What the methods paragraphs of rating and of label studies have in common."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.exports.documents.figures import count, number, plain
from annotation.exports.documents.prose import Paragraph

Facts = Mapping[str, Any]

_CONDITIONS = {"context_free": "without context", "context_dependent": "in context"}


def condition(phase: Mapping[str, Any]) -> str:
    return f"phase {phase['number']} ({_CONDITIONS[phase['condition']]})"


def annotations(facts: Facts, done: str) -> Iterator[Paragraph]:
    """`done`: rated or labelled."""
    chosen = facts["design"]["parameters"]
    if "ratings_per_item" in chosen:
        n = count(chosen["ratings_per_item"], "person", "people")
        most = chosen.get("items_per_booklet")
        each = f"; one person {done} at most {count(most, 'item')}" if most else ""
        yield [f"Each item was to be {done} by {n} (its stack){each}."]
    phases = facts["design"]["phases"]
    if len(phases) > 1:
        order = ", then ".join(_CONDITIONS[one["condition"]] for one in phases)
        yield [f"The same people answered in {len(phases)} phases: {order}."]
        for one in phases[1:]:
            if one["delay_hours"]:
                yield [
                    f"Phase {one['number']} opened no sooner than {plain(one['delay_hours'])}"
                    " hours after the same person had completed the one before; the software"
                    " enforced it."
                ]
    elif phases:
        yield [f"The texts were shown {_CONDITIONS[phases[0]['condition']]}."]
    if n_calibration := len(chosen.get("calibration") or ()):
        yield [
            f"In each phase everybody first answered {count(n_calibration, 'item')} of a"
            " calibration block, which are in no score."
        ]
    if chosen.get("n_repeats"):
        yield [
            f"In each phase everybody answered {count(chosen['n_repeats'], 'item')} a second time,"
            " for agreement with oneself; these answers are in no score."
        ]


def pauses(statistics: Mapping[str, Any]) -> Iterator[Paragraph]:
    """The hours that really passed between two phases."""
    for one in statistics.get("waiting", ()):
        if one["n"]:
            yield [
                f"Between phases {one['from']} and {one['to']} a median of"
                f" {number(one['median'], 1)} hours passed (from {number(one['min'], 1)} to"
                f" {number(one['max'], 1)})."
            ]
