"""The members of a best-worst study's export."""

from typing import Any

from django.utils import translation

from annotation.core.exports.members import Archive
from annotation.core.queries import counted_answers, relabellings
from annotation.kinds.best_worst.exports import columns, readme
from annotation.kinds.best_worst.exports import tables as best_worst_tables
from annotation.kinds.best_worst.queries import answers, exporting
from annotation.kinds.queries.study_facts import Facts, current_result, study_facts


def write(archive: Archive) -> dict[str, Any]:
    """Write the files that only such a study has; returns the study as one JSON object."""
    design, population = archive.design, archive.population
    table = answers.tuple_table(design)
    size = table.tuples.shape[1]
    note = counted_answers.note_of(archive.study, population)
    judgments = exporting.JudgmentRecords(design, population, table)
    result = current_result(design, population)
    # Sources may have been relabelled since.
    is_current = result is not None and not relabellings.is_relabelled_since(result)
    statistics = result.statistics if result and is_current else None

    archive.readme(
        readme.readme(
            title=archive.study.title,
            population=population,
            size=size,
            spreadsheet=archive.spreadsheet,
            note=note,
            more=[
                *best_worst_tables.sections(statistics),
                *archive.further_sections(),
            ],
        )
    )
    counts = answers.item_counts(design, population, table=table)
    archive.table(
        "items.tsv", columns.items(), exporting.item_records(archive.study, counts, result)
    )
    archive.table("tuples.tsv", columns.tuples(size), exporting.tuple_records(design, table))
    archive.table(
        "annotators.tsv",
        columns.annotators(),
        exporting.annotator_records(design, population, result),
    )
    n_answers = counted_answers.judgments_of(design, population).count()
    archive.table(
        "judgments.tsv",
        columns.judgments(),
        archive.watched(judgments, n_answers, "judgments.tsv", 0.1, 0.7),
    )
    archive.table(
        "annotations_nrc.csv",
        columns.nrc(size),
        archive.watched(
            exporting.counted_records(design, population, table),
            n_answers,
            "annotations_nrc.csv",
            0.7,
            1.0,
        ),
        delimiter=",",
    )
    if statistics:
        with translation.override("en"):
            best_worst_tables.write(archive, statistics)
    return study_facts(Facts(archive.study, design, population, table, judgments.by_status, note))
