"""`README.md` of a rating study's export: every file, every column."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.basics.scale import Scale
from annotation.core.exports.columns import (
    OF_PLATFORMS,
    opening,
    section,
)
from annotation.core.queries.counted_answers import Population
from annotation.kinds.exports import answer_columns
from annotation.kinds.exports.options import ExportOptions
from annotation.kinds.rating.exports import columns
from annotation.kinds.scoring_options import ScoringOptions

_TESTS = {
    "pooled": "the pooled t-test of independent ratings (as in CzechSTS; it ignores that"
    " people may have rated both phases)",
    "welch": "Welch's t-test of independent ratings (it ignores that people may have rated both"
    " phases)",
    "paired": "the paired t-test of the differences of those who rated both",
}

_COUNTS = """\
`counts` has `items` (all of `items.tsv`), `items_of_the_main_block` (those that are data),
`items_adjudicated` (those on which an expert decided, in whatever phase),
`booklets` and `questions` of the design (those of its booklets, in every phase), `own_questions`
(asked of one person each, such as repeats), `annotators` (people with at least one answer in
`judgments.tsv`, scored or not) and `judgments`: `by_status` (the rows of `judgments.tsv`) and
`withdrawn` (answers of people who withdrew: only that there were such is kept, and they are in no
other count).
"""

_STATISTICS = """\
`statistics` has `phases`, a list with the figures of each phase, and, across phases, `context`
(the effect of context by a pooled and a paired t-test; `main_test` selects the items of plots, and
is `paired` by default if most items were rated by the same people in both phases), `selected` (how
far the first round and the two phases agree over all items and over selections of them),
`diagonal` (the filters N1 and N2) and `waiting`.
Every statistic says in `definition` what it is; where one is null, `reason` says why. A unit, or
a pair, is an item. `summary` is what `python -m scoring ratings` prints for `ratings_….tsv`,
without what it says of single items and people; `practice` is the calibration curve in classes of
several annotations, and `beside_first_round` has the same against what the first of several rounds
said; `aggregates` names at most 1,000 of the items in which several ratings tie
for the majority (all are in `items.tsv`); `repeats` has the agreement with the earlier round,
that within a booklet being `intra_annotator` of the summary.
`flags` says by which tests people are compared with the others, and how many were tested by each
(`n_tested`); what was seen of whom is on the page of people only: it is no verdict.
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
    ends = f"{scale.text(scale.low)} to {scale.text(scale.high)} in steps of"
    parts = [
        *opening(
            contents.title,
            f"A rating study, exported from Likeness. The scale goes from {ends}"
            f" {scale.text(scale.step)}.",
            population=contents.population,
            note=contents.note,
            spreadsheet=contents.spreadsheet,
        ),
        "Scores are of the main block of scored answers: of each place and phase those of the"
        " person who completed it first. A phase counts once it is completed, also while the next"
        " one is not. Where that person is excluded nothing of the place and phase is scored,"
        " unless the place was given to somebody else, whose answers count then."
        f" {OF_PLATFORMS} Calibration, repeats, checks and surplus"
        " answers are in files of their own, and in no score; held, excluded, unverified,"
        " returned, rejected, unfinished and superseded answers are in `judgments.tsv`, and in no"
        " score"
        " either.\n",
        section(
            "items.tsv",
            "Every item, in the order of the import. `items.tex`: those of the main block with"
            " their texts and scores as a table in LaTeX (booktabs, longtable).",
            columns.items(
                numbers,
                has_effects=contents.has_effects,
                has_question=contents.has_question,
                options=contents.scoring,
            ),
        ),
        *_test_sections(contents),
        section(
            "judgments.tsv",
            "Every answer, in the order of storing. Answers of somebody who withdrew are gone;"
            " `study.json` says how many there were.",
            columns.judgments(),
        ),
        *_command_sections(contents),
        section(
            "annotators.tsv",
            "How each annotator of scored answers rates, in each phase.",
            columns.annotators(),
        ),
        section(
            "phases.tsv",
            "Everybody's way through the phases, with the actual gaps between them.",
            answer_columns.phases(),
        ),
        section(
            "calibration.tsv",
            "The scored answers of the calibration block.",
            columns.calibration(),
        ),
        section(
            "repeats.tsv",
            "The answers to what a person rated again, beside the answer before.",
            columns.repeats(),
        ),
        section(
            "surplus.tsv",
            "The rows of `judgments.tsv` whose status is `surplus`.",
            columns.judgments(),
        ),
        *more,
        "## study.json\n\n"
        "One object: `exported_at`; `population`; `note`; `export` (the options of the test"
        " files); `study` (title, language, question, scale, instructions); `design` (seed,"
        " parameters, phases with their delays and how long people waited, certificate, code"
        " version); `counts`; `statistics`"
        " (the latest that were computed; null if none were) and `result` (what they were computed"
        " from, and as `is_current` whether that is the scored answers in these files);"
        " `versions`.\n",
        _COUNTS,
        _STATISTICS,
        "## SHA256SUMS\n\n"
        "Check sums of the other files: `sha256sum -c SHA256SUMS`. Two exports of the same data"
        " with the same options are the same, byte by byte, except for `exported_at` and so for"
        " the sum of `study.json`.\n",
    ]
    return "\n".join(parts)


def _test_sections(contents: Contents) -> list[str]:
    conditions = [condition for _number, condition, _times, _pools in contents.phases]
    names = [
        f"test_{name}.tsv"
        for name, condition in (("free", "context_free"), ("dependent", "context_dependent"))
        if condition in conditions
    ]
    n = contents.options.context_sentences
    around = (
        f"The contexts are cut for this file: at most {n} turns (sentences of a document,"
        " utterances of a dialogue) before the rated one are written, and as many after it. That"
        " is not what annotators saw: in a phase without context they saw the two texts alone,"
        " also where a context is written here."
    )
    parts = []
    if names:
        aligned = " Row n is the same item in both files." if len(names) == 2 else ""
        parts.append(
            section(
                " and ".join(names),
                "The data set: every item of the main block with its ratings"
                f" {'under each condition' if len(names) == 2 else 'under this condition'}, in the"
                f" order of the import.{aligned} {around}",
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
        f"adjusted p at most {options.level:g}, **corrected** after Benjamini and Hochberg"
        if options.corrected
        else f"p below {options.level:g}, **not corrected** for the number of tests"
    )
    return section(
        "test_significant_free.tsv and test_significant_dependent.tsv",
        f"The {contents.n_significant} items whose effect of context is significant by"
        f" {_TESTS[options.test]}: {rule}. Row n is the same item in both files. {around}",
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
            else " `thinking_ms` is left out, because the time of some ratings is not known."
        )
        also = "" if has_times else ", and for the error by thinking time"
        parts.append(
            section(
                name,
                f"The ratings of phase {number} ({condition}): everybody's first rating of each"
                " item, and, marked `repeat`, second ratings, which tell only how steady people"
                " are. Take the rows of the block `main` for means of your own. What the results"
                " page says of this phase follows from it, but for the calibration block, the"
                " scores by intended class, domain and source, and the agreement with earlier"
                f" ratings and with the earlier round{also}:\n\n"
                f"    python -m scoring ratings {name} --low {scale.text(scale.low)}"
                f" --high {scale.text(scale.high)}\n\n"
                "The command knows only the items in the file, so what it counts as left out lacks"
                f" the items that nobody has rated yet.{times}",
                columns.command(has_times=has_times, has_pools=has_pools),
            )
        )
    return parts
