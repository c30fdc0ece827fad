"""What the methods paragraphs of rating and of label studies have in common."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.core.exports.figures import count, hours, plain
from annotation.core.exports.prose import Paragraph

Facts = Mapping[str, Any]

_CONDITIONS = {"context_free": "without context", "context_dependent": "in context"}


def condition(phase: Mapping[str, Any]) -> str:
    return f"phase {phase['number']} ({_CONDITIONS[phase['condition']]})"


def annotations(facts: Facts, done: str) -> Iterator[Paragraph]:
    """`done`: rated or labelled."""
    chosen = facts["design"]["parameters"]
    if "ratings_per_item" in chosen:
        n = count(chosen["ratings_per_item"], "person", "people")
        # What the design gives them, and not how many it may give.
        certificate = facts["design"]["certificate"] or {}
        most = certificate.get("load_max") or chosen.get("items_per_booklet")
        each = f"; one person {done} at most {count(most, 'item')}" if most else ""
        yield [f"The design called for {n} per item{each}."]
    phases = facts["design"]["phases"]
    if len(phases) > 1:
        order = ", then ".join(_CONDITIONS[phase["condition"]] for phase in phases)
        yield [f"The same people were asked in {len(phases)} phases: {order}."]
        for phase in phases[1:]:
            yield from _pause(phase)
    elif phases:
        yield [f"The texts were shown {_CONDITIONS[phases[0]['condition']]}."]
    if n_calibration := len(chosen.get("calibration") or ()):
        yield [
            f"In each phase everybody first answered {count(n_calibration, 'item')} of a"
            " calibration block, which do not count towards any score."
        ]
    if chosen.get("n_repeats"):
        yield [
            f"In each phase everybody answered {count(chosen['n_repeats'], 'item')} a second time,"
            f" which shows how consistent they are: {_repeated(chosen)}. These answers do not"
            " count towards any score."
        ]


def _repeated(chosen: Mapping[str, Any]) -> str:
    if chosen.get("repeat_from") == "earlier_round":
        return (
            "items that the same person had answered in the earlier round, or items of this round"
            " if there were too few of those"
        )
    return "items of the same phase"


def _pause(phase: Mapping[str, Any]) -> Iterator[Paragraph]:
    """What was planned between a phase and the one before, what was enforced, and what passed."""
    n, pauses = phase["number"], phase["pauses"]
    if phase["delay_hours"]:
        delay = _hours(phase["delay_hours"])
        before = "after the same person had completed the one before"
        if early := pauses["n_opened_early"]:
            others = (
                "" if early == pauses["n"] else "; for everybody else the software enforced it"
            )
            yield [
                f"Phase {n} was to open no sooner than {delay} {before}. For {early:,} of"
                f" {count(pauses['n'], 'person', 'people')} a researcher opened it sooner{others}."
            ]
        elif pauses["n"]:
            yield [
                f"For everybody whose answers count, phase {n} opened no sooner than {delay}"
                f" {before}; the software enforced it."
            ]
        else:
            yield [f"Phase {n} was to open no sooner than {delay} {before}."]
    if pauses["n_known"]:
        yield [
            f"Between phases {n - 1} and {n} a median of {hours(pauses['median_hours'])} hours"
            f" passed (from {hours(pauses['min_hours'])} to {hours(pauses['max_hours'])};"
            f" {count(pauses['n_known'], 'person', 'people')})."
        ]


def _hours(delay: float) -> str:
    return f"{plain(delay)} hour{'' if delay == 1 else 's'}"
