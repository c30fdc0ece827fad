"""The tables of a rating result across its phases: agreement, correlations of sets."""

from collections.abc import Mapping
from typing import Any

from annotation.exports.table_of_result import ResultTable


def tables_of(statistics: Mapping[str, Any]) -> list[ResultTable]:
    return []
