"""The columns that the tables of rating and of label studies have in common."""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.basics.cells import Cell, as_json, iso
from annotation.core.exports.columns import Column, check_columns
from annotation.core.queries import comments
from annotation.core.queries.item_texts import Side
from annotation.core.queries.run_status import STATUSES, status_of
from annotation.core.shown_items import question_of
from annotation.kinds.rating.queries.exporting import moment
from annotation.kinds.rating.queries.phases import Run

CONDITION = "`context_free` (the two texts alone) or `context_dependent`"
ADJUDICATED = (
    "what an expert decided, with the reason in `adjudications.tsv`; empty where nobody decided"
)
_OF_CONTEXTS = (
    "of the contexts, two different ones both named; where they say nothing, what the file said of"
    " the item"
)
_SENTENCE = (
    "the rated sentence between `<sent>` and `</sent>`, with the sentences around it; a text"
    " without context stands alone between the marks"
)
# Answers of a booklet with two phases count phase by phase.
_UNFINISHED = "its annotator has not completed the phase (yet); not scored"


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
        Column("id", "the item's id, as imported", lambda row: row.item.texts.key),
        Column(
            "pool",
            "the pool of the item: `all`, or the group that the file named",
            lambda row: row.item.texts.pool,
        ),
        Column(
            "group",
            "what its contexts belong to (an incident), or the named group",
            lambda row: row.item.texts.group,
        ),
        Column("domain", _OF_CONTEXTS, lambda row: row.item.domain),
        Column("source", _OF_CONTEXTS, lambda row: row.item.source),
        *([question(lambda row: question_of(row.item.texts.metadata))] if has_question else []),
        Column("target", "the first text", lambda row: row.item.texts.target.text),
        Column("candidate", "the second text", lambda row: row.item.texts.candidate.text),
        *_context("target", "first", lambda row: row.item.texts.target),
        *_context("candidate", "second", lambda row: row.item.texts.candidate),
        Column(
            "intended_class",
            "as imported; empty if the file did not say",
            lambda row: row.item.intended_class,
        ),
        expected,
        *check_columns(lambda row: row.item.check),
        *earlier,
        Column(
            "block",
            "`main` if a main block asks for it: only then it is data",
            lambda row: "main" if row.item.is_asked else "",
        ),
        Column(
            "metadata",
            "what else the imported file said of the item, as JSON",
            lambda row: as_json(row.item.metadata) if row.item.metadata else "",
        ),
    ]


def question(value: Callable[[Any], Cell]) -> Column:
    return Column(
        "question",
        "as imported: what stood above the texts; empty if the file did not say",
        value,
    )


def _context(name: str, which: str, side: Callable[[Any], Side]) -> list[Column]:
    return [
        Column(
            f"{name}_context",
            f"id of the {which} text's context; empty without one",
            lambda row: side(row).context,
        ),
        Column(
            f"{name}_context_json",
            "its turns, in order: `[{speaker, text}]`",
            lambda row: side(row).turns_as_json,
        ),
        Column(
            f"{name}_position",
            "place of the text among them, from 1",
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
        Column("context_1", _SENTENCE, lambda row: row.shown.contexts[0]),
        Column("context_2", "the same of the second text", lambda row: row.shown.contexts[1]),
    ]


def shown_origin() -> list[Column]:
    return [
        Column("intended_class", "as imported", lambda row: row.shown.intended_class),
        Column("domain", _OF_CONTEXTS, lambda row: row.shown.domain),
        Column("source", _OF_CONTEXTS, lambda row: row.shown.source),
        Column("group", "what the contexts belong to", lambda row: row.shown.group),
    ]


# -- Answers ------------------------------------------------------------------------------------


def judgments(answer: Column) -> list[Column]:
    """Every stored answer; `answer` is what it says."""
    statuses = "; ".join(f"`{status}`: {meaning}" for status, meaning in _statuses().items())
    return [
        Column(
            "annotator",
            "pseudonym, drawn at random; the same person in every row",
            lambda row: row.pseudonym,
        ),
        Column(
            "source",
            "`real`, `imported` (from a file of existing answers) or `simulated`",
            lambda row: row.source,
        ),
        Column("status", statuses, lambda row: row.status),
        *of_phase(),
        Column(
            "block",
            "`main`; `calibration` and `repeat` are in no score, whatever the status",
            lambda row: row.block,
        ),
        Column("booklet", "number of the booklet", lambda row: row.booklet),
        Column("screen", "number of the screen in the phase, from 1", lambda row: row.screen),
        Column(
            "position", "place of the question on the screen, from 1", lambda row: row.position
        ),
        Column("item", "id of the item", lambda row: row.item),
        answer,
        Column(
            "order",
            "place among the person's scored answers of the phase, calibration included, from 0:"
            " how many annotations had been made before; empty if not scored",
            lambda row: row.order,
        ),
        Column(
            "shown_at",
            "when the screen was shown: ISO 8601, UTC, milliseconds",
            lambda row: iso(row.shown_at),
        ),
        Column(
            "answered_at",
            "when the answer was stored, by the server's clock",
            lambda row: iso(row.answered_at),
        ),
        Column(
            "active_ms",
            "milliseconds in which the page was in use, as the browser counted them; empty if it"
            " did not",
            lambda row: row.active_ms,
        ),
        Column("comment", comments.IN_A_TABLE, lambda row: row.comment),
        Column(
            "superseded_at",
            "when a later answer took this one's place; empty if none did",
            lambda row: iso(row.superseded_at),
        ),
    ]


def command(answer: Column, *more: Column, has_pools: bool) -> list[Column]:
    """What `python -m scoring` reads: records of `CountedAnswer`."""
    return [
        Column("annotator", "pseudonym", lambda row: row.pseudonym),
        Column("unit", "id of the item", lambda row: row.item),
        answer,
        Column(
            "block",
            "`main`, or `repeat`: the person's second answer about the item, which is in no score",
            lambda row: "repeat" if row.is_repeat else "main",
        ),
        Column("order", "as in `judgments.tsv`", lambda row: row.order),
        *more,
        *(
            [
                Column(
                    "pool",
                    "as in `items.tsv`: whole pools are left out in turn for the intervals",
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
            "pseudonym, as in `judgments.tsv`",
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
            "as in `judgments.tsv`",
            lambda row: moment(answer_of(row).answered_at),
        ),
    ]


# -- People -------------------------------------------------------------------------------------


def annotator_names() -> list[Column]:
    return [
        Column("annotator", "pseudonym, as in `judgments.tsv`", lambda row: row.pseudonym),
        Column("source", "`real`, `imported` or `simulated`", lambda row: row.source),
    ]


def phases() -> list[Column]:
    """Everybody's way through the phases: records are of `Run`."""
    return [
        Column(
            "annotator",
            "pseudonym, as in `judgments.tsv`",
            lambda row: row.run.assignment.annotator.pseudonym,
        ),
        Column(
            "source",
            "`real`, `imported` or `simulated`",
            lambda row: row.run.assignment.annotator.source,
        ),
        Column("booklet", "number of the booklet", lambda row: row.run.assignment.booklet.number),
        Column("phase", "number of the phase", lambda row: row.run.phase.number),
        Column("condition", CONDITION, lambda row: row.run.phase.condition),
        Column(
            "opens_at",
            "from when on it could be begun: ISO 8601, UTC, milliseconds",
            lambda row: iso(row.run.opens_at),
        ),
        Column(
            "closes_at",
            "from when on it could no longer be begun; empty if never",
            lambda row: iso(row.run.closes_at),
        ),
        Column(
            "began_at",
            "when the first screen was shown that was then answered; of imported answers the first"
            " answer",
            lambda row: iso(row.began_at),
        ),
        Column(
            "completed_at",
            "when it was sent; empty if it was not",
            lambda row: iso(row.run.completed_at),
        ),
        Column(
            "gap_hours",
            "actual gap: hours from `completed_at` of the person's phase before to `began_at`",
            lambda row: row.gap_hours,
        ),
        Column("planned_delay_hours", "what the design asks for", _planned_hours),
        Column(
            "opened_early",
            "`yes` if a researcher opened it before its time; else `no`, also where it was opened"
            " once more after it had closed",
            lambda row: "yes" if row.is_opened_early else "no",
        ),
        Column(
            "reason",
            "why it was opened by hand, in the researcher's words; of simulated people, whose"
            " pauses are left out, a sentence that says so, while `opened_early` is `no`",
            lambda row: row.run.reason,
        ),
        Column(
            "status",
            "; ".join(
                f"`{status}`: {meaning}"
                for status, meaning in _statuses().items()
                if status != "superseded"
            ),
            lambda row: status_of(row.status, is_excluded=row.is_excluded),
        ),
    ]


def _planned_hours(row: Run) -> float | None:
    delay = row.run.phase.delay
    return None if delay is None else delay.total_seconds() / 3600


def _statuses() -> dict[str, str]:
    return {**STATUSES, "unfinished": _UNFINISHED}
