"""The columns that the tables of rating and of label studies have in common."""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.basics.cells import Cell, as_json, iso
from annotation.core.exports.columns import (
    ACTIVE_MS,
    ANSWERED_AT,
    PSEUDONYM,
    SHOWN_AT,
    SOURCE,
    STATISTICS,
    STATUS,
    SUPERSEDED_AT,
    Column,
    check_columns,
)
from annotation.core.queries import comments
from annotation.core.queries.item_texts import Side
from annotation.core.queries.run_status import status_of
from annotation.core.shown_items import question_of
from annotation.kinds.rating.queries.exporting import moment
from annotation.kinds.rating.queries.phases import Run

# What `study.json` holds beside the study and the options of the export.
OF_STUDY_JSON = {
    "design": "the parameters and the seed from which the booklets were drawn, the phases with the"
    " planned and the actual pauses, and the certificate, which shows how balanced the design is.",
    "counts": "numbers of items, people and answers. `items` counts all rows of `items.tsv`,"
    " `items_of_the_main_block` those of the main block, and `items_adjudicated` those that an"
    " expert decided. `questions` are the questions of the design; `own_questions` are asked of"
    " one person only, such as repeats. `annotators` are the people with answers in"
    " `judgments.tsv`. In `judgments`, `by_status` counts the rows of `judgments.tsv`, and"
    " `withdrawn` the deleted answers of people who withdrew.",
    **STATISTICS,
}

CONDITION = (
    "what annotators saw in the phase: `context_free` (only the texts) or `context_dependent` (the"
    " texts in their context)"
)
ADJUDICATED = (
    "the value that an expert decided on, with the reason in `adjudications.tsv`; empty if no"
    " expert decided"
)
ABOUT_PHASES = (
    "One row for each person and phase: when the phase opened, when the person completed it, and"
    " how long the pause before it was."
)
ABOUT_SURPLUS = (
    "The rows of `judgments.tsv` with the status `surplus`. They do not count towards any score."
)
_INTENDED_CLASS = (
    "the class that the item was chosen for before anybody answered, as imported; empty if unknown"
)
_CONTEXT_TEXT = (
    "the {which} text between `<sent>` and `</sent>`, with the turns around it. A text without a"
    " context is alone between the marks"
)


def of_contexts(name: str) -> str:
    """The meaning of the column of a label that contexts have."""
    return (
        f"the {name} of the contexts; if they have none, that of the item in the imported file. If"
        " the two contexts differ, both are named"
    )


def of_phase() -> list[Column]:
    """The phase of a record."""
    return [
        Column("phase", "number of the phase", lambda row: row.phase_number),
        Column("condition", CONDITION, lambda row: row.condition),
    ]


# -- Items: records of `ListedItem`, as `item` ---------------------------------------------------


def listed_items(
    expected: Column, *, has_question: bool, earlier: Sequence[Column] = ()
) -> list[Column]:
    """Texts, contexts, and what was known of an item before anybody answered."""
    return [
        Column("id", "id of the item, as imported", lambda row: row.item.texts.key),
        Column(
            "pool",
            "the pool that the item belongs to; `all` if the items are not divided into pools",
            lambda row: row.item.texts.pool,
        ),
        Column(
            "group",
            "the incident that the contexts belong to; without one, the pool. Empty if the"
            " items are not divided into pools",
            lambda row: row.item.texts.group,
        ),
        Column("domain", of_contexts("domain"), lambda row: row.item.domain),
        Column("source", of_contexts("source"), lambda row: row.item.source),
        *([question(lambda row: question_of(row.item.texts.metadata))] if has_question else []),
        Column("target", "the first text", lambda row: row.item.texts.target.text),
        Column("candidate", "the second text", lambda row: row.item.texts.candidate.text),
        *_context("target", "first", lambda row: row.item.texts.target),
        *_context("candidate", "second", lambda row: row.item.texts.candidate),
        Column(
            "intended_class",
            _INTENDED_CLASS,
            lambda row: row.item.intended_class,
        ),
        expected,
        *check_columns(lambda row: row.item.check),
        *earlier,
        Column(
            "block",
            "`main` if the item is part of the main block; empty for calibration items and checks",
            lambda row: "main" if row.item.is_asked else "",
        ),
        Column(
            "metadata",
            "the other columns of the imported file, as JSON",
            lambda row: as_json(row.item.metadata) if row.item.metadata else "",
        ),
    ]


def question(value: Callable[[Any], Cell]) -> Column:
    return Column(
        "question",
        "the question above the two texts, as imported; empty if the file had none",
        value,
    )


def _context(name: str, which: str, side: Callable[[Any], Side]) -> list[Column]:
    return [
        Column(
            f"{name}_context",
            f"id of the context of the {which} text; empty if it has none",
            lambda row: side(row).context,
        ),
        Column(
            f"{name}_context_json",
            "the turns of this context in order, as JSON: `[{speaker, text}]`",
            lambda row: side(row).turns_as_json,
        ),
        Column(
            f"{name}_position",
            "number of the text among these turns, from 1",
            lambda row: side(row).position,
        ),
    ]


# -- Data sets: records of `ShownItem`, as `shown` -----------------------------------------------


def shown_id() -> Column:
    return Column("id", "id of the item, as in `items.tsv`", lambda row: row.shown.key)


def shown_texts() -> list[Column]:
    return [
        Column("text_1", "the first text", lambda row: row.shown.texts[0]),
        Column("text_2", "the second text", lambda row: row.shown.texts[1]),
        Column(
            "context_1", _CONTEXT_TEXT.format(which="first"), lambda row: row.shown.contexts[0]
        ),
        Column(
            "context_2", _CONTEXT_TEXT.format(which="second"), lambda row: row.shown.contexts[1]
        ),
    ]


def shown_origin() -> list[Column]:
    return [
        Column("intended_class", _INTENDED_CLASS, lambda row: row.shown.intended_class),
        Column("domain", of_contexts("domain"), lambda row: row.shown.domain),
        Column("source", of_contexts("source"), lambda row: row.shown.source),
        Column("group", "as in `items.tsv`", lambda row: row.shown.group),
    ]


# -- Answers ------------------------------------------------------------------------------------


def judgments(answer: Column) -> list[Column]:
    """Every stored answer; `answer` is what it says."""
    return [
        Column(
            "annotator",
            "the annotator's random pseudonym, the same in every file",
            lambda row: row.pseudonym,
        ),
        Column("source", SOURCE, lambda row: row.source),
        Column("status", STATUS, lambda row: row.status),
        *of_phase(),
        Column(
            "block",
            "`main`, or `calibration` or `repeat`, whose answers are not part of any score",
            lambda row: row.block,
        ),
        Column("booklet", "number of the booklet", lambda row: row.booklet),
        Column("screen", "number of the screen in the phase, from 1", lambda row: row.screen),
        Column(
            "position", "number of the question on the screen, from 1", lambda row: row.position
        ),
        Column("item", "id of the item", lambda row: row.item),
        answer,
        Column(
            "order",
            "how many counted answers the person had already given in this phase, including"
            " calibration; empty if the answer does not count",
            lambda row: row.order,
        ),
        Column(
            "shown_at",
            SHOWN_AT,
            lambda row: iso(row.shown_at),
        ),
        Column(
            "answered_at",
            ANSWERED_AT,
            lambda row: iso(row.answered_at),
        ),
        Column(
            "active_ms",
            ACTIVE_MS,
            lambda row: row.active_ms,
        ),
        Column("comment", comments.IN_A_TABLE, lambda row: row.comment),
        Column(
            "superseded_at",
            SUPERSEDED_AT,
            lambda row: iso(row.superseded_at),
        ),
    ]


def command(answer: Column, *more: Column, has_pools: bool) -> list[Column]:
    """What `python -m scoring` reads: records of `CountedAnswer`."""
    return [
        Column("annotator", PSEUDONYM, lambda row: row.pseudonym),
        Column("unit", "id of the item", lambda row: row.item),
        answer,
        Column(
            "block",
            "`main`, or `repeat` for a person's second answer about the item, which is not part of"
            " any score",
            lambda row: "repeat" if row.is_repeat else "main",
        ),
        Column("order", "as in `judgments.tsv`", lambda row: row.order),
        *more,
        *(
            [
                Column(
                    "pool",
                    "the pool of the item, as in `items.tsv`. To compute intervals, the command"
                    " leaves out one pool after another. An item without a pool stands alone: its"
                    " pool is `all: ` and its id",
                    lambda row: row.pool,
                )
            ]
            if has_pools
            else []
        ),
    ]


def counted(answer_of: Callable[[Any], Any], *columns: Column) -> list[Column]:
    """Who gave a counted answer to which item, these columns, and when it was given.

    `answer_of` a record is its `CountedAnswer`.
    """
    return [
        Column(
            "annotator",
            PSEUDONYM,
            lambda row: answer_of(row).pseudonym,
        ),
        Column("phase", "number of the phase", lambda row: answer_of(row).phase_number),
        Column("condition", CONDITION, lambda row: answer_of(row).condition),
        Column("item", "id of the item", lambda row: answer_of(row).item),
        *columns,
        Column("order", "as in `judgments.tsv`", lambda row: answer_of(row).order),
        Column("active_ms", "as in `judgments.tsv`", lambda row: answer_of(row).active_ms),
        Column(
            "answered_at",
            ANSWERED_AT,
            lambda row: moment(answer_of(row).answered_at),
        ),
    ]


# -- People -------------------------------------------------------------------------------------


def annotator_names() -> list[Column]:
    return [
        Column("annotator", PSEUDONYM, lambda row: row.pseudonym),
        Column("source", SOURCE, lambda row: row.source),
    ]


def phases() -> list[Column]:
    """Everybody's way through the phases: records are of `Run`."""
    return [
        Column(
            "annotator",
            PSEUDONYM,
            lambda row: row.run.assignment.annotator.pseudonym,
        ),
        Column(
            "source",
            SOURCE,
            lambda row: row.run.assignment.annotator.source,
        ),
        Column("booklet", "number of the booklet", lambda row: row.run.assignment.booklet.number),
        Column("phase", "number of the phase", lambda row: row.run.phase.number),
        Column("condition", CONDITION, lambda row: row.run.phase.condition),
        Column(
            "opens_at",
            "from when on the person could start the phase (ISO 8601, UTC, milliseconds)",
            lambda row: iso(row.run.opens_at),
        ),
        Column(
            "closes_at",
            "until when the person could start the phase (ISO 8601, UTC, milliseconds); empty if"
            " there was no limit",
            lambda row: iso(row.run.closes_at),
        ),
        Column(
            "began_at",
            "when the person opened the first screen of the phase; for imported answers, when the"
            " first answer was given (ISO 8601, UTC, milliseconds)",
            lambda row: iso(row.began_at),
        ),
        Column(
            "completed_at",
            "when the person completed the phase (ISO 8601, UTC, milliseconds); empty if never",
            lambda row: iso(row.run.completed_at),
        ),
        Column(
            "gap_hours",
            "the actual pause in hours: from the end of the previous phase to `began_at`",
            lambda row: row.gap_hours,
        ),
        Column("planned_delay_hours", "the planned pause in hours", _planned_hours),
        Column(
            "opened_early",
            "`yes` if a researcher opened the phase for the person before the planned pause was"
            " over, otherwise `no`",
            lambda row: "yes" if row.is_opened_early else "no",
        ),
        Column(
            "reason",
            "why a researcher opened the phase by hand, in the researcher's own words. Simulated"
            " people do not wait, and here it says so",
            lambda row: row.run.reason,
        ),
        Column(
            "status",
            "whether the person's answers of this phase count; the values are those of"
            " `judgments.tsv`, except `superseded`",
            lambda row: status_of(row.status, is_excluded=row.is_excluded),
        ),
    ]


def _planned_hours(row: Run) -> float | None:
    delay = row.run.phase.delay
    return None if delay is None else delay.total_seconds() / 3600
