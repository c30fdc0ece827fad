"""Tables that are stacked on a phone: roles and labels come from their headers."""

from django.template import Context, Template

TABLE = """{% load stacked %}{% stacked %}<table class="wide">
<thead><tr>
  <th scope="col">Name</th><th scope="col">At <small>(UTC)</small></th><th></th>
</tr></thead>
<tbody>{% for name, at in rows %}<tr>
  <th scope="row" dir="auto">{{ name }}</th><td class="quiet">{{ at }}</td><td>x</td>
</tr>{% endfor %}</tbody>
</table>{% endstacked %}"""


def test_each_cell_has_the_label_of_its_column_and_everything_a_role() -> None:
    html = Template(TABLE).render(Context({"rows": [("A", "1"), ("B", "2")]}))

    assert '<table class="wide" role="table">' in html
    assert html.count('role="rowgroup"') == 2
    assert html.count('role="row"') == 3
    assert html.count('role="columnheader"') == 3
    assert '<th scope="row" dir="auto" role="rowheader">B</th>' in html
    assert '<td class="quiet" data-label="At (UTC)" role="cell">2</td>' in html
    # A column without a name gives none.
    assert '<td role="cell">x</td>' in html


def test_a_cell_after_a_wide_one_has_the_label_of_its_own_column() -> None:
    html = Template(
        "{% load stacked %}{% stacked %}<table><thead><tr><th>a</th><th>b</th><th>c</th></tr>"
        '</thead><tfoot><tr><th colspan="2">1</th><td>2</td></tr></tfoot></table>{% endstacked %}'
    ).render(Context())

    assert '<td data-label="c" role="cell">2</td>' in html


def test_a_wide_cell_has_the_label_of_its_first_column() -> None:
    html = Template(
        "{% load stacked %}{% stacked %}<table><thead><tr><th>a</th><th>b</th><th>c</th></tr>"
        '</thead><tbody><tr><td>1</td><td colspan="2">2</td></tr></tbody></table>{% endstacked %}'
    ).render(Context())

    assert '<td colspan="2" data-label="b" role="cell">2</td>' in html


def test_what_people_wrote_stays_as_it_was() -> None:
    written = '<td data-label="x">"'
    html = Template(TABLE).render(Context({"rows": [(written, written)]}))

    assert html.count("&lt;td data-label=&quot;x&quot;&gt;&quot;") == 2
    assert html.count("<td") == 2


def test_quotation_marks_of_a_header_do_not_end_the_label() -> None:
    html = Template(
        '{% load stacked %}{% stacked %}<table><thead><tr><th>{{ head }}</th><th>"b"</th></tr>'
        "</thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>{% endstacked %}"
    ).render(Context({"head": 'a "<'}))

    assert 'data-label="a &quot;&lt;"' in html
    assert 'data-label="&quot;b&quot;"' in html


def test_a_cell_of_white_space_alone_is_empty() -> None:
    """So that the style sheet can hide it on a phone, where it would be a label beside nothing."""
    html = Template(TABLE).render(Context({"rows": [("A", "\n  "), ("B", " 2 ")]}))

    assert '<td class="quiet" data-label="At (UTC)" role="cell"></td>' in html
    assert '<td class="quiet" data-label="At (UTC)" role="cell"> 2 </td>' in html
