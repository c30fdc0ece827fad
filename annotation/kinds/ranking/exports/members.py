"""The members of a ranking study's export."""

from typing import Any

from annotation.core.exports.members import Archive
from annotation.core.queries import counted_answers
from annotation.kinds.best_worst.exports.columns import tuples
from annotation.kinds.best_worst.queries.exporting import annotator_records, tuple_records
from annotation.kinds.exports.result_tables import CurrentResult
from annotation.kinds.queries.study_facts import Facts, current_result, study_facts
from annotation.kinds.ranking.exports import columns
from annotation.kinds.ranking.exports.tables import tables_of
from annotation.kinds.ranking.queries import exporting
from annotation.kinds.ranking.queries.answers import orders_arrays
from annotation.kinds.ranking.queries.plots import every_plot
from annotation.models.kinds import QuestionKind


def write(archive: Archive) -> dict[str, Any]:
    """Write the files that only such a study has; returns the study as one JSON object."""
    study, design, population = archive.study, archive.design, archive.population
    read = orders_arrays(design, population)
    table = read.table
    note = counted_answers.note_of(study, population)
    result = current_result(design, population)
    tables = CurrentResult.of(archive, tables_of, every_plot)
    size = table.tuples.shape[1]
    archive.readme(
        columns.readme(
            title=study.title,
            population=population,
            size=size,
            spreadsheet=archive.spreadsheet,
            note=note,
            more=[*tables.sections(), *archive.further_sections()],
        )
    )
    archive.table(
        "items.tsv", columns.items(), exporting.item_records(study, read.best_worst, result)
    )
    archive.table("tuples.tsv", tuples(size), tuple_records(design, table))
    archive.table(
        "annotators.tsv",
        columns.annotators(),
        annotator_records(design, population, result, kind=QuestionKind.RANKING),
    )
    judgments = exporting.JudgmentRecords(design, population, table)
    n_answers = counted_answers.judgments_of(design, population).count()
    archive.table(
        "judgments.tsv",
        columns.judgments(),
        archive.watched(judgments, n_answers, "judgments.tsv", 0.1, 1.0),
    )
    tables.write(archive)
    facts = study_facts(Facts(study, design, population, table, judgments.by_status, note))
    facts["study"]["rating_question"] = study.rating_question
    return facts
