"""A table of pairs of texts: its measures computed, beside those it has, and written back."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from scoring.arrays import FloatArray
from scoring.baselines.asked import KINDS, AskedMeasure
from scoring.baselines.lexical import lexical_values
from scoring.baselines.model_process import model_values
from scoring.baselines.pairs import Pair
from scoring.command.tables import Table, lines_of
from shell import InputError, reason

# Told a measure's name and the share of it that is done.
Progress = Callable[[str, float], None]


def compute(
    measures: Sequence[AskedMeasure],
    pairs: Sequence[Pair],
    *,
    models: Path | None,
    store: Path | None,
    progress: Progress,
) -> dict[str, FloatArray]:
    """Compute the measures of all pairs.

    Parameters
    ----------
    measures : sequence of AskedMeasure
    pairs : sequence of Pair, length n
    models : path or None
        Folder of models, for those that were not named by a path.
    store : path or None
        Where vectors are kept; None for nowhere.
    progress : callable

    Returns
    -------
    dict of float arrays, shape (n,)
        By name, in the order asked for.

    Raises
    ------
    InputError
        If the data, the model or the packages of a measure are missing.
    """
    computed = {}
    with ExitStack() as stack:
        for measure in measures:

            def tell(share: float, name: str = measure.name) -> None:
                progress(name, share)

            specification = measure.specification
            if specification.measure in KINDS:
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                computed[measure.name] = model_values(
                    specification,
                    pairs,
                    folder=folder,
                    store=store or folder / "store",
                    models=measure.models or models,
                    progress=tell,
                )
                continue
            try:
                computed[measure.name] = lexical_values(
                    specification.measure,
                    pairs,
                    settings=specification.settings,
                    progress=tell,
                )
            except ValueError as error:
                raise InputError(f"{measure.name}: {error}") from error
    return computed


def side_by_side(
    computed: Mapping[str, FloatArray], columns: Mapping[str, FloatArray]
) -> dict[str, FloatArray]:
    """What was computed, then what the table has, under names that differ.

    Raises
    ------
    InputError
        If they cannot be told apart.
    """
    measures = dict(computed)
    for name, values in columns.items():
        own = f"{name} (column)" if name in computed else name
        if own in measures or (own != name and own in columns):
            raise InputError(f"two measures would be called {own!r}: rename the column")
        measures[own] = values
    return measures


def refuse_unwritable(name: str, *, table_file: str) -> None:
    """Refuse a file that cannot be written, before anything is computed; leave it as it is.

    Nor is the file of the table itself overwritten.
    """
    path = Path(name)
    was_there = path.exists()
    if was_there and table_file != "-" and path.samefile(table_file):
        raise InputError(f"argument --values: {name} is the table itself: name another file")
    try:
        with path.open("ab"):
            pass
        if not was_there:
            path.unlink()
    except (OSError, ValueError) as error:
        raise _unwritable(name, error) from error


def write_values(name: str, table: Table, computed: Mapping[str, FloatArray]) -> None:
    """Write the table as TSV, with a column for each measure at its end.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    columns = [*table.columns]
    for measure in computed:
        columns.append(f"{measure} (computed)" if measure in table.columns else measure)
    values = [column.tolist() for column in computed.values()]
    rows = (
        [*row[: len(table.columns)], *(column[place] for column in values)]
        for place, row in enumerate(table.rows)
    )
    try:
        with open(name, "wb") as file:
            file.writelines(lines_of(columns, rows))
    except (OSError, ValueError) as error:
        raise _unwritable(name, error) from error


def _unwritable(name: str, error: OSError | ValueError) -> InputError:
    return InputError(f"argument --values: cannot write {name}: {reason(error)}")
