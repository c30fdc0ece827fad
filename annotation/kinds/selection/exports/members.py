"""The members of a selection study's export."""

from typing import Any

from annotation.basics import clock
from annotation.basics.cells import iso
from annotation.core.exports.members import Archive
from annotation.core.queries import counted_answers
from annotation.kinds.exports.result_tables import CurrentResult
from annotation.kinds.queries.study_facts import (
    design_facts,
    latest_statistics,
    n_annotators,
    versions,
)
from annotation.kinds.rating.queries import later_tests
from annotation.kinds.rating.queries.later_tests import TrainingSplit
from annotation.kinds.selection.exports import columns
from annotation.kinds.selection.exports.tables import tables_of
from annotation.kinds.selection.queries import figures
from annotation.kinds.selection.queries.pick_rows import SelectionRows, training_pairs
from annotation.models import Question


def write(archive: Archive) -> dict[str, Any]:
    """Write the files that only such a study has; returns the study as one JSON object."""
    design, population = archive.design, archive.population
    note = counted_answers.other_population_only(archive.study, population)
    selections = SelectionRows(design, population)
    parted = later_tests.split(archive.study, training_pairs(selections))
    result = CurrentResult.of(archive, tables_of, figures.every_plot)
    text = columns.readme(
        title=archive.study.title,
        population=population,
        spreadsheet=archive.spreadsheet,
        note=note,
        parted=parted,
        owner_id=archive.study.owner_id,
        more=[*result.sections(), *archive.further_sections()],
    )
    archive.readme(text)
    n_answers = counted_answers.judgments_of(design, population).count()
    archive.table(
        "judgments.tsv",
        columns.judgments(),
        archive.watched(selections.judgment_records(), n_answers, "judgments.tsv", 0.1, 0.4),
    )
    archive.table(
        "picks.tsv",
        columns.picks(),
        archive.watched(selections.pick_records(), 3 * n_answers, "picks.tsv", 0.4, 0.8),
    )
    archive.table("train.tsv", columns.train(), parted.train.pairs)
    for limit in later_tests.LIMITS:
        archive.table(f"train_n{limit}.tsv", columns.train(), parted.train.within(limit))
    archive.table("held_out.tsv", columns.train(), parted.held_out.pairs)
    result.write(archive)
    return _facts(archive, selections.by_status, note, parted)


def _facts(
    archive: Archive, by_status: dict[str, int], note: str, parted: TrainingSplit
) -> dict[str, Any]:
    """The study as one JSON object. Nobody's name: not the annotators', not the researcher's."""
    study, design = archive.study, archive.design
    withdrawn = counted_answers.judgments_of(design, archive.population).filter(
        withdrawn_at__isnull=False, superseded_at=None
    )
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
            "pairs": {
                "train": len(parted.train),
                # These pairs are only in `held_out.tsv`, because a later round tests on them.
                "held_out": len(parted.held_out),
            },
            "judgments": {
                "by_status": by_status,
                # Their rows are empty, and in no file.
                "withdrawn": withdrawn.count(),
            },
        },
        **latest_statistics(design, archive.population),
        "versions": versions(),
    }
