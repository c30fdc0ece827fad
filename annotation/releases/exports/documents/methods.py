"""The methods paragraph of a paper about the study, from what was stored."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from annotation.core.exports.figures import AgreementRow, count, days, duration, number
from annotation.core.exports.prose import Paragraph, listed
from annotation.core.queries.counted_answers import NOT_COLLECTED_HERE
from annotation.kinds.contract.releases import Methods, ReleasesPart
from annotation.kinds.registry import KINDS
from annotation.models import Study

if TYPE_CHECKING:
    from annotation.releases.exports.documents.known import KnownFacts
    from annotation.releases.queries.collected import Collected

Facts = Mapping[str, Any]

# Why answers of a file were not imported, by the word that the import has for it.
_LEFT_OUT = {
    "rejected": "{n} that a requester had rejected",
    "skipped": "{n} that people had skipped",
    "unanswered": "{n} without an answer",
    "people": "those of {n} people who answered nothing",
    "machine": "{n} that a machine had given",
}

_TOO_FAST = (
    "at least three screens (or all, if there were fewer) took less than the minimum time per"
    " screen that the researchers had set"
)


def _part(facts: Facts) -> ReleasesPart:
    return KINDS[facts["study"]["kind"]].releases


def _methods(facts: Facts) -> Methods:
    return _part(facts).methods


def is_imported(facts: Facts) -> bool:
    return bool(facts["study"]["state"] == Study.State.IMPORTED)


def is_table(facts: Facts) -> bool:
    """Whether only values were imported, and no answers."""
    return is_imported(facts) and "value_columns" in facts


def asked(facts: Facts) -> list[Paragraph]:
    """What people were shown and asked; of an imported study nobody knows it here."""
    if is_imported(facts):
        return [[NOT_COLLECTED_HERE]]
    return [*_methods(facts).asked(facts)]


def annotations(facts: Facts) -> list[Paragraph]:
    """How many answers each item, or each tuple, was to get."""
    if is_imported(facts):
        return []
    return [*_methods(facts).annotations(facts)]


def reliability(facts: Facts) -> list[Paragraph]:
    """What was computed of the answers; the reason where something could not be."""
    if is_table(facts) or not _part(facts).has_reliability:
        return []
    if facts["statistics"] is None:
        return [["Reliability and agreement had not been computed when the release was made."]]
    written: list[Paragraph] = [*_methods(facts).reliability(facts)]
    if not facts["result"]["is_current"]:
        written.append(
            [
                "These figures describe an earlier state of the study: answers or items have"
                " changed since they were computed."
            ]
        )
    return written


def scoring(facts: Facts) -> list[Paragraph]:
    """How an answer becomes a score, or a label."""
    if is_table(facts):
        return []
    return [*_methods(facts).scoring(facts)]


def people(known: "KnownFacts") -> list[Paragraph]:
    """Who answered, when, for what; whom was left out."""
    collected = known.collected
    if known.is_table:
        return []
    if not collected.n_answers:
        return [["When the release was made, there were no answers that count."]]
    written: list[Paragraph] = [
        [
            f"In total, {count(collected.n_people, 'annotator')} gave"
            f" {count(collected.n_answers, 'answer')}. {_came_from(known)}".rstrip()
        ]
    ]
    if collected.began_at and collected.ended_at:
        written.append(
            [f"The answers were collected {days(collected.began_at, collected.ended_at)}."]
        )
    if collected.working.hours is not None and collected.working.median_seconds is not None:
        written.append(
            [
                f"Annotators worked {duration(collected.working.hours)} in total; the median time"
                f" per answer was {number(collected.working.median_seconds, 1)} seconds. Times"
                " include only periods in which the annotator was active on the page; they are"
                f" available for {count(collected.working.n_timed, 'answer')}."
            ]
        )
    for offer in collected.offers:
        wage = (
            f", which came to a median of {offer.median_wage} {offer.currency} an hour"
            if offer.median_wage is not None
            else ""
        )
        written.append(
            [
                f"On {offer.platform}, phase {offer.phase} was offered at {offer.reward}"
                f" {offer.currency} for an expected {offer.minutes} minutes{wage}."
            ]
        )
    if collected.n_checks:
        written.append(
            [
                f"{count(collected.n_checks, 'question')} had a known answer and"
                f" {'does' if collected.n_checks == 1 else 'do'} not count towards any score."
                + (
                    f" The mean credit for {_credited(collected)} was"
                    f" {number(collected.checks.mean)} of 1 over"
                    f" {count(collected.checks.n_people, 'person', 'people')};"
                    f" {collected.checks.n_below_half} earned less than half."
                    if collected.checks
                    else ""
                )
            ]
        )
    return [*written, *_not_scored(known)]


def _came_from(known: "KnownFacts") -> str:
    collected = known.collected
    if not known.is_of_people:
        return "The annotators were simulated: no human being answered."
    n_imported = collected.n_imported_people
    sentences = []
    if collected.ways_in:
        who = "The others" if n_imported else "They"
        sentences.append(f"{who} came through {listed(collected.ways_in)}.")
    if n_imported:
        whose = f"The answers of {count(n_imported, 'annotator')} were imported from a file."
        sentences.insert(0, whose)
    return " ".join(sentences)


def _credited(collected: "Collected") -> str:
    """The checks that give credit: one that explains its answer gives none."""
    if collected.n_credited == collected.n_checks:
        return "them"
    return f"the {collected.n_credited:,} that did not explain the answer"


def _not_scored(known: "KnownFacts") -> list[Paragraph]:
    """Whose answers are in no score, and which the imported file had besides."""
    collected = known.collected
    left_out = []
    if collected.n_excluded:
        left_out.append(f"{count(collected.n_excluded, 'annotator')} excluded by the researchers")
    if collected.n_surplus:
        left_out.append(
            f"{count(collected.n_surplus, 'annotator')} whose place was given to somebody else"
        )
    if collected.n_withdrawn:
        left_out.append(f"{count(collected.n_withdrawn, 'annotator')} who withdrew")
    written: list[Paragraph] = []
    if left_out:
        written.append([f"The answers of {listed(left_out)} are not part of any score."])
    if held := collected.held:
        # Of somebody who is held in one part the other parts may count. The minimum time may have
        # been changed since, so it is not named.
        was, they = ("was", "It was") if held.n_answers == 1 else ("were", "They were")
        written.append(
            [
                f"{count(held.n_answers, 'answer')} of {count(held.n_people, 'annotator')} {was}"
                f" set aside because {_TOO_FAST}. {they} not reviewed and"
                f" {'is' if held.n_answers == 1 else 'are'} not part of any score."
            ]
        )
    if n_let_count := collected.n_let_count:
        written.append(
            [
                f"The answers of {count(n_let_count, 'annotator')} were set aside at first because"
                f" {_TOO_FAST}. The researchers reviewed these answers and accepted them."
            ]
        )
    if not (left_out or held or known.is_imported):
        written.append(["Nobody was excluded, and nobody withdrew."])
    if of_file := left_out_of_file(collected):
        written.append([f"Other answers in the imported file were left out: {of_file}."])
    return written


def left_out_of_file(collected: "Collected") -> str:
    """How many answers of an imported file were left out, and why; empty if none were."""
    return ", ".join(
        f"{_LEFT_OUT[reason].format(n=f'{n:,}')}"
        for reason, n in collected.left_out_of_file.items()
        if n and reason in _LEFT_OUT
    )


def paragraphs(known: "KnownFacts") -> list[list[Paragraph]]:
    """All of it: sentences in paragraphs."""
    facts = known.facts
    return [
        paragraphs_of_topic
        for paragraphs_of_topic in (
            asked(facts) + annotations(facts),
            people(known),
            scoring(facts) + reliability(facts),
            known.of_measures,
        )
        if paragraphs_of_topic
    ]


def agreement_rows(facts: Facts) -> list[AgreementRow]:
    """Names, values and intervals for a table; none before anything was computed."""
    if not facts.get("statistics"):
        return []
    return _methods(facts).agreement_rows(facts)
