"""Rewrites the first migration so that each table is made at once, with its rules and indexes.

`makemigrations` makes the tables in the order of their names, adds the foreign keys afterwards and
then each constraint by itself. Django renders the models anew after each of these steps, which
takes most of the time of a first start. Run it whenever there is one migration again:

    .venv/bin/python -m scripts.fold_migration
"""

import os
from collections.abc import Iterator
from pathlib import Path

import django
from django.apps import apps
from django.db.migrations import AddConstraint, AddField, AddIndex, CreateModel
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.writer import MigrationWriter

APP, NAME = "annotation", "0001_initial"


def folded(operations: list[Operation]) -> Iterator[Operation]:
    """The same tables, each after those it refers to.

    Where two refer to each other, one has its foreign keys to the other added at the end.
    """
    waiting = {made.name_lower: made for made in operations if isinstance(made, CreateModel)}
    for added in operations:
        if isinstance(added, AddField):
            waiting[added.model_name_lower].fields.append((added.name, added.field))
        elif isinstance(added, AddIndex):
            options = waiting[added.model_name_lower].options
            options.setdefault("indexes", []).append(added.index)
        elif isinstance(added, AddConstraint):
            options = waiting[added.model_name_lower].options
            options.setdefault("constraints", []).append(added.constraint)
    last: list[Operation] = []
    while waiting:
        names = [name for name in waiting if not _referred_to(waiting[name]) & waiting.keys()]
        if not names:
            names = [max(waiting, key=lambda name: _n_waiting_for(name, waiting))]
            last += _fields_taken_out(waiting[names[0]], waiting)
        for name in names:
            yield waiting.pop(name)
    yield from last


def _referred_to(model: CreateModel) -> set[str]:
    return {name for _name, field in model.fields for name in _targets(field)} - {model.name_lower}


def _targets(field: object) -> Iterator[str]:
    remote = getattr(field, "remote_field", None)
    for target in (getattr(remote, "model", None), getattr(remote, "through", None)):
        if isinstance(target, str):
            yield target.rpartition(".")[2].lower()


def _n_waiting_for(name: str, waiting: dict[str, CreateModel]) -> int:
    return sum(name in _referred_to(model) for model in waiting.values())


def _fields_taken_out(model: CreateModel, waiting: dict[str, CreateModel]) -> list[Operation]:
    """Foreign keys to tables that are made later, and the rules that speak of them."""
    others = waiting.keys() - {model.name_lower}
    late = {name: field for name, field in model.fields if others & set(_targets(field))}
    model.fields = [(name, field) for name, field in model.fields if name not in late]
    last: list[Operation] = [AddField(model.name_lower, name, late[name]) for name in late]
    for option, operation in (("indexes", AddIndex), ("constraints", AddConstraint)):
        for rule in [*model.options.get(option, [])]:
            # A rule that speaks of such a key has its name somewhere in what describes it.
            if any(repr(name) in repr(rule.deconstruct()) for name in late):
                model.options[option].remove(rule)
                last.append(operation(model.name_lower, rule))
    return last


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    migration = MigrationLoader(None).get_migration(APP, NAME)
    migration.operations = list(folded([*migration.operations]))  # type: ignore[misc]
    path = Path(apps.get_app_config(APP).path) / "migrations" / f"{NAME}.py"
    path.write_text(MigrationWriter(migration).as_string(), encoding="utf-8")


if __name__ == "__main__":
    main()
