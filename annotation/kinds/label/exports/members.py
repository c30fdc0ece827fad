"""The members of a label study's export."""

from typing import Any

from annotation.core.exports.members import Archive
from annotation.core.queries import counted_answers
from annotation.kinds.exports import adjudication_table, answer_columns
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.label.exports import columns
from annotation.kinds.label.exports.readme import Contents, readme
from annotation.kinds.label.queries import annotator_models
from annotation.kinds.label.queries import exporting as label_exporting
from annotation.kinds.label.queries.exporting import LabelledItems, LabelledStudy, LabelRecords
from annotation.kinds.queries import answer_records, item_records
from annotation.kinds.rating.queries.facts import pair_facts


def write(archive: Archive, options: ExportOptions) -> dict[str, Any]:
    """Write the files that only such a study has; returns the study as one JSON object."""
    design, population = archive.design, archive.population
    labelled = LabelledStudy.of(archive.study, design, population)
    categories, phases = labelled.read.categories, labelled.read.phases
    names, is_several = categories.names, categories.is_several
    note = counted_answers.note_of(archive.study, population)
    has_question = item_records.has_question(archive.study)
    contents = Contents(
        title=archive.study.title,
        population=population,
        categories=categories,
        n_sentences=options.context_sentences,
        phases=[
            (p.number, p.phase.condition, answer_records.has_pools(labelled, p)) for p in phases
        ],
        has_question=has_question,
        spreadsheet=archive.spreadsheet,
        note=note,
    )
    archive.readme(
        readme(contents, more=[*adjudication_table.sections(archive), *archive.further_sections()])
    )
    archive.progress(0.2, "items.tsv")
    items = LabelledItems(labelled, n_sentences=options.context_sentences)
    header = columns.items([p.number for p in phases], has_question=has_question)
    archive.table("items.tsv", header, items)
    archive.table(
        "item_labels.tsv",
        columns.item_labels(names, is_several=is_several),
        items.data_set(),
    )
    if not is_several:
        archive.table(
            "soft_labels.tsv",
            columns.soft_labels(names),
            annotator_models.soft_labels(labelled.read, labelled.models),
        )
    archive.table(
        "annotators.tsv",
        columns.annotators(names, is_several=is_several),
        label_exporting.labeler_records(labelled),
    )
    archive.table("phases.tsv", answer_columns.phases(), answer_records.phase_records(labelled))
    judgments = LabelRecords(labelled)
    archive.table(
        "judgments.tsv",
        columns.judgments(is_several=is_several),
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
            f"labels_{phase.number}.tsv",
            columns.command(has_pools=answer_records.has_pools(labelled, phase)),
            answer_records.main_and_repeats(labelled, phase),
        )
    archive.table("repeats.tsv", columns.repeats(), label_exporting.repeat_records(labelled))
    archive.table(
        "surplus.tsv",
        columns.judgments(is_several=is_several),
        LabelRecords(labelled, is_surplus_only=True),
    )
    adjudication_table.write(archive)
    return pair_facts(
        labelled,
        {"categories": categories.as_json},
        {"export": {"context_sentences": options.context_sentences}},
        n_asked=int(labelled.labels.is_asked.sum()),
        by_status=judgments.by_status,
        note=note,
    )
