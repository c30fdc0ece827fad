"""The paragraphs of a release's methods about measures, leaderboards and trained models."""

from collections.abc import Iterator

from annotation.baselines.exports.baselines import StoredMeasures
from annotation.core.exports.figures import count
from annotation.core.exports.prose import Paragraph, Part, Plain
from annotation.models import BaselineReport

_KINDS = {"bi_encoder": "bi-encoder", "cross_encoder": "cross-encoder"}


def paragraph(measures: StoredMeasures) -> list[Paragraph]:
    """Paragraphs about the measures in the release's files; empty if there are none."""
    reports = {report.pk: report for report, _number in measures.leaderboards()}
    paragraphs: list[Paragraph] = []
    if labels := next(filter(None, map(_labels, reports.values())), None):
        paragraphs.append(labels)
    paragraphs += map(_leaderboard, reports.values())
    paragraphs += _trainings(measures)
    return paragraphs


def _labels(report: BaselineReport) -> Paragraph | None:
    """A sentence about labels that come from people's answers; None for labels in a column."""
    pairs = report.figures["subsets"][0].get("labelled_pairs")
    is_column = report.parameters["options"]["people"]["from"] == "column"
    if pairs is None or is_column:
        return None
    return [
        "An item's label is its most frequent rating. An item has no label if several ratings tie:"
        f" {pairs['n_labelled']:,} of {count(pairs['n'], 'item')} have a label."
    ]


def _leaderboard(report: BaselineReport) -> Paragraph:
    options, figures = report.parameters["options"], report.figures["subsets"][0]
    name = Plain(report.parameters["people"])
    is_column = options["people"]["from"] == "column"
    people: list[Part] = ["the column ", name, " of the items"] if is_column else ["the ", name]
    sentence: list[Part] = [
        f"{count(len(report.parameters['measures']), 'measure')} of the similarity of two texts"
        f" {'was' if len(report.parameters['measures']) == 1 else 'were'} correlated (Pearson,"
        " Spearman, Kendall's tau-b) with ",
        *people,
        f", over {count(figures['n_items'] - figures['n_unscored'], 'item')}",
    ]
    if where := " ".join(options.get("where", "").split()):
        sentence += [" that fulfil this condition: ", Plain(where)]
    parts = [*options.get("by", []), *filter(None, [options.get("expression", "").strip()])]
    if parts:
        sentence += [" and over their parts by ", Plain(", ".join(parts))]
    return [*sentence, "."]


def _trainings(measures: StoredMeasures) -> Iterator[Paragraph]:
    for trained in measures.study.trainings.order_by("pk"):
        n_runs = trained.figures["settings"]["runs"]
        yield [
            f"A {_KINDS.get(trained.kind, trained.kind)}, ",
            Plain(trained.name),
            f", was trained on {count(trained.figures['n_train'], 'pair')} in"
            f" {count(n_runs, 'run')}, starting from ",
            Plain(trained.model),
            ".",
        ]
