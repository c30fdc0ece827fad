"""What is kept of rendered texts."""

from annotation.basics import markdown
from annotation.basics.markdown import (
    MAX_BRACKETS,
    _Rendered,
    has_too_many_cells,
    is_slow,
    render_markdown,
)


def test_what_is_kept_is_bounded_by_its_length(monkeypatch) -> None:
    rendered = []
    monkeypatch.setattr(markdown, "_rendered", _Rendered(max_chars=1500))
    monkeypatch.setattr(markdown, "_html_of", lambda text: rendered.append(text) or text)

    for n in (300, 301, 300, 302, 303, 300):
        markdown.render_markdown("x" * n)
        assert markdown._rendered.n_chars <= 1500

    assert [len(text) for text in rendered] == [300, 301, 302, 303, 300]
    markdown.render_markdown("x" * 751)
    assert markdown._rendered.n_chars <= 1500


def test_brackets_are_counted() -> None:
    assert is_slow("![" * (MAX_BRACKETS + 1))
    assert not is_slow("[a](https://example.org) " * MAX_BRACKETS)


def test_a_text_of_wide_tables_is_shown_without_them() -> None:
    """Its rows would be filled up to hundreds of thousands of cells."""
    columns, rows = 181, 360
    table = "|".join("a" * columns) + "\n" + "|".join("-" * columns) + "\n" + "a\n" * rows
    html = render_markdown(table)

    assert has_too_many_cells(table)
    assert "<td>" not in html
    assert len(html) < 2 * len(table)


def test_a_table_of_some_columns_is_a_table() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 100

    assert not has_too_many_cells(table)
    assert render_markdown(table).count("<td>") == 200
