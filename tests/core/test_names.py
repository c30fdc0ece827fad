"""`make check` refuses names that say what happened to a thing, and not what it is."""

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "names.py"


@pytest.fixture(scope="module")
def names() -> ModuleType:
    spec = importlib.util.spec_from_file_location("names_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "code",
    [
        "found = 1",
        "def f(told): pass",
        "for one in range(3): pass",
        "class Wanted: pass",
        "MOST_LETTERS = 5",
        "_LONGEST_NAME = 5",
        "with open(path) as kept: pass",
    ],
)
def test_a_participle_is_no_name(names: ModuleType, code: str) -> None:
    assert list(names.problems(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        "flags = found()",
        "class Row:\n    said: str",
        "class Serializer:\n    asked = Field()",
        "MAX_LETTERS = 5",
    ],
)
def test_a_field_may_have_the_name_of_its_column(names: ModuleType, code: str) -> None:
    assert not list(names.problems(ast.parse(code)))
