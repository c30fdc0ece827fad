"""Tables beside a leaderboard, as TSV and LaTeX: labels, pools, multiple choice, layers, models.

In English and with every digit, for the files that leave; pages show the same rows in words.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Baseline, BaselineReport, Study
from annotation.queries import baseline_pairs, comparison_tables
from annotation.queries.report_provenance import about_items, about_people, stated
from scoring.baselines.latex import booktabs
from scoring.baselines.latex_listing import listing
from scoring.leaderboard import EVERYTHING
from scoring.neural.measures import layer_name
from scoring.rounding import rounded_text

# The tables, as their files are called.
NAMES = (
    "comparisons",
    "typical_human",
    "labelled_pairs",
    "measures_by_label",
    "within_pools",
    "choices",
    "prompts",
    "layers",
    "trainings",
)
Cell = str | int | float | None

# What the figures of a part of the items are called, as `services.within_pools` stores them.
RANKINGS = ("precision_at_1", "ndcg", "spearman")
# Before these stands how many pools the means are over: a pool in which the measure is constant
# has no correlation.
WITH_POOLS = ("precision_at_1", "spearman")
# Of BERTScore, as `services.baseline_layers` stores them.
LAYERS, BY_OVERLAP = "layers", "layers_by_overlap"


@dataclass(frozen=True, eq=False)
class FurtherTable:
    """Rows with their columns; `latex` is the same as a paper prints it."""

    name: str
    about: str
    # By name what it means.
    columns: Mapping[str, str]
    rows: list[list[Cell]]
    latex: str

    @property
    def tsv(self) -> str:
        file = io.StringIO()
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([list(self.columns), *self.rows])
        return file.getvalue()


def of_study(study: Study, report: BaselineReport | None) -> list[FurtherTable]:
    """Those that have rows, of today's items."""
    measures = []
    if study.baselines.exists():
        of_today = study.baselines.defer("values").filter(digest=baseline_pairs.digest(study))
        measures = list(of_today.order_by("pk"))
    found = [
        *(
            [
                labelled_pairs(report),
                measures_by_label(report),
                comparisons(report),
                typical_human(report),
                within_pools(report),
            ]
            if report
            else []
        ),
        choices(measures, report),
        prompts(measures),
        layers(measures),
        trainings(study),
    ]
    return [table for table in found if table.rows]


def named(study: Study, name: str, report: BaselineReport | None) -> FurtherTable | None:
    """One of `NAMES`; None where it has no rows."""
    if name == "trainings":
        found = trainings(study)
        return found if found.rows else None
    return next((one for one in of_study(study, report) if one.name == name), None)


def comparisons(report: BaselineReport) -> FurtherTable:
    """The comparisons of correlations that somebody kept."""
    rows = comparison_tables.comparison_rows(report)
    return FurtherTable(
        comparison_tables.COMPARISONS,
        "Comparisons of Pearson's correlations with people's scores, first less second."
        f" {about_people(report)} {about_items(report)}",
        comparison_tables.COLUMNS_OF_COMPARISONS,
        rows,
        comparison_tables.comparisons_latex(report) if rows else "",
    )


def typical_human(report: BaselineReport) -> FurtherTable:
    """How well annotators agree with the mean of the others: mean, best, worst."""
    rows = comparison_tables.typical_human_rows(report)
    return FurtherTable(
        comparison_tables.TYPICAL_HUMAN,
        "Typical human: Pearson's correlation of each annotator's ratings with the mean of the"
        f" others' ratings of the same items. {about_people(report)}",
        comparison_tables.COLUMNS_OF_TYPICAL_HUMAN,
        rows,
        comparison_tables.typical_human_latex(report) if rows else "",
    )


LENGTHS = ("first", "second", "both")


def labelled_pairs(report: BaselineReport) -> FurtherTable:
    """Pairs, shares of the labels, lengths and overlap of each part of the items."""
    rows: list[list[Cell]] = []
    printed: list[list[object]] = []
    names: list[str] = []
    for subset in report.figures["subsets"]:
        if (of := subset.get("labelled_pairs")) is None:
            continue
        names = [label_text(one["label"]) for one in of["labels"]]
        shares = [one["share"] for one in of["labels"]]
        overlap = [of["n_overlapping"], of["n_without_overlap"], of["share_overlapping"]]
        lengths = [of[unit] or [None] * len(LENGTHS) for unit in ("characters", "words")]
        counts = [of["n"], of["n_labelled"]]
        rows.append(
            [
                *(subset["name"], *counts),
                *(one["n"] for one in of["labels"]),
                *(*shares, *overlap, *lengths[0], *lengths[1]),
            ]
        )
        percents = [
            None if share is None else f"{rounded_text(share, 1, times=100)} %" for share in shares
        ]
        means = [
            None if of_unit[2] is None else rounded_text(of_unit[2], 1) for of_unit in lengths
        ]
        printed.append([subset["name"], *counts, *percents, *overlap[:2], *means])
    columns = {
        "subset": "part of the items, or `all`",
        "pairs": "pairs of it",
        "labelled": "those with a label",
        **{f"n_{name}": f"pairs with the label {name}" for name in names},
        **{f"share_{name}": f"of the labelled pairs: label {name}" for name in names},
        "overlapping": "pairs whose SQuAD F1 is above 0: they share a word that is no article",
        "without_overlap": "pairs whose F1 is 0",
        "share_overlapping": "of all pairs",
    }
    columns |= {
        f"mean_{unit}_{side}": f"mean length in {unit}{meaning}, of {of_side}"
        for unit, meaning in (("characters", ""), ("words", ", split at white space"))
        for side, of_side in zip(
            LENGTHS, ("the first texts", "the second texts", "both texts"), strict=True
        )
    }
    return FurtherTable(
        "labelled_pairs",
        "Pairs, shares of the labels, overlap and lengths of the texts, by part of the items."
        f" {about_people(report)} {about_items(report)}",
        columns,
        rows,
        booktabs(
            "Labels, overlap of the texts (SQuAD's F1) and their mean length, over both texts of"
            f" each pair. {about_people(report)} {about_items(report)}",
            "tab:labelled-pairs",
            [
                *("part", "pairs", "labelled"),
                *(f"label {name}" for name in names),
                *("F1 > 0", "F1 = 0", "characters", "words"),
            ],
            printed,
            stated=stated(report),
        ),
    )


def numbered(label: str, number: int) -> str:
    """Of several tables of one kind the label of each; the first one is 0."""
    return f"{label}-{number + 1}" if number else label


def label_text(label: float) -> str:
    """A label as files and pages write it: 2, or 0.5."""
    return f"{label:g}"


# The figures of `scoring.baselines.labelled_pairs.values_by_label`, and what they are.
OF_LABEL = {
    "n": "pairs of the label that the measure has a value of",
    "mean": "of these values",
    "sd": "standard deviation, n - 1",
    "low": "the lowest",
    "first_quartile": "by linear interpolation",
    "median": "by linear interpolation",
    "third_quartile": "by linear interpolation",
    "high": "the highest",
}


def measures_by_label(report: BaselineReport) -> FurtherTable:
    """What each measure says of the pairs of each label, as a box plot draws it."""
    of_all = report.figures["subsets"][0].get("by_label", [])
    return FurtherTable(
        "measures_by_label",
        "The values of each measure over the pairs of each label."
        f" {about_people(report)} {about_items(report)}",
        {"measure": "its name", "label": "of people", **OF_LABEL},
        [
            [row["measure"], label_text(row["label"]), *(row[name] for name in OF_LABEL)]
            for row in of_all
        ],
        booktabs(
            "Values of each measure by label of people: mean, standard deviation in parentheses,"
            f" and quartiles. {about_people(report)} {about_items(report)}",
            "tab:measures-by-label",
            ["measure", "label", "n", "mean", "quartile 1", "median", "quartile 3"],
            [
                [row["measure"], label_text(row["label"]), row["n"], (row["mean"], row["sd"])]
                + [row[name] for name in ("first_quartile", "median", "third_quartile")]
                for row in of_all
            ],
            n_texts=2,
            stated=stated(report),
        ),
    )


def within_pools(report: BaselineReport) -> FurtherTable:
    """How well each measure ranks the items of one pool, for each part of the items."""
    rows: list[list[Cell]] = []
    printed = []
    for number, subset in enumerate(report.figures["subsets"]):
        of_part = subset.get("within_pools", [])
        for row in of_part:
            figures = [row[name] for name in RANKINGS]
            cells = [one[name] for one in figures for name in ("value", "standard_error", "n")]
            rows.append([subset["name"], row["measure"], *cells, row["n_left_out"], row["reason"]])
        if of_part:
            printed.append(_within_pools_latex(report, number, of_part))
    columns = {"subset": "part of the items, or `all`", "measure": "its name"}
    for name, meaning in zip(
        RANKINGS,
        (
            "share of the pools of which the measure puts first what people scored highest",
            "normalised discounted cumulated gain of the measure's order, mean over pools",
            "Spearman's correlation within each pool, mean over pools",
        ),
        strict=True,
    ):
        columns |= {
            name: meaning,
            f"{name}_standard_error": "over pools",
            f"{name}_pools": "pools that have one",
        }
    columns |= {
        "pools_left_out": "pools in which fewer than two items have both values, or that people"
        " scored all alike",
        "reason": "why cells are empty",
    }
    return FurtherTable(
        "within_pools",
        "How well each measure ranks the items of one pool, such as the candidates of a dialogue:"
        f" means over pools. {about_people(report)} {about_items(report)}",
        columns,
        rows,
        "\n".join(printed),
    )


def _within_pools_latex(
    report: BaselineReport, number: int, of_part: Sequence[Mapping[str, Any]]
) -> str:
    subset = report.figures["subsets"][number]["name"]
    return booktabs(
        f"Ranking of the items of each pool beside people's scores, {subset}: means over pools,"
        " standard errors in parentheses."
        f" {about_people(report)} {about_items(report, number)}",
        numbered("tab:within-pools", number),
        ["measure", "pools", "precision at 1", "NDCG", "pools", "Spearman"],
        [
            [
                row["measure"],
                *(
                    cell
                    for name in RANKINGS
                    for cell in (
                        *((row[name]["n"],) if name in WITH_POOLS else ()),
                        (row[name]["value"], row[name]["standard_error"]),
                    )
                ),
            ]
            for row in of_part
        ],
        stated=stated(report, number=number),
    )


@dataclass(frozen=True)
class ChoiceRow:
    """How often a model chose right in some dialogues; `part`: number of the report's part."""

    baseline: Baseline
    subset: str
    part: int | None
    figures: Mapping[str, Any]


def choice_rows(measures: Sequence[Baseline], report: BaselineReport | None) -> list[ChoiceRow]:
    """All dialogues, those of each number of turns, then those of each part of the leaderboard."""
    found = []
    for one in measures:
        if one.measure != Baseline.MULTIPLE_CHOICE or "accuracy" not in one.figures:
            continue
        found.append(ChoiceRow(one, EVERYTHING, None, one.figures))
        found += [
            ChoiceRow(one, dialogues_name(name, of), None, of)
            for name, of in one.figures["by_subset"].items()
        ]
        for number, subset in enumerate(report.figures["subsets"] if report else []):
            found += [
                ChoiceRow(one, subset["name"], number, row)
                for row in subset.get("choices", [])
                # The first part are all items; numbers of turns have their rows already.
                if number and row["baseline"] == one.pk and not _is_of_turns(subset["name"])
            ]
    return found


def dialogues_name(key: str, share: Mapping[str, Any]) -> str:
    """What some dialogues are called: a message where the figures hold one."""
    # What earlier versions stored has no name beside its key.
    name: str = share.get("name", key)
    return name


def _is_of_turns(name: str) -> bool:
    return name.startswith("turns: ")


def choices(measures: Sequence[Baseline], report: BaselineReport | None) -> FurtherTable:
    """How often each language model chose the candidate that people scored highest."""
    names = ("n", "right", "accuracy", "standard_error", "chance")
    rows: list[list[Cell]] = [
        [
            one.baseline.name,
            one.subset,
            *(one.figures[name] for name in names),
            *_over_orders(one),
            one.figures["reason"],
        ]
        for one in choice_rows(measures, report)
    ]
    return FurtherTable(
        "choices",
        "Multiple choice: how often each language model picked the candidate of a dialogue that"
        " people scored highest.",
        {
            "model": "with its settings, as in the head of `baselines.tsv`",
            "subset": "part of the dialogues, or `all`",
            "dialogues": "dialogues that count",
            "right": "right ones among them, mean over the shuffles of the candidates",
            "accuracy": "share of right ones",
            "standard_error": "of the accuracy, over dialogues",
            "chance": "accuracy expected of choosing at random",
            "shuffles": "orders in which the candidates were listed; only of all dialogues, as"
            " the next three",
            "shuffle_sd": "standard deviation of the accuracies of single orders, n - 1",
            "shuffle_low": "the lowest of them",
            "shuffle_high": "the highest of them",
            "reason": "why cells are empty",
        },
        rows,
        booktabs(
            "Multiple choice: accuracy of each language model, by part of the dialogues; of all"
            " dialogues also the standard deviation over the orders in which the candidates were"
            " listed, and the lowest and the highest accuracy of one.",
            "tab:choices",
            [
                *("model", "dialogues of", "n", "right", "accuracy", "standard error"),
                *("by chance", "orders", "sd", "lowest", "highest"),
            ],
            [[*row[:-5], *(("", "", "", "") if row[-5] is None else row[-5:-1])] for row in rows],
            n_texts=2,
        ),
    )


def _over_orders(row: ChoiceRow) -> list[Cell]:
    """Number of orders, and the spread of their accuracies, where it was computed."""
    of = row.figures.get("shuffles")
    return [of["n"], of.get("sd"), of["low"], of["high"]] if of else [None] * 4


def prompts(measures: Sequence[Baseline]) -> FurtherTable:
    """What each language model that chose has read of the first dialogue."""
    settings = ("style", "with_dialogue", "answer", "likelihood")
    asked = [one for one in measures if one.figures.get("example")]
    return FurtherTable(
        "prompts",
        "Multiple choice: what each language model has read of the first dialogue.",
        {
            "model": "with its settings, as in `choices.tsv`",
            "style": "`giccs`: turns numbered, candidates after A., B. [GiCCS]; `plain`: ours",
            "with_dialogue": "whether it has read the turns before the last one",
            "answer": "what is scored: the candidate's `text`, or its `letter`",
            "likelihood": "of an answer: `sum` over its tokens, or `per_token`, their mean",
            "prompt": "one of the orders of the candidates; the answer follows it",
        },
        [
            [one.name, *(str(one.figures[name]) for name in settings), one.figures["example"]]
            for one in asked
        ],
        "\n".join(
            listing(
                f"Prompt of the first dialogue: {one.name}.",
                numbered("fig:prompt", number),
                one.figures["example"],
            )
            for number, one in enumerate(asked)
        ),
    )


def layer_series(one: Baseline) -> dict[str, list[Mapping[str, Any]]]:
    """The figures of each layer of BERTScore by part of the items; empty without any."""
    if LAYERS not in one.figures:
        return {}
    return {EVERYTHING: one.figures[LAYERS], **one.figures.get(BY_OVERLAP, {})}


def name_without_layer(one: Baseline) -> str:
    """What every layer of it is called together: "BERTScore m, idf" of "… m, layer 2, idf"."""
    layer = layer_name(int(one.settings.get("layer", -1)))
    return one.name.replace(f", {layer}", "", 1)


def layered(measures: Iterable[Baseline]) -> dict[str, Baseline]:
    """BERTScore by model and its other settings: every layer is there, whichever was asked for.

    Of several with the same layers the one that was computed last.
    """
    in_order = sorted(measures, key=lambda one: (one.computed_at, one.pk))
    return {name_without_layer(one): one for one in in_order if layer_series(one)}


def layers(measures: Sequence[Baseline]) -> FurtherTable:
    """The correlation of each layer of BERTScore with people's scores, by overlap of the words."""
    coefficients = ("pearson", "spearman", "kendall")
    rows: list[list[Cell]] = []
    printed: list[str] = []
    for name, one in layered(measures).items():
        series = layer_series(one)
        for subset, of_layers in series.items():
            rows += [
                [
                    name,
                    subset,
                    of["layer"],
                    of["n"],
                    *(of[coefficient] for coefficient in coefficients),
                    of["reason"],
                ]
                for of in of_layers
            ]
        people = one.figures["people"]["name"]
        printed.append(
            booktabs(
                f"{name}: Pearson's correlation of each layer with people's scores ({people}), by"
                " overlap of the words; layer 0 are the embeddings.",
                numbered("tab:layers", len(printed)),
                ["layer", *(f"{subset} ({of[0]['n']})" for subset, of in series.items())],
                [
                    [str(at_layer[0]["layer"]), *(of["pearson"] for of in at_layer)]
                    for at_layer in zip(*series.values(), strict=True)
                ],
            )
        )
    return FurtherTable(
        "layers",
        "BERTScore: correlation of each layer with people's scores, over all items and by overlap"
        " of the words.",
        {
            "measure": "its name, as in the head of `baselines.tsv`, without the layer",
            "subset": "`all` items, or a part of them, whatever parts the leaderboard has:"
            " `f1_eq_0` and `f1_ne_0` by SQuAD's F1, which compares words without articles and"
            " punctuation; `shared word` and `no shared word` by all words",
            "layer": "0 are the embeddings",
            "n": "items with people's score and a value",
            **dict.fromkeys(coefficients, "the coefficient"),
            "reason": "why cells are empty",
        },
        rows,
        "\n".join(printed),
    )


def trainings(study: Study) -> FurtherTable:
    """What each trained model finds in each test, over its runs."""
    rows: list[list[Cell]] = []
    printed: list[list[Any]] = []
    for row in study.trainings.order_by("pk"):
        figures, learnt = row.figures, row.parameters["learnt"]
        used = figures["settings"]
        for test, of in figures["tests"].items():
            pearson, spearman = of["pearson"], of["spearman"]
            rows.append(
                [row.name, row.kind, row.model, row.revision, learnt["study"] or ""]
                + [figures["n_train"], figures.get("n_labelled", 0), test]
                + [figures["n_tests"][test], used["runs"]]
                + [pearson["mean"], pearson["sd"], spearman["mean"], spearman["sd"]]
                + [used[name] for name in ("epochs", "batch_size", "learning_rate", "warmup")]
                + [row.device, row.seconds, pearson["reason"]]
            )
            printed.append(
                [
                    row.name,
                    row.model,
                    test,
                    figures["n_train"],
                    figures["n_tests"][test],
                    used["runs"],
                    *((one["mean"], one["sd"]) for one in (pearson, spearman)),
                ]
            )
    return FurtherTable(
        "trainings",
        "What each trained model finds in each test: mean and standard deviation over its runs.",
        {
            "name": "of the trained model",
            "kind": "bi_encoder (two towers) or cross_encoder",
            "model": "from which the training started",
            "revision": "of that model",
            "trained_on": "short name of the study whose pairs it was trained on; empty: this one",
            "n_train": "pairs it was trained on",
            "n_labelled": "of these labelled by a cross-encoder",
            "test": "name of the test",
            "n_test": "pairs of the test",
            "runs": "which differ in their seed",
            "pearson": "mean over the runs",
            "pearson_sd": "standard deviation, n - 1",
            "spearman": "mean over the runs",
            "spearman_sd": "standard deviation, n - 1",
            "epochs": "how often each pair is seen",
            "batch_size": "pairs of one step",
            "learning_rate": "the highest",
            "warmup": "share of the steps over which the learning rate rises",
            "device": "on which it was trained",
            "seconds": "how long that took",
            "reason": "why cells are empty",
        },
        rows,
        booktabs(
            "Models trained on people's scores: correlation with the scores of each test, mean"
            " over the runs, standard deviation in parentheses.",
            "tab:trainings",
            [
                "model",
                "from",
                "test",
                "pairs to train",
                "pairs to test",
                "runs",
                "Pearson",
                "Spearman",
            ],
            printed,
            n_texts=3,
        ),
    )
