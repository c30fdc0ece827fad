"""Messages of `tuples` and `scoring`: English texts that keep their template and their values.

A program prints a message as the text that it is. The pages of the web application translate its
template and then fill in the values, in the reader's language.

Import the two makers as `_` and `ngettext`: by these names gettext's programs find the templates.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, SupportsIndex, TypeAlias

# A sequence stands for a list of names, one after the other with commas. A Decimal is written
# with as many places as it has, a float with six significant digits at most.
Value: TypeAlias = "str | int | float | Decimal | Sequence[str]"


class Message(str):
    """A text in English that knows how it was made.

    Parameters
    ----------
    template : str
        With `%(name)s` for each value; where there are values, a percent sign is `%%`.
    plural : str
        The template for more than one of what `counted` names; empty if there is one form.
    counted : str
        The name of the value that the plural follows.
    values : mapping
        By name. A value that is a message is translated, too; other texts stay as they are.
    """

    template: str
    plural: str
    counted: str
    values: dict[str, Value]

    def __new__(
        cls,
        template: str,
        plural: str = "",
        counted: str = "",
        values: Mapping[str, Value] | None = None,
    ) -> "Message":
        values = dict(values or {})
        form = plural if plural and values[counted] != 1 else template
        written = {name: _in_english(value) for name, value in values.items()}
        message = super().__new__(cls, form % written if values else form)
        message.template, message.plural, message.counted = template, plural, counted
        message.values = values
        return message

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return Message, (self.template, self.plural, self.counted, self.values)

    def with_texts(self, change: Callable[[str], str]) -> "Message":
        """The same message with each text among its values changed, also in inner messages."""
        values: dict[str, Value] = {}
        for name, value in self.values.items():
            if isinstance(value, Message):
                values[name] = value.with_texts(change)
            elif isinstance(value, str):
                values[name] = change(value)
            else:
                values[name] = value
        return Message(self.template, self.plural, self.counted, values)


def message(template: str, **values: Value) -> Message:
    """A message; `template` holds `%(name)s` for each of the values."""
    return Message(template, values=values)


def ngettext(singular: str, plural: str, counted: str, **values: Value) -> Message:
    """A message with two forms, chosen by the value whose name is `counted`."""
    return Message(singular, plural, counted, values)


_BOTH = "%(first)s %(rest)s"


def joined(*messages: str | None) -> Message | None:
    """Several messages one after the other as one; None if there is none."""
    joined_message: str | None = None
    for single in filter(None, messages):
        if joined_message is None:
            joined_message = single
        else:
            joined_message = message(_BOTH, first=joined_message, rest=single)
    if joined_message is None or isinstance(joined_message, Message):
        return joined_message
    return message("%(text)s", text=joined_message)


def apart(joined_message: str) -> list[str]:
    """The messages that `joined` made one of; any other text alone."""
    if not isinstance(joined_message, Message) or joined_message.template != _BOTH:
        return [joined_message]
    return [
        single
        for name in ("first", "rest")
        if isinstance(both := joined_message.values[name], str)
        for single in apart(both)
    ]


def as_data(value: Any) -> Any:
    """The same with each message, however deep, as a mapping that JSON can hold."""
    if isinstance(value, Message):
        data = {"template": value.template, "values": as_data(value.values)}
        if value.plural:
            data |= {"plural": value.plural, "counted": value.counted}
        return data
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, Mapping):
        return {name: as_data(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(inner) for inner in value]
    return value


def of_data(data: dict[str, Any]) -> Any:
    """The message or number that a mapping stands for, whose inner ones were read already.

    Any other mapping comes back as it is; as `json.loads` takes it for its `object_hook`.
    """
    # Figures of a study have thousands of mappings; nearly all of them are none of these.
    if "template" not in data:
        if len(data) == 1 and isinstance(data.get("decimal"), str):
            with suppress(ArithmeticError):
                return Decimal(data["decimal"])
        return data
    if not (isinstance(data["template"], str) and isinstance(data.get("values"), dict)):
        return data
    if data.keys() == {"template", "values"}:
        return Message(data["template"], values=data["values"])
    if data.keys() == {"template", "values", "plural", "counted"}:
        return Message(**data)
    return data


def _in_english(value: Value) -> str:
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return ", ".join(value)
