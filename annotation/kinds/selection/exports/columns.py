"""The tables of a selection study: their columns, with the value of each, and the README."""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.basics.cells import iso
from annotation.core.exports.columns import (
    ABOUT_JUDGMENTS,
    ACTIVE_MS,
    ANSWERED_AT,
    SHOWN_AT,
    SOURCE,
    STATUS,
    SUMS,
    SUPERSEDED_AT,
    Column,
    about_study_json,
    opening,
    section,
    which_answers_count,
)
from annotation.core.queries import comments
from annotation.core.queries.counted_answers import Population
from annotation.kinds.rating.queries.later_tests import TrainingSplit
from annotation.kinds.selection.queries.pick_rows import PickRecord, SelectionRecord

_ROLES = {
    "similar": "most similar to the summary's sentence",
    "middle": "in between",
    "dissimilar": "least similar",
}


def _whose(answer_of: Callable[[Any], SelectionRecord]) -> list[Column]:
    """Who gave an answer, and where; `answer_of` is the answer of a record."""
    return [
        Column(
            "annotator",
            "the annotator's random pseudonym, the same in every file",
            lambda row: answer_of(row).pseudonym,
        ),
        Column("source", SOURCE, lambda row: answer_of(row).source),
        Column("booklet", "number of the booklet", lambda row: answer_of(row).booklet),
        Column(
            "screen",
            "number of the screen in the booklet, from 1",
            lambda row: answer_of(row).screen,
        ),
        Column("status", STATUS, lambda row: answer_of(row).status),
    ]


def _times(answer_of: Callable[[Any], SelectionRecord]) -> list[Column]:
    return [
        Column(
            "shown_at",
            SHOWN_AT,
            lambda row: iso(answer_of(row).shown_at),
        ),
        Column(
            "answered_at",
            ANSWERED_AT,
            lambda row: iso(answer_of(row).answered_at),
        ),
        Column(
            "active_ms",
            ACTIVE_MS,
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
            "number of the sentence in the summary of the incident, from 1",
            lambda row: row.summary_sentence.position,
        ),
        *(column for role, meaning in _ROLES.items() for column in _of_role(role, meaning)),
        *_times(_itself),
        Column("comment", comments.IN_A_TABLE, lambda row: row.comment),
        Column(
            "superseded_at",
            SUPERSEDED_AT,
            lambda row: iso(row.superseded_at),
        ),
    ]


def _of_role(role: str, meaning: str) -> list[Column]:
    return [
        Column(
            role,
            f"the report sentence chosen as {meaning}: the id of the report, a colon, and the"
            " number of the sentence",
            lambda row: row.chosen[role].place,
        ),
        Column(
            f"{role}_rating",
            "the person's rating of this sentence",
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
            "number of the sentence in the summary of the incident, from 1",
            lambda row: row.answer.summary_sentence.position,
        ),
        Column(
            "summary_text", "text of this sentence", lambda row: row.answer.summary_sentence.text
        ),
        Column(
            "role",
            "what the report sentence was chosen as: "
            + "; ".join(f"`{role}` ({meaning})" for role, meaning in _ROLES.items()),
            lambda row: row.pick.role,
        ),
        Column(
            "report",
            "id of the report that contains the chosen sentence",
            lambda row: row.pick.sentence.document,
        ),
        Column(
            "report_sentence",
            "number of the chosen sentence in the report, from 1",
            lambda row: row.pick.sentence.position,
        ),
        Column("report_text", "text of the chosen sentence", lambda row: row.pick.sentence.text),
        Column(
            "rating",
            "how similar the two sentences are, rated by the person who chose the report sentence",
            lambda row: row.pick.written_rating,
            is_number=True,
        ),
        *_whose(_answer),
        *_times(_answer),
    ]


def train() -> list[Column]:
    """The columns of `TrainingPair`, whose fields have the same names."""
    return [
        Column("text1", "sentence of the summary", lambda row: row.text1),
        Column("text2", "sentence of a report", lambda row: row.text2),
        Column(
            "rating",
            "how similar the two sentences are, rated by the person who chose the pair. If several"
            " people chose the same pair, each of them has a row",
            lambda row: row.rating,
            is_number=True,
        ),
        Column(
            "intended_class",
            "what the report sentence was chosen as; the `role` of `picks.tsv`",
            lambda row: row.intended_class,
        ),
        Column("incident", "id of the incident", lambda row: row.incident),
        Column(
            "summary_sentence",
            "number of the first text in the summary of the incident, from 1",
            lambda row: row.summary_sentence,
        ),
        Column("report", "id of the report that contains the second text", lambda row: row.report),
        Column(
            "report_sentence",
            "number of the second text in the report, from 1",
            lambda row: row.report_sentence,
        ),
        Column(
            "annotator",
            "pseudonym of the person who chose the pair",
            lambda row: row.annotator,
        ),
    ]


def _held_out(parted: TrainingSplit, owner_id: int) -> str:
    """How many pairs are left out of the training data, and why."""
    n = len(parted.held_out)
    if not n:
        return "No later round asks about pairs of this study, so this file has no rows."
    named = ", ".join(f"“{' '.join(title.split())}”" for title in parted.titles(owner_id))
    n_all = n + len(parted.train)
    return (
        f"Test data: {n:,} of the {n_all:,} pairs. A later round of this study"
        + (f" ({named})" if named else "")
        + " asks people about these pairs again. A model that was trained on them would already"
        " know the answers, so the training files do not contain them. `judgments.tsv` and"
        " `picks.tsv` contain all answers, including these pairs: do not train on those two files."
        " Two pairs count as the same even if they differ in the order of their texts, in capitals"
        " or in white space. If a later round only rated each pair once to prepare a further"
        " round, only the pairs of the further round are test data."
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
            "This is a selection study, exported from Likeness, a web application that collects"
            " human judgments of texts. For each sentence of a summary, people chose"
            " three sentences from reports about the same incident (a similar one, one in between"
            " and a dissimilar one), and rated how similar each is.",
            first="train.tsv",
            start="Open `train.tsv` first: it is the data set itself. It has one row for each"
            " chosen pair of sentences, with its rating. The other files have the details:\n\n"
            "- `train_n1.tsv`, `train_n2.tsv`: the pairs of `train.tsv` whose rating fits their"
            " class.\n"
            "- `held_out.tsv`: test data, which the training files do not contain.\n"
            "- `picks.tsv` and `judgments.tsv`: every single answer.\n"
            "- `study.json`: the question, the design and the statistics.\n\n"
            "The other sections of this README describe each file and each column.",
            words=("incident", "annotator", "booklet"),
            population=population,
            note=note,
            spreadsheet=spreadsheet,
        ),
        which_answers_count(),
        section(
            "train.tsv",
            "Training data: one row for each chosen pair, from the answers that count."
            + (
                f" Not included are the {n_held_out:,} pairs of `held_out.tsv`, which a later"
                " round tests."
                if n_held_out
                else ""
            )
            + (
                " No pair is left here, because later rounds test all pairs of this study."
                if n_held_out and not len(parted.train)
                else ""
            ),
            train(),
        ),
        "## train_n1.tsv, train_n2.tsv\n\n"
        "The pairs of `train.tsv` whose rating is at most 1 (or 2) points from the value that"
        " their class suggests. This value is the upper end of the scale for `similar`, the"
        " middle for `middle`, and the lower end for `dissimilar`. The columns are those of"
        " `train.tsv`.\n",
        section("held_out.tsv", _held_out(parted, owner_id), train()),
        section(
            "picks.tsv",
            "The answers of `judgments.tsv` with one row for each chosen sentence, and with the"
            " texts.",
            picks(),
        ),
        section(
            "judgments.tsv",
            f"{ABOUT_JUDGMENTS} One row for each sentence of a summary that a person worked on.",
            judgments(),
        ),
        *more,
        about_study_json(
            {
                "study": "title, language, the question, the scale, and the instructions.",
                "design": "the parameters and the seed from which the booklets were drawn, and the"
                " certificate, which shows how balanced the design is.",
                "counts": "numbers of incidents, people, answers and pairs.",
                "statistics": "the latest statistics (ratings by class and by set of pairs); null"
                " if none were computed.",
            }
        ),
        SUMS,
    ]
    return "\n".join(parts)
