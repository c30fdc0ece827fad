"""The tables of a label study's export: their columns, with the value of each."""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.basics.categories import SEPARATOR
from annotation.basics.cells import Cell
from annotation.core.exports.columns import Column
from annotation.kinds.exports import answer_columns
from annotation.kinds.exports.answer_columns import ADJUDICATED
from annotation.kinds.label.queries.items import ItemLabel

_JOINED = "several are parted by `|`"


def items(phases: Sequence[int], *, has_question: bool) -> list[Column]:
    """`phases` are their numbers; records are of `LabelledItem`."""
    expected = Column(
        "expected",
        "the right categories of a check, parted by `|`",
        lambda row: SEPARATOR.join(row.item.check.categories) if row.item.check else None,
    )
    return [
        *answer_columns.listed_items(expected, has_question=has_question),
        *(
            column
            for place, number in enumerate(phases)
            for column in _label(number, _nth_label(place))
        ),
    ]


def _nth_label(place: int) -> Callable[[Any], ItemLabel]:
    def label(row: Any) -> ItemLabel:
        of_phase: ItemLabel = row.labels[place]
        return of_phase

    return label


def _label(number: int, label: Callable[[Any], ItemLabel]) -> list[Column]:
    return [
        Column(
            f"n_{number}",
            f"scored answers in phase {number}, each person's first one",
            lambda row: label(row).n,
        ),
        Column(
            f"final_{number}",
            f"the label in phase {number}, as in `item_labels.tsv`",
            lambda row: SEPARATOR.join(label(row).final),
        ),
    ]


def item_labels(names: Sequence[str], *, is_several: bool) -> list[Column]:
    """`names` are those of the categories; records are of `DataSetRecord`."""
    return [
        answer_columns.shown_id(),
        *answer_columns.of_phase(),
        *answer_columns.shown_texts(),
        Column("n", "scored answers, each person's first one", lambda row: row.label.n),
        *(
            Column(f"n_{name}", f"how many of them name *{name}*", _nth_count_of_label(place))
            for place, name in enumerate(names)
        ),
        Column(
            "share",
            "share of them that are the most frequent answer; empty if none"
            + (
                ". Several categories can be one answer, so this is not how many name the label:"
                " divide the counts of the categories by `n` for that" * is_several
            ),
            lambda row: row.label.share,
        ),
        Column(
            "majority",
            "what more than half of them name" + (f"; {_JOINED}" if is_several else ""),
            lambda row: SEPARATOR.join(row.label.majority),
        ),
        Column(
            "mode",
            "the answer given most often, be it by fewer than half; empty where several tie, and"
            " if none" + (f". Several categories can be one answer; {_JOINED}" * is_several),
            lambda row: SEPARATOR.join(row.label.mode),
        ),
        Column(
            "tie",
            "`yes` where several answers are the most frequent"
            + (" and more than half name no category" * is_several)
            + ", else `no`",
            lambda row: "yes" if row.label.is_tied else "no",
        ),
        Column("adjudicated", ADJUDICATED, lambda row: SEPARATOR.join(row.label.adjudicated)),
        Column(
            "final",
            "the label: `adjudicated` where an expert decided, else "
            + ("`majority`" if is_several else "`mode`"),
            lambda row: SEPARATOR.join(row.label.final),
        ),
        *answer_columns.shown_origin(),
    ]


def _nth_count_of_label(place: int) -> Callable[[Any], Cell]:
    return lambda row: row.label.counts[place]


def judgments(*, is_several: bool) -> list[Column]:
    meaning = "the chosen category" if not is_several else f"the chosen categories; {_JOINED}"
    return answer_columns.judgments(Column("categories", meaning, lambda row: row.answer))


def command(*, has_pools: bool) -> list[Column]:
    return answer_columns.command(
        Column("categories", "as in `judgments.tsv`", lambda row: row.answer),
        has_pools=has_pools,
    )


def annotators(names: Sequence[str], *, is_several: bool) -> list[Column]:
    """`names` are those of the categories; records are of `LabelerRecord`."""
    agreement = (
        "share in common of the answer and the categories that more than half of the other"
        " annotators chose, as the mean over items"
        if is_several
        else "share of the answers that are what most of the other annotators said of the item"
    )
    return [
        *answer_columns.annotator_names(),
        *answer_columns.of_phase(),
        Column("labels", "scored answers of the main block", lambda row: row.n),
        Column(
            "agreement",
            f"{agreement}; empty if nothing can be compared",
            lambda row: row.agreement,
        ),
        Column(
            "compared",
            "answers that were compared: of a few, `agreement` says little",
            lambda row: row.n_compared,
        ),
        Column(
            "left_out",
            "answers about items to which the others give no label",
            lambda row: row.n_left_out,
        ),
        *(
            Column(f"n_{name}", f"answers that name *{name}*", _nth_count(place))
            for place, name in enumerate(names)
        ),
    ]


def _nth_count(place: int) -> Callable[[Any], Cell]:
    return lambda row: row.counts[place]


def repeats() -> list[Column]:
    """Records are of `RepeatRecord`."""
    return answer_columns.counted(
        lambda row: row.repeat,
        Column("categories", "what the person said this time", lambda row: row.repeat.answer),
        Column(
            "categories_before",
            "what the same person had said in the main block",
            lambda row: row.before,
        ),
        Column("answers_between", "in the same phase, between the two", lambda row: row.n_between),
    )
