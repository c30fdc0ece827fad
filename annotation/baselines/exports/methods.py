"""What the methods say of labels, measures, leaderboards and trained models in a release."""

from collections.abc import Iterator

from annotation.baselines.exports.baselines import StoredMeasures
from annotation.core.exports.figures import count
from annotation.core.exports.prose import Paragraph, Part, Plain
from annotation.models import BaselineReport

_KINDS = {"bi_encoder": "bi-encoder", "cross_encoder": "cross-encoder"}


def paragraph(measures: StoredMeasures) -> list[Paragraph]:
    """Of what is in the files beside it; empty without any measure."""
    reports = {report.pk: report for report, _number in measures.leaderboards()}
    said: list[Paragraph] = []
    if labels := next(filter(None, map(_labels, reports.values())), None):
        said.append(labels)
    said += map(_leaderboard, reports.values())
    said += _trainings(measures)
    return said


def _labels(report: BaselineReport) -> Paragraph | None:
    """Of people's answers only: a column has the labels that it has."""
    of = report.figures["subsets"][0].get("labelled_pairs")
    is_column = report.parameters["options"]["people"]["from"] == "column"
    if of is None or is_column:
        return None
    return [
        "An item's label is its most frequent rating, and none where several ratings tie:"
        f" {of['n_labelled']:,} of {count(of['n'], 'item')} have a label."
    ]


def _leaderboard(report: BaselineReport) -> Paragraph:
    options, of = report.parameters["options"], report.figures["subsets"][0]
    name = Plain(report.parameters["people"])
    is_column = options["people"]["from"] == "column"
    people: list[Part] = ["the column ", name, " of the items"] if is_column else ["the ", name]
    said: list[Part] = [
        f"{count(len(report.parameters['measures']), 'measure')} of the similarity of two texts"
        f" {'was' if len(report.parameters['measures']) == 1 else 'were'} correlated (Pearson,"
        " Spearman, Kendall's tau-b) with ",
        *people,
        f", over {count(of['n_items'] - of['n_unscored'], 'item')}",
    ]
    if where := " ".join(options.get("where", "").split()):
        said += [" of which this is true: ", Plain(where)]
    parts = [*options.get("by", []), *filter(None, [options.get("expression", "").strip()])]
    if parts:
        said += [" and over their parts by ", Plain(", ".join(parts))]
    return [*said, "."]


def _trainings(measures: StoredMeasures) -> Iterator[Paragraph]:
    for one in measures.study.trainings.order_by("pk"):
        n_runs = one.figures["settings"]["runs"]
        yield [
            f"A {_KINDS.get(one.kind, one.kind)}, ",
            Plain(one.name),
            f", was trained on {count(one.figures['n_train'], 'pair')} in"
            f" {count(n_runs, 'run')}, starting from ",
            Plain(one.model),
            ".",
        ]
