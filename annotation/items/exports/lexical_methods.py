"""Lexical statistics of a study's texts as LaTeX, for a paper."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from annotation.core.exports import latex
from annotation.items.queries.lexical import PARTS, label
from scoring.rounding import rounded_text

# Heads and decimals of the columns of the LaTeX table.
_LATEX_COLUMNS = (
    ("n_texts", "texts", 0),
    ("n_turns", "turns", 0),
    ("n_tokens", "tokens", 0),
    ("mean_turn_length", "tokens/turn", 1),
    ("n_lemmas", "lemmas", 0),
    ("rttr", "RTTR", 2),
    ("mtld", "MTLD", 2),
    ("mean_rttr", "RTTR (mean)", 2),
    ("mean_mtld", "MTLD (mean)", 2),
)


def lexical_tex(figures: Mapping[str, Any]) -> str:
    """A table for each part, as GiCCS has one of its dialogues."""
    tables = []
    for part in PARTS:
        of_part = [row for row in figures["rows"] if row["part"] == part]
        if not of_part:
            continue
        has_lemmas = bool(figures["lemma_source"])
        shown = [column for column in _LATEX_COLUMNS if has_lemmas or column[0] != "n_lemmas"]
        caption = (
            f"Lexical statistics of the {part}. RTTR and MTLD (threshold .72): of all texts read"
            " as one, and the mean over texts."
        )
        if has_lemmas:
            caption += f" Lemmas: {figures['lemma_source']}."
        tables.append(
            latex.table(
                caption,
                f"tab:lexical-{part}",
                ["source, turns", *(head for _name, head, _digits in shown)],
                [
                    [
                        label(row, unknown="unknown", every="all"),
                        *(_number(row[name], digits) for name, _head, digits in shown),
                    ]
                    for row in of_part
                ],
            )
        )
    return "\n".join(tables)


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{Decimal(rounded_text(value, digits)):,f}"
