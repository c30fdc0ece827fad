"""The tables of a selection study: their columns, with the value of each, and the README."""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.basics.cells import iso
from annotation.core.exports.columns import (
    OF_PLATFORMS,
    Column,
    opening,
    section,
)
from annotation.core.queries import comments
from annotation.core.queries.counted_answers import Population
from annotation.core.queries.run_status import STATUSES
from annotation.kinds.rating.queries.later_tests import TrainingSplit
from annotation.kinds.selection.queries.pick_rows import PickRecord, SelectionRecord

_ROLES = {
    "similar": "most similar to the summary's sentence",
    "middle": "in between",
    "dissimilar": "least similar",
}


def _whose(answer_of: Callable[[Any], SelectionRecord]) -> list[Column]:
    """Who gave an answer, and where; `answer_of` is the answer of a record."""
    statuses = "; ".join(f"`{status}`: {meaning}" for status, meaning in STATUSES.items())
    return [
        Column(
            "annotator",
            "pseudonym, drawn at random; the same person in every row",
            lambda row: answer_of(row).pseudonym,
        ),
        Column("source", "`real` or `simulated`", lambda row: answer_of(row).source),
        Column("booklet", "number of the booklet", lambda row: answer_of(row).booklet),
        Column(
            "screen",
            "number of the screen in the booklet, from 1",
            lambda row: answer_of(row).screen,
        ),
        Column("status", statuses, lambda row: answer_of(row).status),
    ]


def _times(answer_of: Callable[[Any], SelectionRecord]) -> list[Column]:
    return [
        Column(
            "shown_at",
            "when the screen was shown: ISO 8601, UTC, milliseconds",
            lambda row: iso(answer_of(row).shown_at),
        ),
        Column(
            "answered_at",
            "when the answer was stored, by the server's clock",
            lambda row: iso(answer_of(row).answered_at),
        ),
        Column(
            "active_ms",
            "milliseconds in which the page was in use, as the browser counted them; empty if"
            " it did not",
            lambda row: answer_of(row).active_ms,
        ),
    ]


def judgments() -> list[Column]:
    """The columns of `SelectionRecord`."""
    return [
        *_whose(_itself),
        Column("incident", "id of the incident", lambda row: row.summary_sentence.incident),
        Column(
            "summary_sentence",
            "place of the sentence in its summary, from 1",
            lambda row: row.summary_sentence.position,
        ),
        *(column for role, meaning in _ROLES.items() for column in _of_role(role, meaning)),
        *_times(_itself),
        Column("comment", comments.IN_A_TABLE, lambda row: row.comment),
        Column(
            "superseded_at",
            "when a later answer took this one's place; empty if none did",
            lambda row: iso(row.superseded_at),
        ),
    ]


def _of_role(role: str, meaning: str) -> list[Column]:
    return [
        Column(
            role,
            f"the sentence chosen as {meaning}: id of its report, colon, place",
            lambda row: row.chosen[role].place,
        ),
        Column(
            f"{role}_rating",
            "the rating given to it",
            lambda row: row.chosen[role].written_rating,
            is_number=True,
        ),
    ]


def _itself(row: SelectionRecord) -> SelectionRecord:
    return row


def _answer(row: PickRecord) -> SelectionRecord:
    return row.answer


def picks() -> list[Column]:
    """The columns of `PickRecord`."""
    return [
        Column("incident", "id of the incident", lambda row: row.answer.summary_sentence.incident),
        Column(
            "summary_sentence",
            "place of the sentence in its summary, from 1",
            lambda row: row.answer.summary_sentence.position,
        ),
        Column("summary_text", "that sentence", lambda row: row.answer.summary_sentence.text),
        Column(
            "role",
            "; ".join(f"`{role}`: {meaning}" for role, meaning in _ROLES.items()),
            lambda row: row.pick.role,
        ),
        Column(
            "report",
            "id of the report that the chosen sentence stands in",
            lambda row: row.pick.sentence.document,
        ),
        Column(
            "report_sentence",
            "its place in the report, from 1",
            lambda row: row.pick.sentence.position,
        ),
        Column("report_text", "the chosen sentence", lambda row: row.pick.sentence.text),
        Column(
            "rating",
            "how alike both are, in the eyes of whoever chose",
            lambda row: row.pick.written_rating,
            is_number=True,
        ),
        *_whose(_answer),
        *_times(_answer),
    ]


def train() -> list[Column]:
    """The columns of `TrainingPair`, whose fields have the same names."""
    return [
        Column("text1", "the sentence of the summary", lambda row: row.text1),
        Column("text2", "the sentence of a report", lambda row: row.text2),
        Column(
            "rating",
            "how alike both are, by the person who chose the pair; who chose it as well has a row"
            " of their own",
            lambda row: row.rating,
            is_number=True,
        ),
        Column(
            "intended_class",
            "the role that it was chosen for, as in `picks.tsv`",
            lambda row: row.intended_class,
        ),
        Column("incident", "id of the incident", lambda row: row.incident),
        Column(
            "summary_sentence",
            "place of the first text in its summary, from 1",
            lambda row: row.summary_sentence,
        ),
        Column(
            "report", "id of the report that the second text stands in", lambda row: row.report
        ),
        Column("report_sentence", "its place there, from 1", lambda row: row.report_sentence),
        Column("annotator", "pseudonym of whoever chose the pair", lambda row: row.annotator),
    ]


def _held_out(parted: TrainingSplit, owner_id: int) -> str:
    """How many pairs are left out of the training data, and why."""
    n = len(parted.held_out)
    if not n:
        return "No later round asks about a pair of this study, so this file has no rows."
    named = ", ".join(f"“{' '.join(title.split())}”" for title in parted.titles(owner_id))
    n_all = n + len(parted.train)
    return (
        f"{n:,} of the {n_all:,} pairs of the counted answers, with the one rating that they have"
        " here. A later round of this study"
        + (f" ({named})" if named else "")
        + " asks about them, so they test: a model that was trained on them would know the"
        " answers. A later round that asked for one rating of each pair, and that a further round"
        " of ratings took its pairs from, only prepared the further one: its other pairs stay"
        " training data."
        " Pairs count as the same whatever the order of their texts, capitals and white space."
        " `judgments.tsv` and `picks.tsv` hold every answer, also these: do not train on them."
    )


def readme(
    *,
    title: str,
    population: Population,
    spreadsheet: bool,
    note: str,
    parted: TrainingSplit,
    owner_id: int,
    more: Sequence[str] = (),
) -> str:
    """`README.md` of an export: every file, every column; `more` are sections of other files."""
    n_held_out = len(parted.held_out)
    parts = [
        *opening(
            title,
            "A selection study, exported from Likeness: for every sentence of a summary somebody"
            " chose three sentences of the reports that it was made from, and rated them.",
            population=population,
            note=note,
            spreadsheet=spreadsheet,
        ),
        section(
            "judgments.tsv",
            "Every answer, in the order of storing. Answers of somebody who withdrew are gone;"
            f" `study.json` says how many there were. {OF_PLATFORMS}",
            judgments(),
        ),
        section("picks.tsv", "The same answers, a row for each chosen sentence.", picks()),
        section(
            "train.tsv",
            "The pairs of the counted answers, as training data"
            + (
                f", without the {n_held_out:,} that a later round tests: `held_out.tsv` has them."
                if n_held_out
                else "."
            )
            + (
                " There is none left: later rounds test all pairs of this study."
                if n_held_out and not len(parted.train)
                else ""
            ),
            train(),
        ),
        "## train_n1.tsv, train_n2.tsv\n\n"
        "Those pairs of `train.tsv` whose rating is at most 1, or 2, from what its class leads to"
        " expect: the upper end of the scale for `similar`, its middle for `middle`, its lower end"
        " for `dissimilar`. The filters N1 and N2 of the Czech study.\n",
        section("held_out.tsv", _held_out(parted, owner_id), train()),
        *more,
        "## study.json\n\n"
        "One object: `exported_at`; `population`; `note`; `study` (title, language, the question,"
        " the scale, instructions); `design` (seed, parameters, certificate, code version);"
        " `counts`; `result` and `statistics` (ratings by class and by set of pairs, once they"
        " were computed); `versions`.\n",
        "## SHA256SUMS\n\n"
        "Check sums of the other files: `sha256sum -c SHA256SUMS`. Two exports of the same data"
        " are the same, byte by byte, except for `exported_at` and so for the sum of"
        " `study.json`.\n",
    ]
    return "\n".join(parts)
