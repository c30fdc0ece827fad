"""A column of figures as `scoring` and `tuples` compute them, in which messages stay messages."""

import json
from typing import Any

from django.db import models

from shell import messages


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
