"""Files with one text a line, and tables without a header."""

from collections.abc import Iterator

from annotation.basics.sentences import Problem, ngettext
from annotation.basics.sentences import sentence as _
from annotation.items.imports.entries import Builder
from annotation.items.imports.lines import Lines, Record, look_further
from annotation.items.imports.parsed import ParsedItem
from annotation.items.imports.problems import item_text_problem, key_problem


def read_column(records: Iterator[Record], builder: Builder) -> None:
    """A table without a header: one item a line, if it has one column."""
    if not builder.takes("single"):
        return
    for record in records:
        builder.n_seen += 1
        if not record.cells:
            builder.is_whole = False
            continue
        if len(record.cells) == 1:
            _add_text(record.line, record.cells[0], builder)
        else:
            builder.problems.add(
                record.line,
                Problem(
                    "missing",
                    ngettext(
                        "%(n)s column, but line 1 does not name it",
                        "%(n)s columns, but line 1 does not name them",
                        len(record.cells),
                    ),
                    _(
                        "begin the file with a line id, text or id, target, candidate, separated"
                        " by tabs, commas or semicolons"
                    ),
                )
                % {"n": len(record.cells)},
            )
            if record.line == 1 or builder.n_seen == 1:
                # It would be said of every line.
                look_further(records)
                builder.n_seen = 0
                return


def read_texts(lines: Lines, builder: Builder) -> None:
    if not builder.takes("single"):
        return
    n_blank = 0
    for line, raw in lines:
        text = raw.removesuffix("\n").removesuffix("\r")
        if not text:
            n_blank += 1
            continue
        for number in range(line - n_blank, line):
            builder.problems.add(
                number,
                Problem("missing", _("the line is empty"), _("write an item or remove the line")),
            )
        n_blank = 0
        builder.n_seen += 1
        _add_text(line, text, builder)


def _add_text(line: int, text: str, builder: Builder) -> None:
    if problem := item_text_problem(text):
        builder.problems.add(line, problem % {"field": _("the text")})
    elif not text.strip():
        builder.problems.add(
            line, Problem("missing", _("the text is empty"), _("write an item or remove the line"))
        )
    else:
        # A text that could not be an id is known by its line.
        key = f"line-{line}" if key_problem(text) else text
        builder.add_item(
            line,
            _("the text"),
            ParsedItem(key, text, pool=builder.pool_of(line, "", may_be_alone=False)),
        )
