"""The files that each kind's folder has, loaded when they are first needed.

An annotator's page needs no results, and so neither numpy nor scipy.
"""

from typing import Any

from django.utils.module_loading import import_string


def class_of_kind(kind: str, file: str) -> Any:
    """The class `<Kind><File>` of `kinds/<kind>/<file>.py`."""
    name = f"{kind}_{file}".title().replace("_", "")
    return import_string(f"annotation.kinds.{kind}.{file}.{name}")
