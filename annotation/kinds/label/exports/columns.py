"""The tables of a label study's export: their columns, with the value of each."""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.basics.categories import SEPARATOR
from annotation.basics.cells import Cell
from annotation.core.exports.columns import Column
from annotation.kinds.exports import answer_columns
from annotation.kinds.exports.answer_columns import ADJUDICATED
from annotation.kinds.label.queries.items import ItemLabel

# Names of models in columns, and in sentences.
MODELS = {"dawid-skene": "Dawid and Skene", "mace": "MACE", "glad": "GLAD"}
_JOINED = "several categories are separated by vertical bars"


def items(phases: Sequence[int], *, has_question: bool) -> list[Column]:
    """`phases` are their numbers; records are of `LabelledItem`."""
    expected = Column(
        "expected",
        "the correct categories of an attention check, separated by vertical bars",
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
            f"number of answers in phase {number} that count; repeated answers are left out",
            lambda row: label(row).n,
        ),
        Column(
            f"final_{number}",
            f"the final label in phase {number}, as in `item_labels.tsv`",
            lambda row: SEPARATOR.join(label(row).final),
        ),
    ]


def item_labels(names: Sequence[str], *, is_several: bool) -> list[Column]:
    """`names` are those of the categories; records are of `DataSetRecord`."""
    return [
        answer_columns.shown_id(),
        *answer_columns.of_phase(),
        *answer_columns.shown_texts(),
        Column(
            "n",
            "number of answers that count; repeated answers are left out",
            lambda row: row.label.n,
        ),
        *(
            Column(
                f"n_{name}", f"how many of these answers name *{name}*", _nth_count_of_label(place)
            )
            for place, name in enumerate(names)
        ),
        Column(
            "share",
            "share of the answers that are the most frequent answer"
            + (
                ". An answer can consist of several categories. For the share of answers that name"
                " one category, divide the count of this category by `n`" * is_several
            ),
            lambda row: row.label.share,
        ),
        Column(
            "majority",
            "the category that more than half of the answers name"
            if not is_several
            else f"the categories that more than half of the answers name; {_JOINED}",
            lambda row: SEPARATOR.join(row.label.majority),
        ),
        Column(
            "mode",
            "the most frequent answer, even if fewer than half of the people gave it; empty if"
            " several answers tie" + (f". In one answer, {_JOINED}" * is_several),
            lambda row: SEPARATOR.join(row.label.mode),
        ),
        Column(
            "tie",
            "`yes` if several answers tie for the most frequent one"
            + (" and no category is named by more than half of the answers" * is_several)
            + ", otherwise `no`",
            lambda row: "yes" if row.label.is_tied else "no",
        ),
        Column("adjudicated", ADJUDICATED, lambda row: SEPARATOR.join(row.label.adjudicated)),
        Column(
            "final",
            "the final label: `adjudicated` if an expert decided, otherwise "
            + ("`majority`" if is_several else "`mode`"),
            lambda row: SEPARATOR.join(row.label.final),
        ),
        *answer_columns.shown_origin(),
    ]


def _nth_count_of_label(place: int) -> Callable[[Any], Cell]:
    return lambda row: row.label.counts[place]


def soft_labels(names: Sequence[str]) -> list[Column]:
    """`names` are those of the categories; records are of `SoftLabel`."""
    return [
        Column("id", "id of the item", lambda row: row.item),
        *answer_columns.of_phase(),
        Column("n", "as in `item_labels.tsv`", lambda row: row.n),
        *(
            Column(f"share_{name}", f"share of these answers that are *{name}*", _nth_share(place))
            for place, name in enumerate(names)
        ),
        *(
            column
            for model, called in MODELS.items()
            for column in (
                *(
                    Column(
                        f"{column_name(model)}_{name}",
                        f"probability of *{name}* by the model {called}; empty without a model",
                        _nth_probability(model, place),
                    )
                    for place, name in enumerate(names)
                ),
                Column(
                    f"{column_name(model)}_label",
                    f"the most probable category by the model {called}; empty if two are equally"
                    " probable",
                    _label_of(model),
                ),
            )
        ),
    ]


def column_name(model: str) -> str:
    return model.replace("-", "_")


def _nth_share(place: int) -> Callable[[Any], Cell]:
    return lambda row: row.shares[place]


def _nth_probability(model: str, place: int) -> Callable[[Any], Cell]:
    return lambda row: row.posteriors[model][place]


def _label_of(model: str) -> Callable[[Any], Cell]:
    return lambda row: row.labels[model]


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
        "how well the annotator agrees with the others, from 0 to 1: the overlap of the person's"
        " categories with those that more than half of the other annotators chose, averaged over"
        " items"
        if is_several
        else "how well the annotator agrees with the others, from 0 to 1: the share of answers"
        " that equal the most frequent answer of the other annotators"
    )
    return [
        *answer_columns.annotator_names(),
        *answer_columns.of_phase(),
        Column(
            "labels",
            "number of the annotator's answers in the main block that count",
            lambda row: row.n,
        ),
        Column(
            "agreement",
            agreement,
            lambda row: row.agreement,
        ),
        Column(
            "compared",
            "number of answers that were compared; if it is small, `agreement` is imprecise",
            lambda row: row.n_compared,
        ),
        Column(
            "left_out",
            "number of answers that could not be compared, because the others give the item no"
            " label",
            lambda row: row.n_left_out,
        ),
        *(
            Column(
                f"n_{name}",
                f"number of the annotator's answers that name *{name}*",
                _nth_count(place),
            )
            for place, name in enumerate(names)
        ),
        *(
            Column(
                column_name(model),
                f"the person's ability by the model {called}, from 0 to 1; empty without a model",
                _ability(model),
            )
            for model, called in MODELS.items()
            if not is_several
        ),
    ]


def _nth_count(place: int) -> Callable[[Any], Cell]:
    return lambda row: row.counts[place]


def _ability(model: str) -> Callable[[Any], Cell]:
    return lambda row: row.abilities[model]


def repeats() -> list[Column]:
    """Records are of `RepeatRecord`."""
    return answer_columns.counted(
        lambda row: row.repeat,
        Column("categories", "the answer given the second time", lambda row: row.repeat.answer),
        Column(
            "categories_before",
            "the answer that the same person gave in the main block",
            lambda row: row.before,
        ),
        Column(
            "answers_between",
            "number of answers that the person gave between the two",
            lambda row: row.n_between,
        ),
    )
