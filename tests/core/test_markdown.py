"""What is kept of rendered texts."""

from annotation.basics import markdown
from annotation.basics.markdown import MAX_BRACKETS, _Rendered, is_slow


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
