"""Collect what is wrong with a file, in the words of the person who shall repair it.

The functions that look at one value leave %(field)s open: the caller says which field it is.
"""

import math
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, NoReturn

from annotation.basics.errors import ImportProblemsError
from annotation.basics.numbers import grouped
from annotation.basics.sentences import Problem, Said, ngettext
from annotation.basics.sentences import sentence as _
from shell.normal_forms import MAX_MARKS, has_many_marks

LISTED = 200
# Reading stops here: more of them would keep a web server busy, and help nobody.
MAX_PROBLEMS = 1000
DEPTH = 20
# The length of one text, which an annotator reads on a screen: about 20 pages of a book.
MAX_TEXT_LENGTH = 50_000
# JSON values and cells in one upload. Each takes about a microsecond to read.
MAX_VALUES_READ = 8_000_000
# The same of a table of answers that needs no other form: a million answers of 20 columns.
MAX_CELLS_OF_ANSWERS = 21_000_000
# The same of a file of items, which are all kept in memory: 20 columns of 200,000 items.
MAX_VALUES_KEPT = 4_400_000
# No file has so many lines.
_PLACES = 2**40
# White space, control and format characters, fillers, selectors and tags.
_INVISIBLE = (
    "\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_VISIBLE = re.compile(f"[^{_INVISIBLE}]")
# Also what ends a line elsewhere, and what turns the direction of the text around it.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_TOO_LARGE = Problem(
    "too_large",
    _("%(field)s contains a number that is too large"),
    _("write it as a text in quotation marks"),
)


class Volume:
    """How many JSON values and cells an upload has held so far, in all of its files."""

    def __init__(self, max_values: int | None = None) -> None:
        self.max_values = max_values or MAX_VALUES_READ
        self.n_values = 0


class Problems:
    """The problems of one file; the first are listed, the others counted, and reading stops."""

    def __init__(self, *, of_tasks: bool = False, volume: Volume | None = None) -> None:
        # Shared by the files of one upload.
        self.volume = volume or Volume()
        # Whether what is counted are the tasks of a list, all of which may stand in one line.
        self._of_tasks = of_tasks
        self._listed: list[tuple[int, Said]] = []
        # Places that are shown instead of lines, if lines say nothing.
        self._places: list[Said] = []
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, line: int | None, message: Said) -> None:
        """`message` names the field where there is one, what is wrong, and what to do.

        Raises ImportProblemsError when there are so many that reading on makes no sense.
        """
        self._n += 1
        if len(self._listed) < LISTED:
            # What is true of the whole file stands above its lines.
            sentence = message
            if line is not None and line >= _PLACES:
                sentence = _("%(place)s: %(problem)s") % {
                    "place": self.place(line),
                    "problem": sentence,
                }
            elif line is not None:
                sentence = (
                    _("task %(line)s: %(problem)s")
                    if self._of_tasks
                    else _("line %(line)s: %(problem)s")
                ) % {"line": line, "problem": message}
            self._listed.append((line or 0, sentence))
        if self._n >= MAX_PROBLEMS:
            raise ImportProblemsError(
                [
                    *self.sentences,
                    Problem(
                        "too_large",
                        _("reading stopped after %(n)s problems"),
                        _("fix these and import again"),
                    )
                    % {"n": grouped(self._n)},
                ]
            )

    def refuse(self, line: int | None, message: Said) -> NoReturn:
        """Stop reading at a problem beyond which nothing may be read."""
        self.add(line, message)
        raise ImportProblemsError(self.sentences)

    def count_values(self, line: int, n: int) -> None:
        """Raises ImportProblemsError when the upload holds more than can be read."""
        self.volume.n_values += n
        if self.volume.n_values > self.volume.max_values:
            self.refuse(
                line,
                Problem(
                    "too_large",
                    _("the upload has more than %(n)s values or cells"),
                    _("remove unnecessary fields or columns, or split it"),
                )
                % {"n": grouped(self.volume.max_values)},
            )

    def place(self, line: int) -> Said:
        """How a message speaks of another place in the file."""
        if line >= _PLACES:
            return self._places[line - _PLACES]
        return (_("task %(n)s") if self._of_tasks else _("line %(n)s")) % {"n": line}

    def next_place(self, place: Said) -> int:
        """A number that stands for a line and is shown as this place."""
        self._places.append(place)
        return _PLACES + len(self._places) - 1

    def raise_if_any(self) -> None:
        if self._n:
            raise ImportProblemsError(self.sentences)

    @property
    def sentences(self) -> list[Said]:
        """By line; what is true of the whole file first."""
        sentences = [sentence for _line, sentence in sorted(self._listed, key=lambda p: p[0])]
        if unlisted := self._n - len(sentences):
            sentences.append(_("and %(n)s more") % {"n": unlisted})
        return sentences


def text_problem(text: str) -> Said:
    """What keeps a text from being stored, and the remedy; empty if nothing does."""
    if "\x00" in text:
        return Problem("unreadable", _("%(field)s contains a NUL character"), _("remove it"))
    # Encoding is far quicker than a look at every character.
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        return Problem(
            "unreadable",
            _("%(field)s contains a lone surrogate (%(code)s)"),
            _("write the whole character"),
        ) % {"code": f"\\u{code:04x}"}
    if has_many_marks(text):
        return Problem(
            "unreadable",
            _("%(field)s has more than %(n)s accents on one letter"),
            _("remove those that do not belong there"),
        ) % {"n": MAX_MARKS}
    return ""


def long_text_problem(text: str) -> Said:
    """What keeps a text beside those that are studied from being stored; empty if nothing does."""
    if problem := text_problem(text):
        return problem
    return length_problem(len(text), MAX_TEXT_LENGTH) if len(text) > MAX_TEXT_LENGTH else ""


def item_text_problem(text: str) -> Said:
    """What keeps a text from being studied, whichever file it is from; empty if nothing does.

    A text without any character, or of white space alone, is empty: that the caller says.
    """
    if problem := long_text_problem(text):
        return problem
    if not _VISIBLE.search(text) and text.strip():
        return Problem(
            "wrong_value",
            _("%(field)s has only invisible characters, such as %(code)s"),
            _("write the text, or remove the entry"),
        ) % {"code": _code(text.strip()[0])}
    return ""


def of_item(field: Said, key: object) -> Said:
    """How a message calls a field of an item that has an id."""
    if isinstance(key, bool) or not isinstance(key, str | int | float) or key == "":
        return field
    return _("%(field)s of %(id)s") % {"field": field, "id": shown(str(key))}


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def key_problem(key: str, *, limit: int = 200) -> Said:
    """What keeps a text from being an id, and the remedy; empty if nothing does."""
    if problem := text_problem(key):
        return problem
    if not key.strip():
        return Problem("missing", _("%(field)s is empty"), _("give every entry an id"))
    if len(key) > limit:
        return length_problem(len(key), limit)
    if any(character in key for character in "\t\n\r"):
        return Problem(
            "unreadable", _("%(field)s contains a tab or a line break"), _("remove it from the id")
        )
    if control := _CONTROL.search(key):
        return Problem(
            "unreadable",
            _("%(field)s contains a control character (%(code)s)"),
            _("remove it from the id"),
        ) % {"code": _code(control[0])}
    return ""


def length_problem(n: int, limit: int) -> Said:
    return Problem(
        "too_large", _("%(field)s is %(n)s characters long"), _("shorten it to %(limit)s or fewer")
    ) % {
        "n": n,
        "limit": limit,
    }


def shown(text: str, limit: int = 60) -> str:
    """A text as a message quotes it: printable, and not too long."""
    quoted = text if len(text) <= limit else text[: limit - 1] + "…"
    return repr(quoted)


def shape_problem(value: Any) -> Said:
    """What keeps a JSON value from being read and shown; empty if nothing does."""
    for depth, part in _parts(value):
        if problem := _shape_problem(depth, part):
            return problem
    return ""


def _shape_problem(depth: int, part: Any) -> Said:
    if depth > DEPTH:
        return Problem(
            "too_large", _("%(field)s is nested more than %(n)s levels deep"), _("flatten it")
        ) % {"n": DEPTH}
    return text_problem(part) if isinstance(part, str) else ""


def json_problem(value: Any) -> Said:
    """What keeps a JSON value from being stored as it is; empty if nothing does."""
    for depth, part in _parts(value):
        if problem := _shape_problem(depth, part):
            return problem
        if isinstance(part, float) and not math.isfinite(part):
            return _TOO_LARGE
        if isinstance(part, int) and abs(part) >= 2**63:
            return _TOO_LARGE
    return ""


def _parts(value: Any) -> Iterator[tuple[int, Any]]:
    """Every value and every key inside a JSON value, with its depth; no recursion, no copies."""
    levels: list[Iterator[Any]] = [iter((value,))]
    while levels:
        depth = len(levels) - 1
        for part in levels[-1]:
            yield depth, part
            if depth <= DEPTH and isinstance(part, dict | list):
                # The rest of this level follows when that has been gone through.
                inner = chain(part, part.values()) if isinstance(part, dict) else iter(part)
                levels.append(inner)
                break
        else:
            levels.pop()


def cells_problem(n: int, n_named: int) -> Problem:
    """A line has more or fewer cells than the header has names."""
    return Problem(
        "conflict",
        ngettext(
            "%(n)s column, but the header has %(names)s",
            "%(n)s columns, but the header has %(names)s",
            n,
        ),
        _("a field with a tab, comma or line break inside needs quotation marks"),
    ) % {"n": n, "names": n_named}
