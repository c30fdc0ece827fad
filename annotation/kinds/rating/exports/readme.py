"""`README.md` of a rating study's export: every file, every column."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.basics.scale import Scale
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
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.rating.exports import columns
from annotation.kinds.scoring_options import ScoringOptions

_TESTS = {
    "pooled": "the pooled t-test of independent ratings, which ignores that the same people may"
    " have rated both phases",
    "welch": "Welch's t-test of independent ratings, which ignores that the same people may have"
    " rated both phases",
    "paired": "the paired t-test, which compares the two ratings of each person who rated the item"
    " in both phases",
}

_NOT_IN_SCORES = """\
Scores use only the answers of the main block that count, and only a person's first rating of an
item. Ratings of calibration items and repeated ratings count, but are not part of any score. They
are in `calibration.tsv` and `repeats.tsv`. A phase counts as soon as it is completed, even if the
person does not complete the next one. If an expert decided on an item, the decision is in the
columns `adjudicated` and `final`. Statistics do not use such decisions.
"""

# The table to open first, and what it is.
_DATA_SET = (
    "it is the data set itself. It has one row for each item, with both texts, the mean"
    " rating{how} and every single rating."
)
_START = {
    "test_free.tsv": _DATA_SET.format(how=" without context"),
    "test_dependent.tsv": _DATA_SET.format(how=" in context"),
    "items.tsv": "it has one row for each item, with its texts and its mean ratings.",
}
_CONDITIONS = {"test_free.tsv": "without context", "test_dependent.tsv": "in context"}

_STUDY = {
    "export": "the options of this export, such as the significance level of the test files.",
    "study": "title, language, question, scale, and instructions.",
    **answer_columns.OF_STUDY_JSON,
}

_STATISTICS = """\
`statistics` has these parts. Every statistic has a `definition`, and if a value is null, `reason`
says why. Names in square brackets, such as [CzechSTS], are references to the literature; the
documentation of Likeness lists them. A unit, or a pair, is an item.

- `phases`: a list with the figures of each phase. `summary` is what `python -m scoring ratings`
  prints for `ratings_….tsv`, without the figures of single items and people; in it,
  `intra_annotator` is the agreement of people with themselves within a booklet.
  `generalizability` is what `python -m scoring generalizability` prints for the same file: where
  the variance comes from, and how many ratings are enough. `practice` shows
  whether ratings come closer to those of the other people with practice, and `beside_first_round`
  does the same for the ratings of the first round. `aggregates` names at most 1,000 of the items
  in which several ratings tie for the most frequent one. `repeats` is the agreement of people with
  their own ratings in the earlier round.
- `context`: the effect of context, by a pooled and a paired t-test. `main_test` is the test that
  selects items for figures and other tables. By default, it is `paired` if the same people rated
  most items in both phases.
- `selected`: the agreement between the first round and the two phases, over all items and over
  selections of them. Do not report `p` in the `control` of `significant_…`: these items were
  chosen by the difference between their phases, so they correlate less even without any effect of
  context.
- `diagonal`: the filters N1 and N2, which keep items whose first rating is close to the value that
  their intended class suggests.
- `waiting`: how long people waited between the phases.
- `flags`: the tests that compare each person with the others, and the number of people who were
  tested (`n_tested`). The results for single people are not exported.
"""


@dataclass(frozen=True)
class Contents:
    """What the README has to know of the files beside it."""

    title: str
    population: Population
    scale: Scale
    # (number, condition, whether the time of every rating is known, whether pools are drawn)
    phases: list[tuple[int, str, bool, bool]]
    has_effects: bool
    # Whether the imported file had questions to stand above the texts.
    has_question: bool
    n_significant: int
    options: ExportOptions
    # The main test of the latest result, and its margin.
    scoring: ScoringOptions
    spreadsheet: bool
    note: str


def readme(contents: Contents, *, more: Sequence[str] = ()) -> str:
    """`README.md` of an export; `more` are sections of other files."""
    scale = contents.scale
    numbers = [number for number, _condition, _times, _pools in contents.phases]
    first = next(iter(_test_files(contents)), "items.tsv")
    ends = f"{scale.text(scale.low)} to {scale.text(scale.high)} in steps of"
    parts = [
        *opening(
            contents.title,
            "This is a rating study, exported from Likeness, a web application that collects human"
            " judgments of texts. People rated pairs of texts on a scale from"
            f" {ends} {scale.text(scale.step)}.",
            first=first,
            start=f"Open `{first}` first: {_START[first]} The other files have the details:\n\n"
            + (
                ""
                if first == "items.tsv"
                else "- `items.tsv`: all items, including those outside the data set.\n"
            )
            + "- `judgments.tsv`: every single answer.\n"
            "- `ratings_….tsv`: the ratings of one phase that count, for computing statistics.\n"
            "- `annotators.tsv`: how each person uses the scale, and how well each person agrees"
            " with the others.\n"
            "- `study.json`: the question, the design and the statistics, such as agreement.\n\n"
            "The other sections of this README describe each file and each column.",
            words=("item", "pool", "context", "annotator", "booklet", "phase", "main block"),
            population=contents.population,
            note=contents.note,
            spreadsheet=contents.spreadsheet,
        ),
        which_answers_count(has_phases=True, more=_NOT_IN_SCORES),
        *_test_sections(contents),
        section(
            "items.tsv",
            "One row for each item, in the order of the import. `items.tex` is a table of the"
            " items of the main block in LaTeX; it requires the packages booktabs and longtable.",
            columns.items(
                numbers,
                has_effects=contents.has_effects,
                has_question=contents.has_question,
                options=contents.scoring,
            ),
        ),
        section("judgments.tsv", ABOUT_JUDGMENTS, columns.judgments()),
        *_command_sections(contents),
        section(
            "annotators.tsv",
            "One row for each annotator and phase: how the person rates.",
            columns.annotators(),
        ),
        section("phases.tsv", answer_columns.ABOUT_PHASES, answer_columns.phases()),
        section(
            "calibration.tsv",
            "The ratings of the calibration block that count.",
            columns.calibration(),
        ),
        section(
            "repeats.tsv",
            "The second ratings of people who rated an item twice, next to their first ratings.",
            columns.repeats(),
        ),
        section("surplus.tsv", answer_columns.ABOUT_SURPLUS, columns.judgments()),
        *more,
        COMMANDS,
        about_study_json(_STUDY),
        _STATISTICS,
        SUMS,
    ]
    return "\n".join(parts)


def _test_files(contents: Contents) -> list[str]:
    conditions = [condition for _number, condition, _times, _pools in contents.phases]
    return [
        f"test_{name}.tsv"
        for name, condition in (("free", "context_free"), ("dependent", "context_dependent"))
        if condition in conditions
    ]


def _test_sections(contents: Contents) -> list[str]:
    names = _test_files(contents)
    n = contents.options.context_sentences
    around = (
        f"The contexts are shortened in this file: it contains at most {n} turns (sentences of a"
        " document, or utterances of a dialogue) before the rated text, and as many after it. This"
        " is not what annotators saw. In a phase without context they saw only the two texts, even"
        " if this file contains a context."
    )
    parts = []
    if names:
        aligned = " Row n is the same item in both files." if len(names) == 2 else ""
        conditions = (
            " without context (`test_free.tsv`) and in context (`test_dependent.tsv`)"
            if len(names) == 2
            else f" {_CONDITIONS[names[0]]}"
        )
        parts.append(
            section(
                " and ".join(names),
                "The data set: one row for each item of the main block, with its"
                f" ratings{conditions}, in the order of the import.{aligned} {around}",
                columns.test(
                    has_question=contents.has_question, has_majority=contents.scale.is_worded
                ),
            )
        )
    if contents.has_effects:
        parts.append(_significant(contents, around))
    return parts


def _significant(contents: Contents, around: str) -> str:
    options = contents.options
    rule = (
        f"a p-value of at most {options.level:g}, **corrected** for the number of tests by the"
        " method of Benjamini and Hochberg"
        if options.corrected
        else f"a p-value below {options.level:g}, **not corrected** for the number of tests"
    )
    return section(
        "test_significant_free.tsv and test_significant_dependent.tsv",
        f"The items of the data set whose ratings change significantly with context:"
        f" {contents.n_significant:,}. Significant means {rule}. The test is"
        f" {_TESTS[options.test]}. Row n is the same item in both files. {around}",
        columns.test(has_question=contents.has_question, has_majority=contents.scale.is_worded),
    )


def _command_sections(contents: Contents) -> list[str]:
    scale = contents.scale
    parts = []
    for number, condition, has_times, has_pools in contents.phases:
        name = f"ratings_{number}.tsv"
        times = (
            ""
            if has_times
            else " The column `thinking_ms` is left out, because the time of some ratings is not"
            " known."
        )
        also = "" if has_times else ", and error by thinking time"
        parts.append(
            section(
                name,
                f"The ratings of phase {number} (`{condition}`) that count. If a person rated an"
                " item twice, both ratings are here. The second one is marked as `repeat` and only"
                " shows how consistent people are; for means of your own, use only the rows with"
                " the block `main`. This command computes the statistics of the phase. Not"
                " included"
                " are the statistics of the calibration block, scores by intended class, domain"
                " and"
                f" source, and agreement with earlier ratings and the earlier round{also}.\n\n"
                f"    python -m scoring ratings {name} --low {scale.text(scale.low)}"
                f" --high {scale.text(scale.high)}\n\n"
                "The command does not know items that nobody has rated. So it does not include"
                " them"
                f" in its counts of items that are left out.{times}",
                columns.command(has_times=has_times, has_pools=has_pools),
            )
        )
    return parts
