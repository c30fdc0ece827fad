"""`README.md` of a label study's export: every file, every column."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.basics.categories import SEPARATOR, Categories
from annotation.core.exports.columns import (
    OF_PLATFORMS,
    opening,
    section,
)
from annotation.core.queries.counted_answers import Population
from annotation.kinds.exports import answer_columns
from annotation.kinds.label.exports import columns

_STUDY = """\
## study.json

One object: `exported_at`; `population`; `note`; `study` (title, language, question, categories,
instructions); `design` (seed, parameters, phases with their delays and how long people waited,
certificate, code version); `counts`; `statistics` (the latest that were computed; null if none
were) and `result` (what they were computed from, and as `is_current` whether that is the scored
answers in these files); `versions`.

`counts` has `items` (all of `items.tsv`), `items_of_the_main_block` (those that are data),
`items_adjudicated` (those on which an expert decided, in whatever phase),
`booklets` and `questions` of the design, `own_questions` (asked of one person each, such as
repeats), `annotators` (people with at least one answer in `judgments.tsv`, scored or not) and
`judgments`: `by_status` (the rows of `judgments.tsv`) and `withdrawn` (answers of people who
withdrew: only that there were such is kept).

`statistics` has `categories` (in the order of all lists over categories), `phases`, a list with
the figures of each phase, and `change`, what context changes. Every statistic says in
`definition` what it is; where one is null, `reason` says why. `summary` is what `python -m
scoring labels` prints for `labels_….tsv`, without what it says of single items and people. `by`
has the answers and labels of each domain and source; `without_label` names at most 1,000 of the
items to which people give no label (all are in `item_labels.tsv`). In `change` rows of a table
are without context, columns in context. `flags` says by which tests people are compared with the
others, and how many were tested by each (`n_tested`); what was seen of whom is on the page of
people only: it is no verdict.
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
            "A label study, exported from Likeness. People put each item into"
            f" {'one or several' if is_several else 'one'} of these categories:\n\n"
            + "\n".join(_category(contents.categories, name) for name in names),
            population=contents.population,
            note=contents.note,
            spreadsheet=contents.spreadsheet,
        ),
        "Labels are of the main block of scored answers: of each place and phase those of the"
        " person who completed it first, and of a person who labelled an item again the first"
        " answer. Where that person is excluded nothing of the place and phase is scored, unless"
        " the place was given to somebody else, whose answers count then."
        f" {OF_PLATFORMS} Repeats and surplus answers are in files"
        " of their own, and in no label; held, excluded, unverified, returned, rejected,"
        " unfinished and superseded answers are in `judgments.tsv`, and in no label either. What"
        " an expert"
        " decided overrides the label in `final`, and is in no count and no statistic.\n",
        section(
            "items.tsv",
            "Every item, in the order of the import.",
            columns.items(
                [number for number, _condition, _pools in contents.phases],
                has_question=contents.has_question,
            ),
        ),
        section(
            "item_labels.tsv",
            "The data set: every item of the main block, a row for each phase, in the order of"
            f" the import. The contexts are cut for this file: at most {contents.n_sentences}"
            " turns (sentences of a document, utterances of a dialogue) before the text are"
            " written, and as many after it. In a phase without context annotators saw the two"
            " texts alone.",
            columns.item_labels(names, is_several=is_several),
        ),
        section(
            "judgments.tsv",
            "Every answer, in the order of storing. Answers of somebody who withdrew are gone;"
            " `study.json` says how many there were.",
            columns.judgments(is_several=is_several),
        ),
        *(_command(contents, *phase) for phase in contents.phases),
        section(
            "annotators.tsv",
            "How each annotator of scored answers labels, in each phase.",
            columns.annotators(names, is_several=is_several),
        ),
        section(
            "phases.tsv",
            "Everybody's way through the phases, with the actual gaps between them.",
            answer_columns.phases(),
        ),
        section(
            "repeats.tsv",
            "The answers to what a person labelled again, beside the answer before.",
            columns.repeats(),
        ),
        section(
            "surplus.tsv",
            "The rows of `judgments.tsv` whose status is `surplus`.",
            columns.judgments(is_several=is_several),
        ),
        *more,
        _STUDY,
        "## SHA256SUMS\n\n"
        "Check sums of the other files: `sha256sum -c SHA256SUMS`. Two exports of the same data"
        " are the same, byte by byte, except for `exported_at` and so for the sum of"
        " `study.json`.\n",
    ]
    return "\n".join(parts)


def _category(categories: Categories, name: str) -> str:
    explanation = " ".join(categories.explanations.get(name, "").split())
    return f"- *{name}*" + (f": {explanation}" if explanation else "")


def _command(contents: Contents, number: int, condition: str, has_pools: bool) -> str:
    name = f"labels_{number}.tsv"
    names = SEPARATOR.join(contents.categories.names)
    several = " --several" if contents.categories.is_several else ""
    return section(
        name,
        f"The answers of phase {number} ({condition}): everybody's first answer about each item,"
        " and, marked `repeat`, second answers, which tell only how steady people are. Take the"
        " rows of the block `main` for counts of your own. What the results page says of this"
        " phase follows from it, but for domains and sources:\n\n"
        f"    python -m scoring labels {name} --categories {_quoted(names)}{several}\n\n"
        "The command knows only the items in the file, so what it counts as unanswered, and as"
        " dropped (`n_dropped`), lacks the items that nobody has labelled yet.",
        columns.command(has_pools=has_pools),
    )


def _quoted(text: str) -> str:
    """The text quoted for a shell, whatever characters the categories have."""
    return "'" + text.replace("'", "'\\''") + "'"
