"""`README.md` of a label study's export: every file, every column."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.basics.categories import SEPARATOR, Categories
from annotation.core.exports.columns import (
    ABOUT_JUDGMENTS,
    COMMANDS,
    SUMS,
    about_study_json,
    opening,
    section,
    which_answers_count,
)
from annotation.core.queries.counted_answers import Population
from annotation.kinds.exports import answer_columns
from annotation.kinds.label.exports import columns

_NOT_IN_LABELS = """\
Labels use only the answers of the main block that count, and only a person's first answer about an
item. Repeated answers count, but are not part of any label. If an expert decided on an item, the
decision replaces the label in `final`. Counts and statistics do not use such decisions.
"""
_SOFT_LABELS_IN_SHORT = (
    "- `soft_labels.tsv`: the share of each category, and three models of annotators.\n"
)
_SOFT_LABELS = """\
One row for each answered item and phase. `share_…` is the share of the answers. The other columns
come from models of annotators, which weigh each person's answers by what they estimate of the
person: Dawid and Skene [DawidSkene1979], MACE [Hovy2013], and GLAD [Whitehill2009]. Do not read
their probabilities as chances of being right. Those of Dawid and Skene are far too high if people
gave few labels: many are 1 and wrong. If one of two categories is rare, the labels of MACE and of
Dawid and Skene are worse than the most frequent answers. The labels in `item_labels.tsv` do not
use the models. `statistics` in `study.json` says when to use which model, and when not to.
`python -m scoring label-models` computes them from `labels_….tsv`.
"""
_STUDY = {
    "export": "the options of this export.",
    "study": "title, language, question, categories, and instructions.",
    **answer_columns.OF_STUDY_JSON,
}
_STATISTICS = """\
`statistics` has these parts. Every statistic has a `definition`, and if a value is null, `reason`
says why. Names in square brackets, such as [Fleiss1971], are references to the literature; the
documentation of Likeness lists them.

- `categories`: the order of all lists that have one number for each category.
- `phases`: a list with the figures of each phase. `summary` is what `python -m scoring labels`
  prints for `labels_….tsv`, without the figures of single items and people. `by` has the answers
  and labels of each domain and source. `without_label` names at most 1,000 of the items without a
  label; all of them are in `item_labels.tsv`. `models` tells how the labels by models of
  annotators differ from the most frequent answers (`soft_labels.tsv`).
- `change`: how labels differ without and with context. The rows of a table are labels without
  context, and its columns are labels in context.
- `flags`: the tests that compare each person with the others, and the number of people who were
  tested (`n_tested`). The results for single people are not exported.
"""


@dataclass(frozen=True)
class Contents:
    """What the README has to know of the files beside it."""

    title: str
    population: Population
    categories: Categories
    n_sentences: int
    # (number, condition, whether pools are drawn)
    phases: list[tuple[int, str, bool]]
    has_question: bool
    spreadsheet: bool
    note: str


def readme(contents: Contents, *, more: Sequence[str] = ()) -> str:
    """The file; `more` are sections of further files."""
    names, is_several = contents.categories.names, contents.categories.is_several
    parts = [
        *opening(
            contents.title,
            "This is a label study, exported from Likeness, a web application that collects human"
            " judgments of texts. People put each item into"
            f" {'one or several' if is_several else 'one'} of these categories:\n\n"
            + "\n".join(_category(contents.categories, name) for name in names),
            first="item_labels.tsv",
            start="Open `item_labels.tsv` first: it is the data set itself. It has one row for"
            " each item and phase, with the texts, the count of each category, and the label. The"
            " other files have the details:\n\n"
            "- `items.tsv`: all items, including those outside the data set.\n"
            + ("" if is_several else _SOFT_LABELS_IN_SHORT)
            + "- `judgments.tsv`: every single answer.\n"
            "- `labels_….tsv`: the answers of one phase that count, for computing statistics.\n"
            "- `annotators.tsv`: how many answers each person gave, and how well each person"
            " agrees with the others.\n"
            "- `study.json`: the question, the design and the statistics, such as agreement.\n\n"
            "The other sections of this README describe each file and each column.",
            words=("item", "pool", "context", "annotator", "booklet", "phase", "main block"),
            population=contents.population,
            note=contents.note,
            spreadsheet=contents.spreadsheet,
        ),
        which_answers_count(has_phases=True, more=_NOT_IN_LABELS),
        _item_labels(contents),
        section(
            "items.tsv",
            "One row for each item, in the order of the import.",
            columns.items(
                [number for number, _condition, _pools in contents.phases],
                has_question=contents.has_question,
            ),
        ),
        *(
            []
            if is_several
            else [section("soft_labels.tsv", _SOFT_LABELS, columns.soft_labels(names))]
        ),
        section("judgments.tsv", ABOUT_JUDGMENTS, columns.judgments(is_several=is_several)),
        *(_command(contents, *phase) for phase in contents.phases),
        section(
            "annotators.tsv",
            "One row for each annotator and phase: how the person labels.",
            columns.annotators(names, is_several=is_several),
        ),
        section("phases.tsv", answer_columns.ABOUT_PHASES, answer_columns.phases()),
        section(
            "repeats.tsv",
            "The second answers of people who labelled an item twice, next to their first"
            " answers.",
            columns.repeats(),
        ),
        section(
            "surplus.tsv",
            answer_columns.ABOUT_SURPLUS,
            columns.judgments(is_several=is_several),
        ),
        *more,
        COMMANDS,
        about_study_json(_STUDY),
        _STATISTICS,
        SUMS,
    ]
    return "\n".join(parts)


def _item_labels(contents: Contents) -> str:
    return section(
        "item_labels.tsv",
        "The data set: one row for each item of the main block and each phase. The contexts are"
        f" shortened in this file: it contains at most {contents.n_sentences} turns (sentences of"
        " a document, or utterances of a dialogue) before the text, and as many after it. In a"
        " phase without context, annotators saw only the two texts.",
        columns.item_labels(contents.categories.names, is_several=contents.categories.is_several),
    )


def _soft_labels(names: Sequence[str]) -> str:
    return section("soft_labels.tsv", _SOFT_LABELS, columns.soft_labels(names))


def _category(categories: Categories, name: str) -> str:
    explanation = " ".join(categories.explanations.get(name, "").split())
    return f"- *{name}*" + (f": {explanation}" if explanation else "")


def _command(contents: Contents, number: int, condition: str, has_pools: bool) -> str:
    name = f"labels_{number}.tsv"
    names = SEPARATOR.join(contents.categories.names)
    several = " --several" if contents.categories.is_several else ""
    return section(
        name,
        f"The answers of phase {number} (`{condition}`) that count. If a person labelled an item"
        " twice, both answers are here. The second one is marked as `repeat` and only shows how"
        " consistent people are; for counts of your own, use only the rows with the block `main`."
        " This command computes the statistics of the phase, except those by domain and"
        " source:\n\n"
        f"    python -m scoring labels {name} --categories {_quoted(names)}{several}\n\n"
        "The command does not know items that nobody has labelled. So it does not include them in"
        " its counts of unlabelled and left-out items (`n_dropped`).",
        columns.command(has_pools=has_pools),
    )


def _quoted(text: str) -> str:
    """The text quoted for a shell, whatever characters the categories have."""
    return "'" + text.replace("'", "'\\''") + "'"
