"""Columns of figures and texts of `scoring` and `tuples`, in which messages stay messages."""

import json
from typing import TYPE_CHECKING, Any

from django.db import models

from shell import messages

if TYPE_CHECKING:
    _TextField = models.CharField[str, str]
else:
    # Generic for the type checker alone.
    _TextField = models.CharField

# Of a message as data.
_BEGINNING = '{"template":'


class _Encoder(json.JSONEncoder):
    def encode(self, o: Any) -> str:
        return super().encode(messages.as_data(o))


class _Decoder(json.JSONDecoder):
    def __init__(self) -> None:
        super().__init__(object_hook=messages.of_data)


class FiguresField(models.JSONField):
    """JSON whose messages keep their templates, so that pages can translate them."""

    def __init__(self, **options: Any) -> None:
        options |= {"encoder": _Encoder, "decoder": _Decoder}
        super().__init__(**options)

    def deconstruct(self) -> Any:
        name, path, positional, options = super().deconstruct()
        del options["encoder"], options["decoder"]
        return name, path, positional, options


class MessageField(_TextField):
    """A line of text. A message keeps its template, so that pages can translate it."""

    def get_prep_value(self, value: Any) -> Any:
        if isinstance(value, messages.Message):
            return json.dumps(messages.as_data(value), ensure_ascii=False)
        return super().get_prep_value(value)

    def from_db_value(self, value: str | None, *_database: Any) -> str | None:
        if value is None or not value.startswith(_BEGINNING):
            return value
        try:
            read = json.loads(value, object_hook=messages.of_data)
        except (ValueError, KeyError, TypeError):
            return value
        return read if isinstance(read, messages.Message) else value

    def deconstruct(self) -> Any:
        # To the database, and so to its migrations, it is a column of text.
        name, _path, positional, options = super().deconstruct()
        return name, "django.db.models.CharField", positional, options
