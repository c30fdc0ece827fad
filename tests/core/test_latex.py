"""LaTeX of any text: it prints that text, and a table keeps its shape."""

import re

from hypothesis import given
from hypothesis import strategies as st

from annotation.core.exports import latex, markdown
from scoring.baselines.latex_writing import escape
from tests.support.hostile_texts import HOSTILE, shown

CELLS = st.integers(2, 4).flatmap(
    lambda n: st.lists(st.lists(HOSTILE, min_size=n, max_size=n), min_size=1, max_size=4)
)


@given(HOSTILE)
def test_latex_shows_the_text_and_nothing_else(text: str) -> None:
    escaped = escape(text)

    assert shown(escaped) == markdown.one_line(text)
    assert "--" not in escaped


def test_figures_have_a_true_minus_and_what_is_undefined_a_dash() -> None:
    rows = [["a–b -1", "–", "-0.084", "12.5 %", "-0.1 to 0.3"]]

    table = latex.table("x", "tab:x", ["a", "b", "c", "d", "e"], rows)

    assert r"a–b -1 & -- & $-$0.084 & 12.5 \% & $-$0.1 to 0.3 \\" in table


@given(HOSTILE, CELLS)
def test_a_table_has_as_many_cells_in_each_row(caption: str, cells: list[list[str]]) -> None:
    table = latex.table(caption, "tab:x", cells[0], cells[1:])

    columns = re.search(r"\\begin\{tabular\}\{(l(r+))\}", table)
    assert columns
    assert len(columns[1]) == len(cells[0])
    rows = [line.strip() for line in table.split("\n") if line.endswith(r" \\")]
    assert [
        [shown(cell.strip(" ")) for cell in re.split(r"(?<!\\)&", row.removesuffix(r"\\"))]
        for row in rows
    ] == [[markdown.one_line(cell) for cell in row] for row in cells]
    plain = re.sub(r"\\[{}]", "", table)
    assert plain.count("{") == plain.count("}")
    # Nothing but the table's own lines begins with a command.
    commands = [line.strip() for line in table.split("\n") if line.startswith("  \\")]
    assert len(commands) == 5
