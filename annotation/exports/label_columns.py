"""What each file of a label study's export holds: the headers."""

from collections.abc import Sequence

from annotation.exports import rating_columns
from annotation.exports.columns import Column

_JOINED = "several are parted by `|`"
_ADJUDICATED = (
    "what an expert decided, with the reason in `adjudications.tsv`; empty where nobody decided"
)

_OF_ITEM = (
    *("id", "pool", "group", "domain", "source", "target", "candidate"),
    *("target_context", "target_context_json", "target_position"),
    *("candidate_context", "candidate_context_json", "candidate_position"),
    *("intended_class", "expected", "check", "explanation", "tolerance", "block", "metadata"),
)


def items(phases: Sequence[int]) -> list[Column]:
    # What is known of a pair is the same whether it is rated or labelled.
    of_ratings = rating_columns.items([], has_effects=False, has_question=False)
    known = {column.name: column for column in of_ratings}
    known["expected"] = Column("expected", "the right categories of a check, parted by `|`")
    return [
        *(known[name] for name in _OF_ITEM),
        *(
            column
            for n in phases
            for column in (
                Column(f"n_{n}", f"scored answers in phase {n}, each person's first one"),
                Column(f"final_{n}", f"the label in phase {n}, as in `item_labels.tsv`"),
            )
        ),
    ]


def item_labels(names: Sequence[str], *, is_several: bool) -> list[Column]:
    test = {
        column.name: column
        for column in rating_columns.test(has_question=False, has_majority=False)
    }
    texts = ("text_1", "text_2", "context_1", "context_2")
    return [
        test["id"],
        *_phase(),
        *(test[name] for name in texts),
        Column("n", "scored answers, each person's first one"),
        *(Column(f"n_{name}", f"how many of them name *{name}*") for name in names),
        Column(
            "share",
            "share of them that are the most frequent answer; empty if none"
            + (
                ". Several categories can be one answer, so this is not how many name the label:"
                " divide the counts of the categories by `n` for that" * is_several
            ),
        ),
        Column(
            "majority",
            "what more than half of them name" + (f"; {_JOINED}" if is_several else ""),
        ),
        Column(
            "mode",
            "the answer given most often, be it by fewer than half; empty where several tie, and"
            " if none" + (f". Several categories can be one answer; {_JOINED}" * is_several),
        ),
        Column(
            "tie",
            "`yes` where several answers are the most frequent"
            + (" and more than half name no category" * is_several)
            + ", else `no`",
        ),
        Column("adjudicated", _ADJUDICATED),
        Column(
            "final",
            "the label: `adjudicated` where an expert decided, else "
            + ("`majority`" if is_several else "`mode`"),
        ),
        *(test[name] for name in ("intended_class", "domain", "source", "group")),
    ]


def judgments(*, is_several: bool) -> list[Column]:
    said = "the chosen category" if not is_several else f"the chosen categories; {_JOINED}"
    return [
        Column("categories", said) if column.name == "rating" else column
        for column in rating_columns.judgments()
    ]


def command(*, has_pools: bool) -> list[Column]:
    return [
        Column("annotator", "pseudonym"),
        Column("unit", "id of the item"),
        Column("categories", "as in `judgments.tsv`"),
        Column("order", "as in `judgments.tsv`"),
        *(
            [Column("pool", "as in `items.tsv`: whole pools are drawn for alpha's intervals")]
            if has_pools
            else []
        ),
    ]


def annotators(names: Sequence[str], *, is_several: bool) -> list[Column]:
    agreement = (
        "share in common of the answer and the categories that more than half of the other"
        " annotators chose, as the mean over items"
        if is_several
        else "share of the answers that are what most of the other annotators said of the item"
    )
    return [
        Column("annotator", "pseudonym, as in `judgments.tsv`"),
        Column("source", "`real`, `imported` or `simulated`"),
        *_phase(),
        Column("labels", "scored answers of the main block"),
        Column("agreement", f"{agreement}; empty if nothing can be compared"),
        Column("compared", "answers that were compared: of a few, `agreement` says little"),
        Column("left_out", "answers about items to which the others give no label"),
        *(Column(f"n_{name}", f"answers that name *{name}*") for name in names),
    ]


def repeats() -> list[Column]:
    return [
        Column("annotator", "pseudonym, as in `judgments.tsv`"),
        *_phase(),
        Column("item", "id of the item"),
        Column("categories", "what the person said this time"),
        Column("categories_before", "what the same person had said in the main block"),
        Column("answers_between", "in the same phase, between the two"),
        Column("order", "as in `judgments.tsv`"),
        Column("active_ms", "as in `judgments.tsv`"),
        Column("answered_at", "as in `judgments.tsv`"),
    ]


def _phase() -> list[Column]:
    of = {column.name: column for column in rating_columns.judgments()}
    return [of["phase"], of["condition"]]
