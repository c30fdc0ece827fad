"""The members of a selection study's export."""

from typing import Any

from annotation import clock
from annotation.exports import selection_columns as columns
from annotation.exports import working_times
from annotation.exports.members import Archive
from annotation.models import Question
from annotation.queries import answers, exporting
from annotation.queries.exporting import iso
from annotation.queries.pick_rows import SelectionRows, training_pairs
from annotation.queries.study_facts import design_facts, n_annotators, versions


def write(archive: Archive) -> None:
    """Write every file but the check sums."""
    design, population = archive.design, archive.population
    note = exporting.other_population_only(archive.study, population)
    selections = SelectionRows(design, population)
    text = columns.readme(
        title=archive.study.title,
        population=population,
        spreadsheet=archive.spreadsheet,
        note=note,
        more=working_times.sections(archive),
    )
    archive.readme(text)
    n_answers = answers.judgments_of(design, population).count()
    archive.table(
        "judgments.tsv",
        columns.judgments(),
        archive.watched(selections.judgment_rows(), n_answers, "judgments.tsv", 0.1, 0.4),
    )
    archive.table(
        "picks.tsv",
        columns.picks(),
        archive.watched(selections.pick_rows(), 3 * n_answers, "picks.tsv", 0.4, 0.8),
    )
    pairs = training_pairs(selections)
    archive.table("train.tsv", columns.train(), pairs.rows)
    for limit in (1, 2):
        archive.table(f"train_n{limit}.tsv", columns.train(), pairs.within(limit))
    facts = _facts(archive, selections.by_status, note)
    archive.study_json(facts)


def _facts(archive: Archive, by_status: dict[str, int], note: str) -> dict[str, Any]:
    """The study as one JSON object. Nobody's name: not the annotators', not the researcher's."""
    study, design = archive.study, archive.design
    withdrawn = answers.judgments_of(design, archive.population).filter(withdrawn_at__isnull=False)
    return {
        "exported_at": iso(clock.now()),
        "population": archive.population,
        "note": note or None,
        "study": {
            "slug": study.slug,
            "title": study.title,
            "language": study.language,
            "kind": study.kind,
            "state": study.state,
            "preset": study.preset,
            "opened_at": iso(study.opened_at),
            "rating_question": study.rating_question,
            "scale": study.scale,
            "instructions": study.instructions,
            "comprehension": study.comprehension,
        },
        "design": design_facts(design),
        "counts": {
            "incidents": study.context_groups.count(),
            "booklets": design.booklets.count(),
            "questions": Question.objects.filter(block__phase__design=design).count(),
            "annotators": n_annotators(design, archive.population),
            "judgments": {
                "by_status": by_status,
                # Their rows are empty, and in no file.
                "withdrawn": withdrawn.count(),
            },
        },
        "versions": versions(),
    }
