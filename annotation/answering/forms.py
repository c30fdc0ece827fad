"""The shape of what annotators send; the rules of a study are kept by the services."""

from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from django import forms
from django.core.validators import RegexValidator
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotation.kinds.answer import Answer
from annotation.kinds.contract.answering import AnsweringPart

_DAY_MS = 24 * 60 * 60 * 1000
# A wrong or hostile browser may count on; more says nothing else.
_MAX_TIMES = 1000


def problem_with(form: forms.Form, field: str) -> str:
    return str(form.errors[field][0])


class AgreementForm(forms.Form):
    agree = forms.BooleanField(error_messages={"required": _("Tick the box if you agree.")})


class WithdrawalForm(forms.Form):
    confirm = forms.BooleanField(
        error_messages={"required": _("Tick the box if you want to withdraw.")}
    )


class CodeForm(forms.Form):
    code = forms.CharField(
        max_length=300, error_messages={"required": _("Type the code you were shown.")}
    )


class ComprehensionForm(forms.Form):
    answer = forms.IntegerField(error_messages={"required": _("Choose an answer.")})


_NO_ADDRESS = _("This is not a valid e-mail address. Please check it.")
# Quoted names and other alphabets are valid, too, but not every mail server takes them, and what
# stands in quotes may break a line.
_PLAIN_ADDRESS = RegexValidator(
    r"\A[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+\Z", _NO_ADDRESS
)


class ReminderForm(forms.Form):
    """An address to be reminded at; none takes the wish back."""

    email = forms.EmailField(
        required=False,
        # As long as its column: what Django allows is longer.
        max_length=254,
        validators=[_PLAIN_ADDRESS],
        error_messages={
            "invalid": _NO_ADDRESS,
            "max_length": _NO_ADDRESS,
        },
    )


class PlainTextField(forms.CharField):
    """Text exactly as typed, but for the line ends, which browsers send in two ways."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        return text.replace("\r\n", "\n") if text.strip() else ""


class CountField(forms.IntegerField):
    """A count that the browser made. A wrong one is dropped: it must not cost the answer."""

    def __init__(self, *, most: int) -> None:
        super().__init__(required=False)
        self.most = most

    def clean(self, value: Any) -> int | None:
        try:
            count = int(value)
        except (TypeError, ValueError):
            return None
        return min(count, self.most) if count >= 0 else None


class BaseField(forms.Field):
    """The keys of the answers that the page has shown or sent; None if it names none."""

    def to_python(self, value: Any) -> list[str] | None:
        return str(value or "").split()[:100] or None


class AnswerForm(forms.Form):
    """An answer, complete or not; prefixed by its question where several are sent."""

    comment = PlainTextField(required=False, strip=False)
    shown = forms.CharField(required=False)
    base = BaseField(required=False)
    # The key of the answer to a check that the page has told of.
    told = forms.CharField(required=False)
    active_ms = CountField(most=_DAY_MS)
    n_away = CountField(most=_MAX_TIMES)
    n_pasted = CountField(most=_MAX_TIMES)

    def __init__(self, part: AnsweringPart, data: QueryDict, *, prefix: str | None = None) -> None:
        """`part`: that of the study's kind, whose choices are sent."""
        super().__init__(data, prefix=prefix)
        self.part = part
        self.fields.update(part.fields())

    def add_prefix(self, field_name: str) -> str:
        # q17-best: short, and the same in the page's own requests but for the prefix.
        return f"{self.prefix}-{field_name}" if self.prefix else field_name

    def answer(self) -> Answer:
        """What was sent, also where some of it does not fit."""
        sent = self.cleaned_data
        choices: dict[str, Any] = {name: sent.get(name) for name in self.part.answer.PARTS}
        return self.part.answer(**choices, **self.part.answer.beside_choices(sent))

    def derived_key(self, answer: Answer) -> UUID:
        """A key for a form that has none of its own: the same form sent twice is one answer."""
        content = [
            self.cleaned_data.get("shown", ""),
            *(getattr(answer, name) for name in answer.PARTS),
            answer.comment,
        ]
        return uuid5(NAMESPACE_OID, repr(content))


class SaveForm(AnswerForm):
    """One choice, saved in the background."""

    idempotency_key = forms.UUIDField()
    sequence = forms.IntegerField(min_value=0, max_value=2**53)
