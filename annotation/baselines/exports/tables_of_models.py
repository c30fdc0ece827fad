"""Tables of models: multiple choice, what was asked, layers of BERTScore, and training."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from annotation.baselines.exports.further_table import FurtherTable, numbered
from annotation.baselines.queries.leaderboards import columns_learnt
from annotation.baselines.queries.measure_figures import (
    ChoiceRow,
    choice_rows,
    layer_series,
    layered,
)
from annotation.basics.cells import Cell
from annotation.core.exports.columns import Column, columns_by_name
from annotation.models import Baseline, BaselineReport, Study, Training
from scoring.baselines.latex_listing import listing
from scoring.baselines.latex_writing import booktabs


def choices(measures: Sequence[Baseline], report: BaselineReport | None) -> FurtherTable:
    """How often each language model chose the candidate that people scored highest."""
    records = choice_rows(measures, report)
    return FurtherTable(
        "choices",
        "A multiple-choice test of language models: how often each model picked the candidate of a"
        " dialogue that people scored highest. One row for each model and part of the dialogues.",
        _choice_columns(),
        records,
        booktabs(
            "Multiple choice: accuracy of each language model, by part of the dialogues; of all"
            " dialogues also the standard deviation over the orders in which the candidates were"
            " listed, and the lowest and the highest accuracy of one.",
            "tab:choices",
            [
                *("model", "dialogues of", "n", "right", "accuracy", "standard error"),
                *("by chance", "orders", "sd", "lowest", "highest"),
            ],
            [_printed_choice(row) for row in records],
            n_texts=2,
        ),
    )


def _choice_columns() -> list[Column]:
    """Columns for records of `ChoiceRow`."""
    return [
        Column(
            "model",
            "name of the model with its settings, as in the first line of `baselines.tsv`",
            lambda row: row.baseline.name,
        ),
        Column(
            "subset", "the part of the dialogues; `all` for all of them", lambda row: row.subset
        ),
        Column("dialogues", "number of dialogues in the test", lambda row: row.figures["n"]),
        Column(
            "right",
            "number of dialogues with the right choice, averaged over the orders of candidates",
            lambda row: row.figures["right"],
        ),
        Column(
            "accuracy",
            "share of dialogues with the right choice",
            lambda row: row.figures["accuracy"],
        ),
        Column(
            "standard_error",
            "standard error of the accuracy over dialogues",
            lambda row: row.figures["standard_error"],
        ),
        Column(
            "chance",
            "expected accuracy of random choice",
            lambda row: row.figures["chance"],
        ),
        Column(
            "shuffles",
            "number of orders in which the candidates were listed. This and the next three columns"
            " only have values in rows about all dialogues",
            lambda row: _of_orders(row, "n"),
        ),
        Column(
            "shuffle_sd",
            "standard deviation of the accuracy over orders (n - 1 in the denominator)",
            lambda row: _of_orders(row, "sd"),
        ),
        Column("shuffle_low", "lowest accuracy of an order", lambda row: _of_orders(row, "low")),
        Column(
            "shuffle_high", "highest accuracy of an order", lambda row: _of_orders(row, "high")
        ),
        Column("reason", "why cells of the row are empty", lambda row: row.figures["reason"]),
    ]


def _of_orders(row: ChoiceRow, name: str) -> Cell:
    """The number of orders, or the spread of their accuracies; None if it was not computed."""
    orders = row.figures.get("shuffles")
    cell: Cell = orders.get(name) if orders else None
    return cell


def _printed_choice(row: ChoiceRow) -> list[Cell]:
    """A row as a paper prints it: what was not computed over several orders is left empty."""
    orders = ("n", "sd", "low", "high")
    return [
        row.baseline.name,
        row.subset,
        *(row.figures[name] for name in ("n", "right", "accuracy", "standard_error", "chance")),
        *(_of_orders(row, name) if row.figures.get("shuffles") else "" for name in orders),
    ]


def prompts(measures: Sequence[Baseline]) -> FurtherTable:
    """The prompt of the first dialogue for each language model."""
    prompted = [measure for measure in measures if measure.figures.get("example")]
    return FurtherTable(
        "prompts",
        "The multiple-choice test: the text that each language model read about the first"
        " dialogue. One row for each model.",
        _prompt_columns(),
        prompted,
        "\n".join(
            listing(
                f"Prompt of the first dialogue: {measure.name}.",
                numbered("fig:prompt", number),
                measure.figures["example"],
            )
            for number, measure in enumerate(prompted)
        ),
    )


def _prompt_columns() -> list[Column]:
    """Columns for records of `Baseline`."""
    return [
        Column(
            "model",
            "name of the model with its settings, as in `choices.tsv`",
            lambda row: row.name,
        ),
        Column(
            "style",
            "style of the prompt: `giccs` (as in Asaadi et al. 2022: turns are numbered, and"
            " candidates are marked A., B. and so on) or `plain` (a simpler one)",
            lambda row: str(row.figures["style"]),
        ),
        Column(
            "with_dialogue",
            "whether the model also read the turns before the last one",
            lambda row: str(row.figures["with_dialogue"]),
        ),
        Column(
            "answer",
            "which answer of the model was scored: the `text` of a candidate, or its `letter`",
            lambda row: str(row.figures["answer"]),
        ),
        Column(
            "likelihood",
            "how the likelihood of an answer was computed: `sum` over its tokens, or `per_token`"
            " (their mean)",
            lambda row: str(row.figures["likelihood"]),
        ),
        Column(
            "prompt",
            "the prompt, for one of the orders of the candidates; the answer follows it",
            lambda row: row.figures["example"],
        ),
    ]


def layers(measures: Sequence[Baseline]) -> FurtherTable:
    """The correlation of each layer of BERTScore with people's scores, by overlap of the words."""
    coefficients = ("pearson", "spearman", "kendall")
    records: list[dict[str, Any]] = []
    printed: list[str] = []
    for name, measure in layered(measures).items():
        series = layer_series(measure)
        for subset, of_layers in series.items():
            records += [{**figures, "measure": name, "subset": subset} for figures in of_layers]
        people = measure.figures["people"]["name"]
        printed.append(
            booktabs(
                f"{name}: Pearson's correlation of each layer with people's scores ({people}), by"
                " overlap of the words; layer 0 are the embeddings.",
                numbered("tab:layers", len(printed)),
                [
                    "layer",
                    *(f"{subset} ({figures[0]['n']})" for subset, figures in series.items()),
                ],
                [
                    [str(at_layer[0]["layer"]), *(figures["pearson"] for figures in at_layer)]
                    for at_layer in zip(*series.values(), strict=True)
                ],
            )
        )
    return FurtherTable(
        "layers",
        "How well each layer of a language model works in the measure BERTScore: its correlation"
        " with the scores of people. One row for each measure, part of the items and layer.",
        columns_by_name(
            {
                "measure": "name of the measure without the layer, otherwise as in the first line"
                " of `baselines.tsv`",
                "subset": "the part of the items: `all`; `f1_ne_0` and `f1_eq_0` (pairs that share"
                " a word, or none, without articles and punctuation); `shared word` and `no shared"
                " word` (the same with all words)",
                "layer": "number of the layer; layer 0 are the embeddings",
                "n": "number of items with a score from people and a value",
                **{
                    name: f"{name.capitalize()}'s correlation with people's scores"
                    for name in coefficients
                },
                "reason": "why cells of the row are empty",
            }
        ),
        records,
        "\n".join(printed),
    )


class TrainedOnTest(NamedTuple):
    """A trained model and the results of its runs in one test."""

    training: Training
    test: str

    @property
    def figures(self) -> dict[str, Any]:
        """Mean and standard deviation of each coefficient in this test."""
        figures: dict[str, Any] = self.training.figures["tests"][self.test]
        return figures

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the training used."""
        settings: dict[str, Any] = self.training.figures["settings"]
        return settings

    @property
    def n_test(self) -> int:
        n: int = self.training.figures["n_tests"][self.test]
        return n


def trainings(study: Study, withheld: Collection[str] = ()) -> FurtherTable:
    """The correlations of each trained model in each test, over its runs.

    Without models that learnt from a `withheld` column, or from items that a condition chose.
    """
    records = [
        TrainedOnTest(training, test)
        for training in study.trainings.order_by("pk")
        if not withheld or columns_learnt(training).isdisjoint(withheld)
        for test in training.figures["tests"]
    ]
    return FurtherTable(
        "trainings",
        "How well each trained model predicts the scores of each test: mean and standard"
        " deviation over its runs. One row for each model and test.",
        training_columns(),
        records,
        booktabs(
            "Models trained on people's scores: correlation with the scores of each test, mean"
            " over the runs, standard deviation over the runs in parentheses. It shows how much"
            " the random seed matters, not how much other test pairs would. No interval is"
            " computed.",
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
            [_printed_training(row) for row in records],
            n_texts=3,
        ),
    )


def training_columns() -> list[Column]:
    """Columns for records of `TrainedOnTest`."""
    return [
        Column("name", "name of the trained model", lambda row: row.training.name),
        Column(
            "kind",
            "kind of model: `bi_encoder` or `cross_encoder`",
            lambda row: row.training.kind,
        ),
        Column("model", "model that the training started from", lambda row: row.training.model),
        Column("revision", "version of this model", lambda row: row.training.revision),
        Column(
            "trained_on",
            "short name of the study whose pairs the model was trained on; empty if it is this"
            " one",
            lambda row: row.training.parameters["learnt"]["study"] or "",
        ),
        Column(
            "n_train",
            "number of pairs that the model was trained on",
            lambda row: row.training.figures["n_train"],
        ),
        Column(
            "n_labelled",
            "number of these pairs that a cross-encoder labelled",
            lambda row: row.training.figures.get("n_labelled", 0),
        ),
        Column("test", "name of the test", lambda row: row.test),
        Column("n_test", "number of pairs in the test", lambda row: row.n_test),
        Column(
            "runs",
            "number of runs, each with its own random seed",
            lambda row: row.settings["runs"],
        ),
        Column(
            "pearson",
            "Pearson's correlation, averaged over the runs",
            lambda row: row.figures["pearson"]["mean"],
        ),
        Column(
            "pearson_sd",
            "standard deviation of `pearson` over the runs (n - 1 in the denominator)",
            lambda row: row.figures["pearson"]["sd"],
        ),
        Column(
            "spearman",
            "Spearman's correlation, averaged over the runs",
            lambda row: row.figures["spearman"]["mean"],
        ),
        Column(
            "spearman_sd",
            "standard deviation of `spearman` over the runs (n - 1 in the denominator)",
            lambda row: row.figures["spearman"]["sd"],
        ),
        Column(
            "epochs",
            "how often the training used each pair",
            lambda row: row.settings["epochs"],
        ),
        Column(
            "batch_size",
            "number of pairs in one training step",
            lambda row: row.settings["batch_size"],
        ),
        Column(
            "learning_rate",
            "highest learning rate",
            lambda row: row.settings["learning_rate"],
        ),
        Column(
            "warmup",
            "share of the training steps in which the learning rate rises",
            lambda row: row.settings["warmup"],
        ),
        Column("device", "device that the model was trained on", lambda row: row.training.device),
        Column("seconds", "training time in seconds", lambda row: row.training.seconds),
        Column(
            "reason",
            "why cells of the row are empty",
            lambda row: row.figures["pearson"]["reason"],
        ),
    ]


def _printed_training(row: TrainedOnTest) -> list[Any]:
    """A row as a paper prints it: a mean with its deviation in parentheses."""
    figures = row.figures
    return [
        row.training.name,
        row.training.model,
        row.test,
        row.training.figures["n_train"],
        row.n_test,
        row.settings["runs"],
        *((figures[name]["mean"], figures[name]["sd"]) for name in ("pearson", "spearman")),
    ]
