"""Studies that are made once for all tests of a module."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model
from django.test import override_settings

# What makes a row, by the module whose tests want it.
_MAKERS: dict[str, list[Callable[[], Model]]] = defaultdict(list)


@dataclass(frozen=True)
class Rows:
    """What was made once for a module, by name, and the folder with the files of that."""

    made: dict[str, Model]
    folder: Path


def made_once(make: Callable[[], Any]) -> Any:
    """A fixture for a row that takes long to make, with everything that hangs on it.

    It is made in a transaction around those of the tests: each test finds it as it was made,
    whatever the test before did to it, and the files that were written beside it in a folder of
    its own. For modules whose tests all have transactions that are rolled back.
    """
    _MAKERS[make.__module__].append(make)

    @pytest.fixture(name=make.__name__)
    def found(rows_of_module: Rows, _keep_files_apart: None) -> Model:
        row = rows_of_module.made[make.__name__]
        copytree(rows_of_module.folder, settings.DATA, dirs_exist_ok=True)
        return type(row)._default_manager.get(pk=row.pk)

    return found


@contextmanager
def rows_of(module: str, folder: Path) -> Iterator[Rows]:
    """Everything that this module has made once; no row of it is left behind."""
    assert not connection.in_atomic_block, (
        "made within a test: whoever asks for such a row by its name takes `rows_of_module`, too"
    )
    around = transaction.atomic()
    # As around the tests themselves: what must be no part of a transaction may still be tested.
    around._from_testcase = True  # type: ignore[attr-defined]
    with around:
        static = folder / "static"
        static.mkdir()
        with override_settings(DATA=folder, MEDIA_ROOT=folder / "files", STATIC_ROOT=static):
            rows = Rows({make.__name__: make() for make in _MAKERS[module]}, folder)
        yield rows
        transaction.set_rollback(True)
