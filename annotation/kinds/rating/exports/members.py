"""The members of a rating study's export."""

from dataclasses import replace
from typing import Any

import numpy as np

from annotation.core.exports.members import Archive
from annotation.core.queries import counted_answers
from annotation.kinds.exports import adjudication_table, answer_columns
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.exports.result_tables import CurrentResult
from annotation.kinds.queries import answer_records, item_records
from annotation.kinds.rating.exports import columns, items_latex
from annotation.kinds.rating.exports.readme import Contents, readme
from annotation.kinds.rating.exports.tables import tables_of
from annotation.kinds.rating.queries import context_plots
from annotation.kinds.rating.queries import exporting as rating_exporting
from annotation.kinds.rating.queries import texts as rating_texts
from annotation.kinds.rating.queries.answers import PhaseRatings
from annotation.kinds.rating.queries.exporting import RatedStudy, RatingRecords
from annotation.kinds.rating.queries.facts import rating_facts
from annotation.kinds.rating.queries.texts import RatedItems
from annotation.models import Phase
from scoring.arrays import BoolArray

_NAMES = {Phase.Condition.FREE.value: "free", Phase.Condition.DEPENDENT.value: "dependent"}


def write(archive: Archive, options: ExportOptions) -> dict[str, Any]:
    """Write the files that only such a study has; returns the study as one JSON object."""
    design, population = archive.design, archive.population
    rated = RatedStudy.of(archive.study, design, population)
    phases = rated.read.phases
    has_effects = rated.read.conditions() is not None
    has_question = item_records.has_question(archive.study)
    if options.test == "auto":
        options = replace(options, test=rated.options.test)
    is_significant = rated.figures.is_significant(
        options.test, options.level, corrected=options.corrected
    )
    note = counted_answers.note_of(archive.study, population)
    contents = Contents(
        title=archive.study.title,
        population=population,
        scale=rated.read.scale,
        phases=[
            (
                p.number,
                p.phase.condition,
                rating_exporting.has_times(p),
                answer_records.has_pools(rated, p),
            )
            for p in phases
        ],
        has_effects=has_effects,
        has_question=has_question,
        n_significant=int(is_significant.sum()),
        options=options,
        scoring=rated.options,
        spreadsheet=archive.spreadsheet,
        note=note,
    )
    result = CurrentResult.of(archive, tables_of, context_plots.every_plot)
    archive.readme(
        readme(
            contents,
            more=[
                *result.sections(),
                *adjudication_table.sections(archive),
                *archive.further_sections(),
            ],
        )
    )
    archive.progress(0.2, "items.tsv")
    items = RatedItems(rated, n_sentences=options.context_sentences)
    archive.table(
        "items.tsv",
        columns.items(
            [p.number for p in phases],
            has_effects=has_effects,
            has_question=has_question,
            options=rated.options,
        ),
        items,
    )
    archive.member(items_latex.NAME, items_latex.latex(rated, items.shown))
    _write_tests(
        archive,
        rated,
        items,
        is_significant if has_effects else None,
        has_question=has_question,
    )
    archive.table("annotators.tsv", columns.annotators(), rating_exporting.rater_records(rated))
    archive.table("phases.tsv", answer_columns.phases(), answer_records.phase_records(rated))
    judgments = RatingRecords(rated)
    archive.table(
        "judgments.tsv",
        columns.judgments(),
        archive.watched(
            judgments,
            counted_answers.judgments_of(design, population).count(),
            "judgments.tsv",
            0.4,
            0.9,
        ),
    )
    for phase in phases:
        archive.table(
            f"ratings_{phase.number}.tsv",
            columns.command(
                has_times=rating_exporting.has_times(phase),
                has_pools=answer_records.has_pools(rated, phase),
            ),
            answer_records.main_and_repeats(rated, phase),
        )
    archive.table(
        "calibration.tsv", columns.calibration(), rating_exporting.calibration_records(rated)
    )
    archive.table("repeats.tsv", columns.repeats(), rating_exporting.repeat_records(rated))
    archive.table("surplus.tsv", columns.judgments(), RatingRecords(rated, is_surplus_only=True))
    result.write(archive)
    adjudication_table.write(archive)
    return rating_facts(rated, options.as_dict(), judgments.by_status, note)


def _write_tests(
    archive: Archive,
    rated: RatedStudy,
    items: RatedItems,
    is_significant: BoolArray | None,
    *,
    has_question: bool,
) -> None:
    """The data set under each condition that the design has: the first phase of each."""
    first: dict[str, PhaseRatings] = {}
    for phase in rated.read.phases:
        first.setdefault(phase.phase.condition, phase)
    conditions = [(name, first[c]) for c, name in _NAMES.items() if c in first]
    # Asked for under either condition: so the rows of both files are the same items.
    is_asked: BoolArray = np.zeros(len(rated.read.items.pks), dtype=np.bool_)
    for phase in first.values():
        is_asked |= phase.is_asked
    sets = [("test", is_asked)]
    if is_significant is not None:
        sets.append(("test_significant", is_significant))
    for prefix, is_kept in sets:
        for name, phase in conditions:
            archive.table(
                f"{prefix}_{name}.tsv",
                columns.test(has_question=has_question, has_majority=rated.read.scale.is_worded),
                rating_texts.test_set(rated, phase, items, is_kept=is_kept),
            )
