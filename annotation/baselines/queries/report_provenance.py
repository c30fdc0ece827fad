"""What a leaderboard was computed from, in English, for the files that leave with it."""

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from annotation.models import BaselineReport
from scoring.bootstrap import MIN_POOLS
from scoring.decimals import in_words


def stated(report: BaselineReport, *, number: int = 0) -> list[str]:
    """Sentences on people's scores, the items, the resamples and the making of one part."""
    then = report.parameters
    options: Mapping[str, Any] = then["options"]
    sentences = [
        about_people(report),
        about_items(report, number),
        _about_resamples(report, number),
    ]
    for name, n in then.get("lacking", {}).items():
        sentences.append(f"Items left out because they have no {name}: {n}.")
    for measure in then["measures"]:
        if n := (measure.get("n_trained_on") or [0] * (number + 1))[number]:
            sentences.append(f"Items left out because {measure['name']} was trained on them: {n}.")
    if (decimals := report.figures.get("decimals")) is not None:
        sentences.append(in_words(decimals))
    sentences.append(
        f"Test of the difference between two Pearson correlations: {options['test']}."
    )
    when = report.computed_at.astimezone(UTC)
    sentences.append(f"Computed {when:%Y-%m-%d %H:%M:%S} UTC by Likeness {report.code_version}.")
    return sentences


def about_people(report: BaselineReport) -> str:
    """Whose scores they are, in a sentence."""
    source = report.parameters["options"]["people"]
    people = report.parameters["people"]
    if source and source["from"] == "column":
        return f"People's scores: column {people} of the items."
    return f"People's scores: {people}; result {report.parameters['result']} of the study."


def about_items(report: BaselineReport, number: int = 0) -> str:
    """Which items of a part count, in a sentence."""
    where = " ".join(report.parameters["options"].get("where", "").split())
    subset = report.figures["subsets"][number]
    condition = "all" if not where else f"only those that fulfil this condition: {where}"
    if number:
        condition += f"; of these {subset['name']}"
    if left_out := report.parameters.get("n_left_out"):
        condition += f"; {left_out} are left out"
    n_items, n_scored = subset["n_items"], subset["n_items"] - subset["n_unscored"]
    return f"Items: {condition}; {n_scored} of {n_items} have a score from people."


def _about_resamples(report: BaselineReport, number: int) -> str:
    subset, level = report.figures["subsets"][number], 100 * report.figures["level"]
    beginning = "Intervals"
    if subset["headline"] == "within_pools":
        within = (
            f"Intervals of correlations within pools: {level:g} %, by Student's t over pools (only"
            f" with at least {MIN_POOLS} pools)."
        )
        beginning = f"{within} Intervals over all items"
    if subset["has_errors_over_pools"]:
        return (
            f"{beginning}: {level:g} %, by Fisher's transformation, with the standard error over"
            " pools."
        )
    if subset["resampled"] is None:
        return f"{beginning}: {level:g} %, by Fisher's transformation; nothing was resampled."
    return (
        f"{beginning}: {level:g} %, from {subset['n_resamples']} resamples of {subset['n_units']} "
        f"{subset['resampled']}; seed {report.parameters['seed']}."
    )


def readme(report: BaselineReport) -> str:
    """The same as a small text that stands beside the tables; each part of the items on a line."""
    lines = [f"# Leaderboard of {report.study.title}", ""]
    lines += [f"- {sentence}" for sentence in stated(report)]
    if len(report.figures["subsets"]) > 1:
        lines += ["", "## Parts of the items", ""]
        lines += [
            f"- {part['name']}: {about_items(report, n)} {_about_resamples(report, n)}"
            for n, part in enumerate(report.figures["subsets"])
        ]
    lines += ["", "## What was computed", ""]
    lines += [
        f"- {name}: {definition}" for name, definition in report.figures["definitions"].items()
    ]
    return "\n".join(lines) + "\n"
