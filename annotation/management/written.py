"""What options of commands write in one word: settings, and where people's scores come from."""

from collections.abc import Collection, Iterable

from django.core.management.base import CommandError

from annotation.queries.human_scores import Source


def source_of(text: str) -> Source:
    """result, phase:1 or column:mean[:sd=COLUMN][:n=32], as the option --people has it."""
    kind, *rest = text.split(":")
    if kind == "result" and not rest:
        return Source("result")
    if kind == "phase" and len(rest) == 1 and rest[0].isdecimal():
        return Source("result", phase=int(rest[0]))
    if kind == "column" and rest and rest[0]:
        more = named_values(rest[1:], {"sd", "n"}, "--people")
        n = more.get("n")
        if n is None or n.isdecimal():
            return Source.of_json(
                {
                    "from": "column",
                    "name": rest[0],
                    "deviation": more.get("sd", ""),
                    "n": None if n is None else int(n),
                }
            )
    raise CommandError(
        f"--people: {text!r} is no source; write result, phase:1 or column:mean:sd=sd:n=32"
    )


def named_values(parts: Iterable[str], known: Collection[str], option: str) -> dict[str, str]:
    """NAME=VALUE of each part, of which only known names are taken."""
    found = {}
    for part in parts:
        name, is_there, value = part.partition("=")
        if not is_there or name not in known:
            raise CommandError(
                f"{option}: {part!r} is no setting; write NAME=VALUE with one of"
                f" {', '.join(sorted(known))}"
            )
        found[name] = value
    return found
