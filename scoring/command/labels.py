"""Statistics of labels, from a table with the columns annotator, unit and categories."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scoring.arrays import BoolArray
from scoring.command.ratings import places_of, pools_of
from scoring.command.tables import Table, read_table, write_json
from scoring.json_values import JsonObject, JsonValue
from scoring.labels.annotator_models.all_models import label_models
from scoring.labels.annotator_models.model import LabelModel, differs
from scoring.labels.labels import LabelCounts, Labels, count_labels
from scoring.labels.summary import summarise_labels
from scoring.ratings.ratings import number_names
from shell import InputError, OneLineParser

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[OneLineParser]

# Separates several names in one cell.
SEPARATOR = "|"


@dataclass(frozen=True, eq=False)
class NamedLabels:
    """A batch of labels, and what its numbers stand for: names in the order of the rows."""

    batch: Labels
    annotators: list[str]
    units: list[str]
    categories: list[str]

    @property
    def names(self) -> JsonObject:
        return {
            "annotators_named": [*self.annotators],
            "units_named": [*self.units],
            "categories_named": [*self.categories],
        }


def add_commands(commands: "Commands") -> None:
    """Add the commands of this family."""
    _add_labels(commands)
    _add_label_models(commands)


def _add_labels(commands: "Commands") -> None:
    parser = commands.add_parser(
        "labels",
        help="All statistics of labels: named categories, one or several",
        description=(
            "All statistics of labels: named categories, one or several.\n"
            "Writes JSON: how often each category is named, agreement (Krippendorff's alpha,\n"
            "Fleiss' kappa, share of equal pairs), agreement of each annotator with the others\n"
            "and with themselves, confused categories, and the counts of each unit. Lists have\n"
            "the order of annotators_named, units_named and categories_named.\n\n"
            "FILE is a table, CSV or TSV, with the columns annotator, unit and categories\n"
            "(several names separated by |). Optional columns are order (place in the\n"
            "annotator's order, from 0) and pool (of the unit; for the intervals, six or more\n"
            "pools are left out as a whole). If an annotator labels a unit twice, the later\n"
            "answer is a repeat."
        ),
        epilog='example:\n  python -m scoring labels labels.csv --categories "same|related|other"',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_file(parser)
    parser.add_argument(
        "--several", action="store_true", help="an answer can name several categories"
    )
    parser.set_defaults(run=_labels, remedy=": use --several")


def _add_label_models(commands: "Commands") -> None:
    parser = commands.add_parser(
        "label-models",
        help="Labels that allow for how well each person labels: Dawid-Skene, MACE, GLAD",
        description=(
            "Labels that allow for how well each person labels, from the models of Dawid and\n"
            "Skene, MACE and GLAD. Writes JSON: for each model the probability of each\n"
            "category, the label of each unit and the ability of each person, and the units to\n"
            "which the model gives another label than the most frequent answer. Lists have the\n"
            "order of annotators_named, units_named and categories_named; categories and units\n"
            "are given by their places there, from 0.\n\n"
            "FILE is a table as for the command labels, with one category for each answer. If\n"
            "an annotator labels a unit twice, only the earlier answer counts."
        ),
        epilog="example:\n  python -m scoring label-models labels.csv",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_file(parser)
    remedy = ", but the models are for answers of one category"
    parser.set_defaults(run=_label_models, remedy=remedy)


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="table of labels, or - for standard input")
    parser.add_argument(
        "--categories",
        metavar="NAMES",
        help="all categories in their order, separated by | (default: in the order of the rows)",
    )


def _labels(options: argparse.Namespace) -> None:
    table = read_table(options.file)
    named = read_labels(
        table, options.categories, is_several=options.several, remedy=options.remedy
    )
    labels = named.batch
    pool = pools_of(table, labels.unit, n_units=labels.n_units)
    write_json({**named.names, **summarise_labels(labels, pool=pool).as_dict()})


def _label_models(options: argparse.Namespace) -> None:
    table = read_table(options.file)
    named = read_labels(table, options.categories, remedy=options.remedy)
    counts = count_labels(named.batch.first_answers())
    models: JsonObject = {
        name: _figures(model, counts) for name, model in label_models(named.batch).items()
    }
    write_json({**named.names, "mode": _modes(counts), "models": models})


def _modes(counts: LabelCounts) -> JsonValue:
    """The most frequent category of each unit, None without one."""
    mode = np.where(counts.has_label, counts.label.argmax(axis=1), np.nan)
    return [None if np.isnan(k) else int(k) for k in mode]


def _figures(model: LabelModel, counts: LabelCounts) -> JsonObject:
    differing: JsonValue = [int(i) for i in np.flatnonzero(differs(model, counts))]
    return {**model.as_dict(), "differs": differing}


def read_labels(
    table: Table,
    categories: str | None = None,
    *,
    is_several: bool = False,
    remedy: str = ", but only one is expected",
) -> NamedLabels:
    """Read labels; `categories` are the names of all, separated, else those of the rows.

    Raises InputError where a cell is empty or names what it cannot; `remedy` ends what is said of
    a cell with several categories.
    """
    for name in ("annotator", "unit", "categories"):
        table.refuse_empty(name)
    annotators, annotator = number_names(table.cells("annotator"))
    units, unit = number_names(table.cells("unit"))
    names, chosen = _chosen(table, categories, is_several=is_several, remedy=remedy)
    batch = Labels(
        annotator,
        unit,
        chosen,
        len(annotators),
        len(units),
        is_several=is_several,
        order=places_of(table),
    )
    return NamedLabels(batch, annotators, units, names)


def _chosen(
    table: Table, wanted: str | None, *, is_several: bool, remedy: str
) -> tuple[list[str], BoolArray]:
    """All categories, and which of them each row names."""
    rows = [cell.split(SEPARATOR) for cell in table.cells("categories")]
    names = (
        list(dict.fromkeys(name for row in rows for name in row))
        if wanted is None
        else wanted.split(SEPARATOR)
    )
    if wanted is not None and (len(set(names)) < len(names) or not all(map(str.strip, names))):
        raise InputError(
            f"argument --categories: {wanted!r} has an empty name or the same name twice"
        )
    number = {name: k for k, name in enumerate(names)}
    chosen = np.zeros((len(rows), len(names)), dtype=np.bool_)
    for j, (line, row) in enumerate(zip(table.lines, rows, strict=True)):
        if len(row) > 1 and not is_several:
            raise InputError(
                f"line {line}: {SEPARATOR.join(row)!r} names several categories{remedy}"
            )
        for name in row:
            if not name.strip():
                raise InputError(f"line {line}: a category without a name")
            if name not in number:
                raise InputError(
                    f"line {line}: {name!r} is not one of the categories {', '.join(names)}"
                )
            if chosen[j, number[name]]:
                raise InputError(f"line {line}: {name!r} is named twice")
            chosen[j, number[name]] = True
    return names, chosen
