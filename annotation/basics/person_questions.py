"""One question that people are asked about themselves, with what makes it answerable."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.basics.errors import AnnotationError
from annotation.basics.sentences import Said
from annotation.basics.sentences import sentence as _

CHOICE, CHOICES, NUMBER, TEXT, LONG_TEXT, SCALE, MATRIX, DATE = KINDS = (
    "choice",
    "choices",
    "number",
    "text",
    "long_text",
    "scale",
    "matrix",
    "date",
)
# Kinds whose answer is one of the listed ones, or several.
WITH_OPTIONS = frozenset((CHOICE, CHOICES, MATRIX))
# Of these nobody knows what people write: it is never published.
OPEN_ENDED = frozenset((TEXT, LONG_TEXT, DATE))

MAX_QUESTIONS = 60
MAX_OPTIONS = 200
MAX_SCALE_POINTS = 11
MAX_NUMBER = 10**9
TEXT_LIMIT = 1_000
# Of what people write: one line, and several.
SHORT_LIMIT, LONG_LIMIT = 300, 5_000

# A name of a column in a file.
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,29}")
_LIMIT = re.compile(r"([<>]) ?(-?\d{1,9}(?:\.\d{1,6})?)")

_NO_NUMBERS = _("the lowest and the highest value must be numbers")

# What somebody answered to one question: a code, several, a number, a text, a code for each row.
Value = str | int | float | list[str] | dict[str, str]
Values = Mapping[str, Value]


class QuestionnaireError(AnnotationError):
    """Nobody could answer this questionnaire."""

    code = "invalid_questionnaire"


@dataclass(frozen=True)
class Option:
    """One answer to choose, or one row of a matrix: its code in files, and what people read."""

    code: str
    text: str

    @property
    def line(self) -> str:
        """As a researcher types it."""
        return f"{self.code} = {self.text}"


@dataclass(frozen=True)
class Condition:
    """A question is shown only to those who chose one of these answers to an earlier one."""

    question: str
    codes: tuple[str, ...]

    def holds(self, values: Values) -> bool:
        value = values.get(self.question)
        chosen = value if isinstance(value, list) else [value]
        return any(code in chosen for code in self.codes)


@dataclass(frozen=True)
class PersonQuestion:
    """One question about a person.

    Parameters
    ----------
    key : str
        Its name in files.
    options : tuple of Option
        Answers to choose; of a scale, the words at its two ends.
    rows : tuple of Option
        Of a matrix.
    lowest, highest : Decimal or None
        Of a number or a scale.
    may_decline : bool
        Whether people can say that they prefer not to say.
    screens_out : tuple of str
        Codes of answers, or limits of a number such as "< 18", that end the study for a person.
    is_published : bool
        Whether releases contain the answers.
    """

    key: str
    kind: str
    text: str
    help: str = ""
    options: tuple[Option, ...] = ()
    rows: tuple[Option, ...] = ()
    lowest: Decimal | None = None
    highest: Decimal | None = None
    is_required: bool = False
    may_decline: bool = False
    shown_if: Condition | None = None
    screens_out: tuple[str, ...] = ()
    is_published: bool = False

    @property
    def screens_out_in_words(self) -> list[str]:
        """As `screens_out`, with what people read in place of the codes."""
        texts = {option.code: option.text for option in self.options}
        return [texts.get(answer, answer) for answer in self.screens_out]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "PersonQuestion":
        """Read what `as_json` wrote. Raises QuestionnaireError, with what to change."""
        key = text_of(data, "key")
        where = _("question %(key)s") % {"key": key or "?"}
        unknown = data.keys() - _NAMES
        if unknown:
            name = _storable(min(map(str, unknown)))[:60]
            raise problem(where, _("there is no field “%(name)s”") % {"name": name})
        condition = data.get("shown_if")
        question = cls(
            key=key,
            kind=text_of(data, "kind"),
            text=text_of(data, "text"),
            help=text_of(data, "help"),
            options=_options(data.get("options", ()), where),
            rows=_options(data.get("rows", ()), where),
            lowest=_number(data.get("lowest"), where),
            highest=_number(data.get("highest"), where),
            is_required=_flag(data, "required", where),
            may_decline=_flag(data, "may_decline", where),
            shown_if=_condition(condition, where) if condition else None,
            screens_out=_texts(data.get("screens_out", ()), where),
            is_published=_flag(data, "published", where),
        )
        question.check(where)
        return question

    @property
    def as_json(self) -> dict[str, Any]:
        """Only what differs from the default, so that a file is short."""
        condition = self.shown_if
        every = {
            "key": self.key,
            "kind": self.kind,
            "text": self.text,
            "help": self.help,
            "options": [{"code": o.code, "text": o.text} for o in self.options],
            "rows": [{"code": o.code, "text": o.text} for o in self.rows],
            "lowest": _plain(self.lowest),
            "highest": _plain(self.highest),
            "required": self.is_required,
            "may_decline": self.may_decline,
            "shown_if": {"question": condition.question, "answers": list(condition.codes)}
            if condition
            else None,
            "screens_out": list(self.screens_out),
            "published": self.is_published,
        }
        # A lowest value of 0 is a value, though it equals False.
        return {
            name: value
            for name, value in every.items()
            if value is not None and value is not False and value not in ("", [])
        }

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns in files: one, or one for each row of a matrix."""
        if self.kind == MATRIX:
            return tuple(f"{self.key}_{row.code}" for row in self.rows)
        return (self.key,)

    @property
    def points(self) -> range:
        """Of a scale."""
        assert self.lowest is not None  # `check` has seen to it
        assert self.highest is not None
        return range(int(self.lowest), int(self.highest) + 1)

    def does_screen_out(self, value: Value) -> bool:
        if self.kind == NUMBER:
            return any(_is_beyond(value, limit) for limit in self.screens_out)
        return any(code in self.screens_out for code in _codes(value))

    def check(self, where: Said) -> None:
        """Raise QuestionnaireError, with what to change, unless people can answer it."""
        if not _KEY.fullmatch(self.key):
            raise problem(
                where,
                _(
                    "the name in files must have 1 to 40 lower-case letters, digits or "
                    "underscores, and begin with a letter"
                ),
            )
        if self.kind not in KINDS:
            raise problem(
                where, _("the kind must be one of %(kinds)s") % {"kinds": ", ".join(KINDS)}
            )
        if not self.text.strip():
            raise problem(where, _("write the text of the question"))
        if len(self.text) > TEXT_LIMIT or len(self.help) > TEXT_LIMIT:
            raise problem(where, _("a text can have at most %(n)s characters") % {"n": TEXT_LIMIT})
        self._check_options(where)
        self._check_numbers(where)
        self._check_screening(where)
        if self.is_published and self.kind in OPEN_ENDED:
            raise problem(where, _("answers in people's own words cannot be published"))

    def _check_options(self, where: Said) -> None:
        if self.kind in WITH_OPTIONS and not 2 <= len(self.options) <= MAX_OPTIONS:
            raise problem(
                where, _("write 2 to %(most)s answers to choose from") % {"most": MAX_OPTIONS}
            )
        if self.kind == MATRIX and not 1 <= len(self.rows) <= MAX_QUESTIONS:
            raise problem(where, _("write 1 to %(most)s rows") % {"most": MAX_QUESTIONS})
        if self.kind == SCALE and len(self.options) not in {0, 2}:
            raise problem(where, _("label both ends of the scale, or neither"))
        if self.options and self.kind not in {*WITH_OPTIONS, SCALE}:
            raise problem(where, _("this kind of question has no answers to choose from"))
        if self.rows and self.kind != MATRIX:
            raise problem(where, _("only a matrix has rows"))
        for options in (self.options, self.rows):
            codes = [option.code for option in options]
            for option in options:
                if not _CODE.fullmatch(option.code):
                    raise problem(
                        where,
                        _(
                            "the code “%(code)s” must consist of 1 to 30 letters, digits, hyphens "
                            "or underscores"
                        )
                        % {"code": option.code[:60]},
                    )
                if not option.text.strip() or len(option.text) > TEXT_LIMIT:
                    raise problem(
                        where,
                        _(
                            "the answer with the code “%(code)s” has no text, or its text is too "
                            "long"
                        )
                        % {"code": option.code},
                    )
                if codes.count(option.code) > 1:
                    raise problem(
                        where, _("the code “%(code)s” is used twice") % {"code": option.code}
                    )

    def _check_numbers(self, where: Said) -> None:
        low, high = self.lowest, self.highest
        if any(n is not None and not -MAX_NUMBER <= n <= MAX_NUMBER for n in (low, high)):
            raise problem(where, _NO_NUMBERS)
        if self.kind == SCALE:
            whole = [n for n in (low, high) if n is not None and n == int(n)]
            if len(whole) < 2 or not 2 <= whole[1] - whole[0] + 1 <= MAX_SCALE_POINTS:
                raise problem(
                    where,
                    _(
                        "the ends of a scale must be whole numbers, and it must have 2 to "
                        "%(most)s points"
                    )
                    % {"most": MAX_SCALE_POINTS},
                )
        elif self.kind != NUMBER and (low is not None or high is not None):
            raise problem(where, _("only numbers and scales have a lowest and a highest value"))
        if low is not None and high is not None and low >= high:
            raise problem(where, _("the highest value must be above the lowest"))

    def _check_screening(self, where: Said) -> None:
        if not self.screens_out:
            return
        if self.kind == NUMBER:
            wrong = [limit for limit in self.screens_out if not _LIMIT.fullmatch(limit)]
            remedy = _("write limits such as < 18 or > 65")
        elif self.kind in {CHOICE, CHOICES}:
            codes = {option.code for option in self.options}
            wrong = [code for code in self.screens_out if code not in codes]
            remedy = _("write codes of this question's answers")
        else:
            wrong = list(self.screens_out)
            remedy = _("only a choice or a number can screen people out")
        if wrong:
            raise problem(
                where,
                _("“%(wrong)s” cannot screen people out: %(remedy)s")
                % {"wrong": wrong[0][:60], "remedy": remedy},
            )


_NAMES = frozenset(
    (
        *("key", "kind", "text", "help", "options", "rows", "lowest", "highest", "required"),
        *("may_decline", "shown_if", "screens_out", "published"),
    )
)


def is_code(text: str) -> bool:
    """Whether this can be the code of an answer."""
    return _CODE.fullmatch(text) is not None


def _is_beyond(value: Value, limit: str) -> bool:
    match = _LIMIT.fullmatch(limit)
    assert match is not None  # `check` has seen to it
    number, bound = Decimal(str(value)), Decimal(match[2])
    return number < bound if match[1] == "<" else number > bound


def _codes(value: Value) -> Sequence[str]:
    return value if isinstance(value, list) else [str(value)]


def problem(where: Said, what: Said) -> QuestionnaireError:
    return QuestionnaireError(_("In %(where)s: %(what)s.") % {"where": where, "what": what})


def text_of(data: Mapping[str, Any], name: str) -> str:
    """Without what no database stores; empty for what is no text."""
    value = data.get(name, "")
    return _storable(value).replace("\r\n", "\n").strip() if isinstance(value, str) else ""


def _storable(text: object) -> str:
    return str(text).encode("utf-8", "ignore").decode().replace("\x00", "")


def _flag(data: Mapping[str, Any], name: str, where: Said) -> bool:
    """Refuses "yes", which would be taken for no."""
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise problem(where, _("“%(name)s” must be true or false") % {"name": name})
    return value


def _texts(data: object, where: Said) -> tuple[str, ...]:
    if not isinstance(data, list | tuple):
        raise problem(where, _("“answers” and “screens_out” must be lists"))
    return tuple(_storable(each).strip() for each in data)


def _options(data: object, where: Said) -> tuple[Option, ...]:
    if not isinstance(data, list | tuple) or not all(isinstance(each, Mapping) for each in data):
        raise problem(where, _("each answer and each row needs a code and a text"))
    return tuple(
        Option(_storable(each.get("code", "")).strip(), _storable(each.get("text", "")).strip())
        for each in data
    )


def _condition(data: object, where: Said) -> Condition:
    if not isinstance(data, Mapping):
        raise problem(where, _("a condition needs a question and answers"))
    return Condition(text_of(data, "question"), _texts(data.get("answers", ()), where))


def _number(data: object, where: Said) -> Decimal | None:
    if data is None or data == "":
        return None
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise problem(where, _NO_NUMBERS)
    number = Decimal(str(data))
    if not number.is_finite() or abs(number) > MAX_NUMBER:
        raise problem(where, _NO_NUMBERS)
    return number


def _plain(number: Decimal | None) -> int | float | None:
    if number is None:
        return None
    return int(number) if number == int(number) else float(number)
