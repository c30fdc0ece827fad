"""Tables of pairs or texts (TSV and CSV), and files with one text a line."""

from collections.abc import Callable, Iterator
from itertools import chain

from annotation.imports.entries import Builder, ParsedItem, class_problem
from annotation.imports.lines import Lines, Record
from annotation.imports.problems import key_problem, shown, text_problem
from annotation.sentences import Said, ngettext
from annotation.sentences import sentence as _

_KNOWN = {"id", "target", "candidate", "text"}


def read_table(records: Iterator[Record], builder: Builder) -> None:
    first = next(records, None)
    if first is None:
        return
    names = [name.strip() for name in first.cells]
    known = [name.lower() if name.lower() in _KNOWN else name for name in names]
    if not names:
        for _ in records:
            pass  # a header that cannot be read; what is wrong further down is said, too
        return
    if not set(known) & _KNOWN:
        _read_column(chain([first], records), builder)
        return
    pairs = "target" in known or "candidate" in known
    builder.shape = "pairs" if pairs else "single"
    required = ["id", "target", "candidate"] if pairs else ["id", "text"]
    if not _header_is_sound(first.line, known, required, builder):
        # Without its columns nothing can be said about a row; whether it can be read at all can.
        for _ in records:
            pass
        return
    text_column = "candidate" if pairs else "text"
    special = {*required, "intended_class"}
    for record in records:
        builder.n_seen += 1
        if not record.cells:
            builder.is_whole = False
            continue
        if len(record.cells) != len(known):
            builder.problems.add(
                record.line,
                ngettext(
                    "%(n)s column, but the header has %(names)s; a field with a tab, comma or"
                    " line break inside needs quotation marks",
                    "%(n)s columns, but the header has %(names)s; a field with a tab, comma or"
                    " line break inside needs quotation marks",
                    len(record.cells),
                )
                % {"n": len(record.cells), "names": len(known)},
            )
            continue
        row = dict(zip(known, record.cells, strict=True))
        if _row_is_sound(record.line, row, required, builder):
            builder.add_item(
                record.line,
                "id",
                ParsedItem(
                    row["id"],
                    row[text_column],
                    target=row["target"] if pairs else None,
                    intended_class=row.get("intended_class", ""),
                    metadata={name: text for name, text in row.items() if name not in special},
                ),
            )


def _header_is_sound(line: int, names: list[str], required: list[str], builder: Builder) -> bool:
    n_before = len(builder.problems)
    for name in required:
        if name not in names:
            builder.problems.add(
                line,
                _("column %(name)s is missing; the header needs %(names)s")
                % {"name": name, "names": ", ".join(required)},
            )
    for number, name in enumerate(names, start=1):
        if not name:
            builder.problems.add(
                line, _("column %(n)s has no name; name it or remove it") % {"n": number}
            )
        elif names.index(name) < number - 1:
            builder.problems.add(
                line,
                _("column %(name)s occurs twice; rename one of them") % {"name": shown(name)},
            )
        elif problem := text_problem(name):
            builder.problems.add(
                line, problem % {"field": _("column %(name)s") % {"name": shown(name)}}
            )
    return len(builder.problems) == n_before


def _row_is_sound(line: int, row: dict[str, str], required: list[str], builder: Builder) -> bool:
    checks: dict[str, Callable[[str], Said]] = {"id": key_problem, "intended_class": class_problem}
    sound = True
    for name, text in row.items():
        problem = checks.get(name, text_problem)(text)
        if not problem and name in required and not text.strip():
            problem = _("%(field)s is empty; write the text or remove the line")
        if problem:
            sound = False
            builder.problems.add(line, problem % {"field": name})
    return sound


def _read_column(records: Iterator[Record], builder: Builder) -> None:
    """A table without a header: one item a line, if it has one column."""
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
                ngettext(
                    "%(n)s column, but line 1 does not name it; begin the file with a line id,"
                    " text or id, target, candidate, separated by tabs, commas or semicolons",
                    "%(n)s columns, but line 1 does not name them; begin the file with a line id,"
                    " text or id, target, candidate, separated by tabs, commas or semicolons",
                    len(record.cells),
                )
                % {"n": len(record.cells)},
            )
            if record.line == 1 or builder.n_seen == 1:
                # It would be said of every line.
                for _ in records:
                    pass
                builder.n_seen = 0
                return


def read_texts(lines: Lines, builder: Builder) -> None:
    n_blank = 0
    for line, raw in lines:
        text = raw.removesuffix("\n").removesuffix("\r")
        if not text:
            n_blank += 1
            continue
        for number in range(line - n_blank, line):
            builder.problems.add(number, _("the line is empty; write an item or remove the line"))
        n_blank = 0
        builder.n_seen += 1
        _add_text(line, text, builder)


def _add_text(line: int, text: str, builder: Builder) -> None:
    if problem := text_problem(text):
        builder.problems.add(line, problem % {"field": _("the text")})
    elif not text.strip():
        builder.problems.add(line, _("the text is empty; write an item or remove the line"))
    else:
        # A text that could not be an id is known by its line.
        key = f"line-{line}" if key_problem(text) else text
        builder.add_item(line, _("the text"), ParsedItem(key, text))
